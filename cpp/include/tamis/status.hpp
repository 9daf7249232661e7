// tamis/status.hpp - the result of an operation that can fail.
//
// The core never throws, and aborts only at an assert in a debug build. An operation that can fail
// returns a Status, or a Result<T>, which is either a value or a Status other than kOk.
#pragma once

#if __cplusplus < 202002L
#error "tamis needs C++20: -std=c++20"
#endif

#include <cassert>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace tamis {

enum class Status : std::int32_t {
  kOk = 0,
#define TAMIS_STATUS(name, code, message) name,
#include <tamis/status.def>
};

// The stable code ("ERR_TAMIS_...") and a sentence that explains it; for kOk, "OK" and "success".
[[nodiscard]] const char* code(Status status) noexcept;
[[nodiscard]] const char* message(Status status) noexcept;

// Declares `name`, a Result with a value. If it has none, the calling function returns its Status.
#define TAMIS_TRY(name, ...) \
  auto name = __VA_ARGS__;   \
  if (!name.ok()) return name.status()

// The calling function returns this Status unless it is kOk.
#define TAMIS_NEED(...)                                                           \
  do {                                                                            \
    if (const Status status_of_call = __VA_ARGS__; status_of_call != Status::kOk) \
      return status_of_call;                                                      \
  } while (false)

// A value or a Status. A std::optional would store twice whether there is a value.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) noexcept : status_(Status::kOk), value_(std::move(value)) {}
  // A Result without a value needs a reason. kOk is none, so it becomes kInternal.
  Result(Status status) noexcept : status_(status == Status::kOk ? Status::kInternal : status) {}
  Result(const Result& other) noexcept
    requires std::is_copy_constructible_v<T>
      : status_(other.status_) {
    if (ok()) std::construct_at(&value_, other.value_);
  }
  Result(Result&& other) noexcept : status_(other.status_) {
    if (ok()) std::construct_at(&value_, std::move(other.value_));
  }
  Result& operator=(Result other) noexcept {
    std::destroy_at(this);
    return *std::construct_at(this, std::move(other));
  }
  ~Result() {
    if (ok()) value_.~T();
  }

  [[nodiscard]] bool ok() const noexcept { return status_ == Status::kOk; }
  // True if there is a value. Result<bool> lacks this operator, because a Result with the value
  // false would be true as well; use ok().
  explicit operator bool() const noexcept
    requires(!std::is_same_v<T, bool>)
  {
    return ok();
  }
  [[nodiscard]] Status status() const noexcept { return status_; }

  // Needs ok(), which a debug build asserts.
  [[nodiscard]] T& operator*() & noexcept { return assert(ok()), value_; }
  [[nodiscard]] T&& operator*() && noexcept { return assert(ok()), std::move(value_); }
  [[nodiscard]] const T& operator*() const& noexcept { return assert(ok()), value_; }
  [[nodiscard]] T* operator->() noexcept { return &**this; }
  [[nodiscard]] const T* operator->() const noexcept { return &**this; }
  // The value, or `other` if there is none.
  [[nodiscard]] T value_or(T other) && noexcept {
    return ok() ? std::move(value_) : std::move(other);
  }
  [[nodiscard]] T value_or(T other) const& noexcept { return ok() ? value_ : std::move(other); }

 private:
  Status status_;
  union {
    T value_;
  };
};

}  // namespace tamis
