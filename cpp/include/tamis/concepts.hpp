// tamis/concepts.hpp - the members of a type that generic code needs (wire, bindings, tests).
//
// A header under filters/ ends with a static_assert on the concepts that its type satisfies. Such
// headers and the bindings get hash, status, wire and standard headers through this file.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>

#include <tamis/hash.hpp>
#include <tamis/keyed.hpp>
#include <tamis/status.hpp>
#include <tamis/wire.hpp>

// clang-format 14 breaks every requirement that has noexcept into two lines.
// clang-format off
namespace tamis {
namespace detail {
class Subfilter;
}

// The base of every type. It owns its memory, can be written to the container, cloned and
// validated. Const members may run concurrently; other members need a lock. A moved-from object can
// only be assigned to or destroyed. Nothing else is undefined, unless the banner of a type says so.
// Config::fields() lists the numeric options in the order in which JavaScript passes them.
// size_for() gives the expected size_bytes() of a structure with these options; it returns
// kInvalidOption or kTooLarge.
template <class T>
concept Structure = std::movable<T> && !std::copyable<T> &&
                    requires(const T& structure, Container& container, ByteWriter& out,
                             const typename T::Config& config, typename T::Config& options) {
  { options.fields() } noexcept;
  { T::kType } -> std::convertible_to<FilterType>;
  { T::size_for(config) } noexcept -> std::same_as<Result<std::uint64_t>>;
  { T::read(container) } noexcept -> std::same_as<Result<T>>;
  { structure.header() } noexcept -> std::same_as<Header>;
  { structure.write(out) } noexcept;
  { structure.hasher() } noexcept -> std::same_as<const Hasher&>;
  { structure.count() } noexcept -> std::same_as<std::uint64_t>;
  { structure.size_bytes() } noexcept -> std::same_as<std::uint64_t>;
  { structure.clone() } noexcept -> std::same_as<Result<T>>;
  { structure.validate() } noexcept -> std::same_as<Status>;
};

// A set of keys that answers "certainly absent" or "probably present". Unless is_hash_once(id),
// may_contain(Hash) cannot decide, so it returns true. may_contain(hashes, answers) sets answers[i]
// to may_contain(hashes[i]), as 1 or 0, in less time than one call for each. fpr() is the designed
// rate at capacity; estimated_fpr() is the rate of the present contents.
template <class T>
concept Filter = Structure<T> &&
    requires(const T& filter, Key key, Hash hash,
             std::span<const Hash> hashes, std::uint8_t* answers) {
  { filter.may_contain(key) } noexcept -> std::same_as<bool>;
  { filter.may_contain(hash) } noexcept -> std::same_as<bool>;
  { filter.may_contain(hashes, answers) } noexcept -> std::same_as<void>;
  { filter.capacity() } noexcept -> std::same_as<std::uint64_t>;
  { filter.fpr() } noexcept -> std::same_as<double>;
  { filter.estimated_fpr() } noexcept -> std::same_as<double>;
};

// A type whose objects are created empty, from options alone. create() fails like size_for(), or
// with kOutOfMemory.
template <class T>
concept Creatable = Structure<T> && requires(const typename T::Config& config) {
  { T::create(config) } noexcept -> std::same_as<Result<T>>;
};

// A filter to which keys can be added. insert returns true if the key was certainly absent before.
// empty_copy() has no keys, and the same geometry and hasher, as a partner for merge().
template <class T>
concept MutableFilter = Filter<T> && Creatable<T> &&
    requires(T& filter, const T& other, Key key, Hash hash) {
  { filter.insert(key) } noexcept -> BoolOrResult;
  { filter.insert(hash) } noexcept -> BoolOrResult;
  { other.empty_copy() } noexcept -> std::same_as<Result<T>>;
  { filter.clear() } noexcept;
};

// A filter from which keys can be removed. If the key is certainly absent, erase returns false and
// changes nothing. Callers must erase only keys that they inserted: erasing a false positive
// removes bits of other keys.
template <class T>
concept DeletableFilter = MutableFilter<T> &&
    requires(T& filter, Key key, Hash hash) {
  { filter.erase(key) } noexcept -> BoolOrResult;
  { filter.erase(hash) } noexcept -> BoolOrResult;
};

// A filter that is built once, from the hashes of all its keys (see Hasher). Hashes may repeat. The
// build sorts and changes the caller's array. The same set of hashes gives the same structure,
// whatever their order. The build looks up every key again, so a finished structure has no false
// negative. After a fixed number of failed attempts the build returns kBuildFailed. For static
// filters and maps, count() and capacity() are both the number of distinct keys.
template <class T>
concept StaticFilter = Filter<T> && !MutableFilter<T> &&
                       requires(const typename T::Config& config, std::span<std::uint64_t> hashes) {
  { T::build(config, hashes) } noexcept -> std::same_as<Result<T>>;
};

// A structure that is built from two lists. The first list contains the hashes of its keys. The
// second contains the hashes of other keys, or the values of the keys. If the lists contradict each
// other, the build returns kConflict and sets `conflicts` to the number of keys concerned.
template <class T, class Other>
concept BuiltOfTwo = Structure<T> &&
    requires(const typename T::Config& config, std::span<std::uint64_t> hashes,
             std::span<Other> others, std::uint64_t& conflicts) {
  { T::build(config, hashes, others, conflicts) } noexcept -> std::same_as<Result<T>>;
};

// A table that can be subtracted from another; all keys have one width. It is no filter, because it
// cannot be asked about single keys.
template <class T>
concept Sketch = Creatable<T> &&
    requires(T& sketch, const T& other, Key key) {
  { sketch.insert(key) } noexcept -> std::same_as<Status>;
  { sketch.erase(key) } noexcept -> std::same_as<Status>;
  { other.subtract(other) } noexcept -> std::same_as<Result<T>>;
};

// merge adds the other's keys to the structure. If it returns kIncompatible, nothing changed.
template <class T>
concept Mergeable = requires(T& structure, const T& other) {
  { structure.merge(other) } noexcept -> std::same_as<Status>;
};

template <class T>
concept Intersectable = requires(T& structure, const T& other) {
  { structure.intersect(other) } noexcept -> std::same_as<Status>;
};

// Gives interop/ and the bindings access to private members of Bloom filters.
struct Access {
  // Constructs a filter from its bits and numbers.
  template <class F, class... Given>
  [[nodiscard]] static F make(Given&&... given) noexcept {
    return F(std::forward<Given>(given)...);
  }
  // An empty filter with this number of blocks. Returns kOutOfMemory.
  template <class F>
  [[nodiscard]] static Result<F> of_blocks(std::uint64_t blocks, std::uint64_t capacity,
                                           const Hasher& hasher) noexcept {
    return F::of_blocks(blocks, capacity, hasher);
  }
  // The bits, for a caller that fills them in and then calls set_count(). validate() checks both.
  template <class F>
  [[nodiscard]] static auto words(F& filter) noexcept { return filter.words(); }
  template <class F>
  static void set_count(F& filter, std::uint64_t count) noexcept { filter.set_count(count); }
};

}  // namespace tamis
// clang-format on
