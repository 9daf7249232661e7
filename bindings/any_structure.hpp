// bindings/any_structure.hpp - the one virtual interface.
//
// Adapter<F> makes an AnyStructure of any structure of the core. What the structure cannot do
// answers -kUnsupported, and a figure that it does not have is NaN. Statuses cross the border as
// negative numbers.
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

#include "border.def"

namespace tamis::bindings {

// What JavaScript knows a structure by: a whole number below 2^52, so that a double holds it.
using Handle = double;

[[nodiscard]] constexpr std::int32_t negative(Status status) noexcept {
  return -static_cast<std::int32_t>(status);
}

#define TAMIS_ENUMERATOR(name) name,
enum class Figure : std::uint32_t { TAMIS_FIGURES(TAMIS_ENUMERATOR) };
enum class KeyOperation : std::uint32_t { TAMIS_KEY_OPERATIONS(TAMIS_ENUMERATOR) };
enum class BitOperation : std::uint32_t { TAMIS_BIT_OPERATIONS(TAMIS_ENUMERATOR) };
#undef TAMIS_ENUMERATOR

class AnyStructure {
 public:
  AnyStructure() noexcept;
  AnyStructure(const AnyStructure&) = delete;
  AnyStructure& operator=(const AnyStructure&) = delete;
  virtual ~AnyStructure();

  // Allocation that may be refused: a new-expression then gives nullptr.
  static void* operator new(std::size_t size) noexcept { return std::malloc(size); }
  static void operator delete(void* object) noexcept { std::free(object); }

  // What hashes a key, where its hash says all. Else nullptr, and the members below want the key
  // itself.
  [[nodiscard]] const Hasher* hasher() const noexcept { return hasher_; }

  // 0 where the table of handles had no room.
  [[nodiscard]] Handle handle() const noexcept { return handle_; }

  virtual std::int32_t add(Key key) noexcept = 0;
  virtual std::int32_t add(Hash hash) noexcept = 0;
  virtual std::int32_t has(Key key) const noexcept = 0;
  virtual std::int32_t has(Hash hash) const noexcept = 0;
  // Fills in has() for each; only where there is a hasher(). 0, or a negative status.
  virtual std::int32_t has_many(std::span<const std::uint64_t> hashes,
                                std::uint8_t* answers) const noexcept = 0;
  // The same of a map, with the keys' values.
  virtual std::int32_t get_many(std::span<const std::uint64_t> hashes, std::uint8_t* answers,
                                std::uint32_t* values) const noexcept = 0;
  virtual std::int32_t key_operation(KeyOperation operation, Key key) noexcept = 0;
  virtual std::int32_t key_operation(KeyOperation operation, Hash hash) noexcept = 0;
  virtual std::int32_t bit(BitOperation operation, std::uint64_t index) noexcept = 0;
  virtual std::int32_t print(std::uint64_t from, std::span<char> out) const noexcept = 0;

  [[nodiscard]] virtual Header header() const noexcept = 0;
  [[nodiscard]] virtual double figure(Figure figure) const noexcept = 0;
  [[nodiscard]] virtual Status validate() const noexcept = 0;
  virtual void write(ByteWriter& out) const noexcept = 0;
  [[nodiscard]] virtual Status clear() noexcept = 0;
  // New objects, which the caller owns.
  [[nodiscard]] virtual Result<AnyStructure*> clone() const noexcept = 0;
  [[nodiscard]] virtual Result<AnyStructure*> empty_copy() const noexcept = 0;
  // kIncompatible where `other` is of another type.
  [[nodiscard]] virtual Status merge(const AnyStructure& other) noexcept = 0;
  [[nodiscard]] virtual Status intersect(const AnyStructure& other) noexcept = 0;

 protected:
  void set_hasher(const Hasher& hasher) noexcept { hasher_ = &hasher; }

 private:
  const Hasher* hasher_ = nullptr;
  Handle handle_ = 0;
};

// A figure of a structure of the core; NaN where it has none of that name.
template <class F>
[[nodiscard]] double figure_of(const F& structure, Figure figure) noexcept {
  switch (figure) {
#define TAMIS_FIGURE(member)                          \
  case Figure::member:                                \
    if constexpr (requires { structure.member(); })   \
      return static_cast<double>(structure.member()); \
    break;
    TAMIS_FIGURES(TAMIS_FIGURE)
#undef TAMIS_FIGURE
  }
  return std::numeric_limits<double>::quiet_NaN();
}

template <class F>
class Adapter;

// Puts a structure of the core on the heap, with a handle.
template <class F>
[[nodiscard]] Result<AnyStructure*> adopt(Result<F>&& result) noexcept {
  if (!result.ok()) return result.status();
  AnyStructure* object = new Adapter<F>(std::move(*result));
  if (object != nullptr && object->handle() != 0) return object;
  delete object;
  return Status::kOutOfMemory;
}

template <class F>
class Adapter final : public AnyStructure {
 public:
  explicit Adapter(F&& structure) noexcept : structure_(std::move(structure)) {
    if constexpr (Filter<F>) {
      if (is_hash_once(structure_.hasher().id())) set_hasher(structure_.hasher());
    }
  }

  [[nodiscard]] F& structure() noexcept { return structure_; }
  [[nodiscard]] const F& structure() const noexcept { return structure_; }

  std::int32_t add(Key key) noexcept override { return insert(key); }
  std::int32_t add(Hash hash) noexcept override { return insert(hash); }
  std::int32_t has(Key key) const noexcept override { return may_contain(key); }
  std::int32_t has(Hash hash) const noexcept override { return may_contain(hash); }
  std::int32_t has_many(std::span<const std::uint64_t> hashes,
                        std::uint8_t* answers) const noexcept override {
    if constexpr (Filter<F>) {
      structure_.may_contain(hashes, answers);
      return 0;
    }
    return negative(Status::kUnsupported);
  }
  std::int32_t get_many(std::span<const std::uint64_t> hashes, std::uint8_t* answers,
                        std::uint32_t* values) const noexcept override {
    if constexpr (requires { structure_.get(hashes, answers, values); }) {
      structure_.get(hashes, answers, values);
      return 0;
    }
    return negative(Status::kUnsupported);
  }
  std::int32_t key_operation(KeyOperation operation, Key key) noexcept override {
    return operate(operation, key);
  }
  std::int32_t key_operation(KeyOperation operation, Hash hash) noexcept override {
    return operate(operation, hash);
  }
  std::int32_t bit(BitOperation operation, std::uint64_t index) noexcept override {
    if constexpr (requires { structure_.counter_at(index); }) {
      if (operation == BitOperation::kCounter) return to_int(structure_.counter_at(index));
    }
    if constexpr (requires { structure_.is_locked(index); }) {
      if (operation == BitOperation::kIsLocked) return to_int(structure_.is_locked(index));
    }
    if constexpr (requires { structure_.test(index); }) {
      if (operation == BitOperation::kTest) return to_int(structure_.test(index));
    }
    if constexpr (requires { structure_.toggle(index); }) {
      switch (operation) {
        default:
          break;
        case BitOperation::kSet:
          return to_int(structure_.set(index));
        case BitOperation::kClear:
          return to_int(structure_.clear(index));
        case BitOperation::kToggle:
          return to_int(structure_.toggle(index));
      }
    }
    return negative(Status::kUnsupported);
  }
  std::int32_t print(std::uint64_t from, std::span<char> out) const noexcept override {
    if constexpr (requires { structure_.print(from, out); })
      return negative(structure_.print(from, out));
    return negative(Status::kUnsupported);
  }

  Header header() const noexcept override { return structure_.header(); }
  double figure(Figure figure) const noexcept override { return figure_of(structure_, figure); }
  Status validate() const noexcept override { return structure_.validate(); }
  void write(ByteWriter& out) const noexcept override { structure_.write(out); }
  Status clear() noexcept override {
    if constexpr (requires { structure_.clear(); }) {
      structure_.clear();
      return Status::kOk;
    }
    return Status::kUnsupported;
  }
  Result<AnyStructure*> clone() const noexcept override { return adopt(structure_.clone()); }
  Result<AnyStructure*> empty_copy() const noexcept override {
    if constexpr (requires { structure_.empty_copy(); }) return adopt(structure_.empty_copy());
    return Status::kUnsupported;
  }
  Status merge(const AnyStructure& other) noexcept override {
    if constexpr (Mergeable<F>) {
      const F* like = find_like(other);
      return like == nullptr ? Status::kIncompatible : structure_.merge(*like);
    }
    return Status::kUnsupported;
  }
  Status intersect(const AnyStructure& other) noexcept override {
    if constexpr (Intersectable<F>) {
      const F* like = find_like(other);
      return like == nullptr ? Status::kIncompatible : structure_.intersect(*like);
    }
    return Status::kUnsupported;
  }

 private:
  [[nodiscard]] static const F* find_like(const AnyStructure& other) noexcept {
    if (other.header().type != F::kType) return nullptr;
    return &static_cast<const Adapter&>(other).structure_;
  }
  [[nodiscard]] static std::int32_t to_int(Status status) noexcept { return negative(status); }
  template <class Value>
  [[nodiscard]] static std::int32_t to_int(const Result<Value>& result) noexcept {
    return result.ok() ? static_cast<std::int32_t>(*result) : negative(result.status());
  }

  // A key itself is only asked about where its hash does not say all: the code for it is made only
  // there.
  template <class KeyOrHash>
  static constexpr bool kTakes = std::same_as<KeyOrHash, Hash> ? Filter<F> : Sketch<F>;

  template <class KeyOrHash>
  std::int32_t insert(KeyOrHash key) noexcept {
    if constexpr (requires { structure_.insert_by_scheme(key); }) {
      return to_int(structure_.insert_by_scheme(key));
    } else if constexpr (kTakes<KeyOrHash> && MutableFilter<F>) {
      return to_int(structure_.insert(key));
    }
    return negative(Status::kUnsupported);
  }
  template <class KeyOrHash>
  std::int32_t may_contain(KeyOrHash key) const noexcept {
    if constexpr (requires { structure_.may_contain_by_scheme(key); }) {
      return structure_.may_contain_by_scheme(key) ? 1 : 0;
    } else if constexpr (kTakes<KeyOrHash> && requires { structure_.may_contain(key); }) {
      return structure_.may_contain(key) ? 1 : 0;
    }
    return negative(Status::kUnsupported);
  }
  template <class KeyOrHash>
  std::int32_t operate(KeyOperation operation, KeyOrHash key) noexcept {
    if constexpr (kTakes<KeyOrHash> && requires { structure_.erase(key); }) {
      if (operation == KeyOperation::kErase) return to_int(structure_.erase(key));
    }
    if constexpr (kTakes<KeyOrHash> && Sketch<F>) {
      if (operation == KeyOperation::kAdd) return to_int(structure_.insert(key));
    }
    if constexpr (kTakes<KeyOrHash> && requires { structure_.count_of(key); }) {
      if (operation == KeyOperation::kCountOf)
        return static_cast<std::int32_t>(structure_.count_of(key));
    }
    if constexpr (kTakes<KeyOrHash> && requires { structure_.is_deletable(key); }) {
      if (operation == KeyOperation::kIsDeletable) return structure_.is_deletable(key) ? 1 : 0;
    }
    if constexpr (kTakes<KeyOrHash> && requires { structure_.insert_if_absent(key); }) {
      if (operation == KeyOperation::kAddIfAbsent) return to_int(structure_.insert_if_absent(key));
    }
    return negative(Status::kUnsupported);
  }

  F structure_;
};

}  // namespace tamis::bindings
