// bindings/any_filter.hpp - the one virtual interface, and the table that gives each object a handle.
//
// FilterAdapter<F> makes an AnyFilter of any structure of the core: what the structure cannot do
// answers -kUnsupported. Statuses cross the border as negative numbers.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>
#include <utility>

#include <tamis/concepts.hpp>
#include <tamis/hash.hpp>
#include <tamis/status.hpp>
#include <tamis/wire.hpp>

namespace tamis::bindings {

using Handle = std::uint32_t;

[[nodiscard]] constexpr std::int32_t negative(Status status) noexcept {
  return -static_cast<std::int32_t>(status);
}
[[nodiscard]] inline std::int32_t to_int(const Result<bool>& result) noexcept {
  return result.ok() ? static_cast<std::int32_t>(*result) : negative(result.status());
}

enum class BitOperation : std::uint32_t { kTest, kSet, kClear, kToggle };

class AnyFilter {
 public:
  AnyFilter() noexcept;
  AnyFilter(const AnyFilter&) = delete;
  AnyFilter& operator=(const AnyFilter&) = delete;
  virtual ~AnyFilter();

  // Allocation that may be refused: a new-expression then gives nullptr.
  static void* operator new(std::size_t size) noexcept { return std::malloc(size); }
  static void operator delete(void* object) noexcept { std::free(object); }

  // 0 where the table had no room.
  [[nodiscard]] Handle handle() const noexcept { return handle_; }

  virtual std::int32_t add(Key key) noexcept = 0;
  virtual std::int32_t add(Hash hash) noexcept = 0;
  virtual std::int32_t has(Key key) const noexcept = 0;
  virtual std::int32_t has(Hash hash) const noexcept = 0;
  virtual std::int32_t bit(BitOperation operation, std::uint64_t index) noexcept = 0;
  virtual std::int32_t print(std::uint64_t from, std::span<char> out) const noexcept = 0;

  [[nodiscard]] virtual Header header() const noexcept = 0;
  [[nodiscard]] virtual std::uint64_t size_bytes() const noexcept = 0;
  [[nodiscard]] virtual double fpr() const noexcept = 0;
  [[nodiscard]] virtual double estimated_fpr() const noexcept = 0;
  [[nodiscard]] virtual Status validate() const noexcept = 0;
  [[nodiscard]] virtual Status encode_into(std::span<std::byte> out) const noexcept = 0;
  [[nodiscard]] virtual Status clear() noexcept = 0;

 private:
  Handle handle_;
};

// A handle is a slot's number in the low bits and its generation above. A slot whose generations are
// used up is never given out again, so a stale handle can meet no other object.
struct Slot {
  AnyFilter* object;
  std::uint32_t generation;  // from 1 on, so that no handle is 0
  std::uint32_t next_free;
};
inline constexpr std::uint32_t kIndexBits = 20;
inline constexpr std::uint32_t kMaxSlots = 1u << kIndexBits;
extern Slot* slots;
extern std::uint32_t slot_count;

// The live object behind a handle; nullptr for one that was disposed of, or never was.
[[nodiscard]] inline AnyFilter* find(Handle handle) noexcept {
  const std::uint32_t index = handle & (kMaxSlots - 1);
  if (index >= slot_count || slots[index].generation != handle >> kIndexBits) return nullptr;
  return slots[index].object;
}

template <class F>
class FilterAdapter final : public AnyFilter {
 public:
  explicit FilterAdapter(F&& filter) noexcept : filter_(std::move(filter)) {}

  [[nodiscard]] F& filter() noexcept { return filter_; }
  [[nodiscard]] const F& filter() const noexcept { return filter_; }

  std::int32_t add(Key key) noexcept override { return insert(key); }
  std::int32_t add(Hash hash) noexcept override { return insert(hash); }

  std::int32_t has(Key key) const noexcept override {
    if constexpr (Filter<F>) return filter_.may_contain(key) ? 1 : 0;
    return negative(Status::kUnsupported);
  }
  std::int32_t has(Hash hash) const noexcept override {
    if constexpr (Filter<F>) {
      if (is_hash_once(filter_.hasher().id())) return filter_.may_contain(hash) ? 1 : 0;
    }
    return negative(Status::kUnsupported);
  }

  std::int32_t bit(BitOperation operation, std::uint64_t index) noexcept override {
    if constexpr (requires { filter_.test(index); }) {
      if (operation == BitOperation::kTest) return to_int(filter_.test(index));
    }
    if constexpr (requires { filter_.toggle(index); }) {
      switch (operation) {
        case BitOperation::kTest:
          break;
        case BitOperation::kSet:
          return to_int(filter_.set(index));
        case BitOperation::kClear:
          return to_int(filter_.clear(index));
        case BitOperation::kToggle:
          return to_int(filter_.toggle(index));
      }
    }
    return negative(Status::kUnsupported);
  }
  std::int32_t print(std::uint64_t from, std::span<char> out) const noexcept override {
    if constexpr (requires { filter_.print(from, out); }) return negative(filter_.print(from, out));
    return negative(Status::kUnsupported);
  }

  Header header() const noexcept override { return filter_.header(); }
  std::uint64_t size_bytes() const noexcept override { return filter_.size_bytes(); }
  double fpr() const noexcept override {
    if constexpr (Filter<F>) return filter_.fpr();
    return std::numeric_limits<double>::quiet_NaN();
  }
  double estimated_fpr() const noexcept override {
    if constexpr (Filter<F>) return filter_.estimated_fpr();
    return std::numeric_limits<double>::quiet_NaN();
  }
  Status validate() const noexcept override { return filter_.validate(); }
  Status encode_into(std::span<std::byte> out) const noexcept override {
    return tamis::encode_into(filter_, out);
  }
  Status clear() noexcept override {
    if constexpr (MutableFilter<F>) {
      filter_.clear();
      return Status::kOk;
    }
    return Status::kUnsupported;
  }

 private:
  template <class KeyOrHash>
  std::int32_t insert(KeyOrHash key) noexcept {
    if constexpr (MutableFilter<F>) return to_int(filter_.insert(key));
    return negative(Status::kUnsupported);
  }

  F filter_;
};

}  // namespace tamis::bindings
