// tamis/detail/buffer.hpp - memory that may be refused.
//
// The one place of the core that allocates. A failed std::vector would abort under -fno-exceptions;
// a Buffer answers kOutOfMemory. Tests define TAMIS_CALLOC to fail any allocation they like.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include <tamis/status.hpp>

#ifndef TAMIS_CALLOC
#define TAMIS_CALLOC std::calloc
#endif

namespace tamis::detail {

// An owned array of trivial elements, zeroed, aligned as malloc aligns (16 bytes on wasm32 and on
// 64-bit hosts). Moved-from: empty.
template <class T>
class Buffer {
  static_assert(std::is_trivial_v<T>);

 public:
  Buffer() noexcept = default;
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    if (this != &other) {
      std::free(data_);
      data_ = std::exchange(other.data_, nullptr);
      size_ = std::exchange(other.size_, 0);
    }
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { std::free(data_); }

  [[nodiscard]] static Result<Buffer> zeroed(std::uint64_t size) noexcept {
    if (size > std::numeric_limits<std::size_t>::max() / sizeof(T)) return Status::kTooLarge;
    Buffer buffer;
    if (size == 0) return buffer;
    buffer.data_ = static_cast<T*>(TAMIS_CALLOC(static_cast<std::size_t>(size), sizeof(T)));
    if (buffer.data_ == nullptr) return Status::kOutOfMemory;
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

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace tamis::detail
