// tamis/detail/list.hpp - a growing array of objects that own memory. (A Buffer holds plain
// numbers.) If memory is short, it returns kOutOfMemory; a std::vector would abort.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include <tamis/detail/buffer.hpp>
#include <tamis/status.hpp>

namespace tamis::detail {

template <class T>
class List {
  static_assert(std::is_nothrow_move_constructible_v<T>);

 public:
  List() noexcept = default;
  List(List&& other) noexcept
      : memory_(std::move(other.memory_)), size_(std::exchange(other.size_, 0)) {}
  List& operator=(List&& other) noexcept {
    if (this != &other) {
      clear();
      memory_ = std::move(other.memory_);
      size_ = std::exchange(other.size_, 0);
    }
    return *this;
  }
  List(const List&) = delete;
  List& operator=(const List&) = delete;
  ~List() { clear(); }

  // If it returns kOutOfMemory, the list is unchanged.
  [[nodiscard]] Status push_back(T&& item) noexcept {
    if (size_ * sizeof(T) == memory_.size()) {
      TAMIS_TRY(grown, Memory::zeroed((size_ + size_ / 2 + 2) * sizeof(T)));
      T* to = at(*grown, 0);
      std::uninitialized_move(begin(), end(), to);
      std::destroy(begin(), end());
      memory_ = std::move(*grown);
    }
    std::construct_at(at(memory_, size_), std::move(item));
    ++size_;
    return Status::kOk;
  }
  void resize_down(std::size_t size) noexcept {
    std::destroy(begin() + size, end());
    size_ = size;
  }
  void clear() noexcept { resize_down(0); }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T* begin() noexcept { return at(memory_, 0); }
  [[nodiscard]] T* end() noexcept { return begin() + size_; }
  [[nodiscard]] const T* begin() const noexcept { return at(memory_, 0); }
  [[nodiscard]] const T* end() const noexcept { return begin() + size_; }
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return begin()[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return begin()[i]; }
  [[nodiscard]] T& back() noexcept { return begin()[size_ - 1]; }
  [[nodiscard]] const T& back() const noexcept { return begin()[size_ - 1]; }

  friend bool operator==(const List& one, const List& other) noexcept {
    return std::equal(one.begin(), one.end(), other.begin(), other.end());
  }

 private:
  using Memory = Buffer<std::byte, alignof(T)>;

  [[nodiscard]] static T* at(Memory& memory, std::size_t i) noexcept {
    return reinterpret_cast<T*>(memory.data()) + i;
  }
  [[nodiscard]] static const T* at(const Memory& memory, std::size_t i) noexcept {
    return reinterpret_cast<const T*>(memory.data()) + i;
  }

  Memory memory_;
  std::size_t size_ = 0;
};

}  // namespace tamis::detail
