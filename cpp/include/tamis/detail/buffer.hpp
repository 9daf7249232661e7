// tamis/detail/buffer.hpp - owned memory whose allocation may fail.
//
// No other code in the core allocates. If memory is short, a std::vector would abort under
// -fno-exceptions; a Buffer returns kOutOfMemory. Tests replace calloc, so that any allocation can
// fail.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include <tamis/status.hpp>

namespace tamis::detail {

// An owned array of zeroed elements that need no destructor. It has malloc's alignment (16 bytes on
// 64-bit hosts, 8 on wasm32), or a larger power of two. A moved-from Buffer is empty.
template <class T, std::size_t kAlignment = 1>
class Buffer {
  static_assert(std::is_trivial_v<T> && (kAlignment & (kAlignment - 1)) == 0);

 public:
  Buffer() noexcept = default;
  Buffer(Buffer&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    if (this != &other) {
      std::free(memory_);
      memory_ = std::exchange(other.memory_, nullptr);
      data_ = std::exchange(other.data_, nullptr);
      size_ = std::exchange(other.size_, 0);
    }
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { std::free(memory_); }

  [[nodiscard]] static Result<Buffer> zeroed(std::uint64_t size) noexcept {
    Buffer buffer;
    if (size == 0) return buffer;
    if (size > (std::numeric_limits<std::size_t>::max() - kAlignment) / sizeof(T))
      return Status::kTooLarge;
    buffer.memory_ = std::calloc(static_cast<std::size_t>(size) * sizeof(T) + kAlignment - 1, 1);
    if (buffer.memory_ == nullptr) return Status::kOutOfMemory;
    const auto address = reinterpret_cast<std::uintptr_t>(buffer.memory_);
    buffer.data_ = reinterpret_cast<T*>((address + kAlignment - 1) & ~(kAlignment - 1));
    buffer.size_ = static_cast<std::size_t>(size);
    return buffer;
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T* data() noexcept { return data_; }
  [[nodiscard]] const T* data() const noexcept { return data_; }
  [[nodiscard]] std::span<T> span() noexcept { return {data_, size_}; }
  [[nodiscard]] std::span<const T> span() const noexcept { return {data_, size_}; }
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return data_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return data_[i]; }

  friend bool operator==(const Buffer& one, const Buffer& other) noexcept {
    return std::equal(one.data_, one.data_ + one.size_, other.data_, other.data_ + other.size_);
  }

 private:
  void* memory_ = nullptr;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace tamis::detail
