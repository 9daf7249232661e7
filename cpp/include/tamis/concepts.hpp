// tamis/concepts.hpp - the members that generic code (wire, bindings, tests, fuzz targets) needs of
// a type.
//
// A header under filters/ ends with a static_assert on the concepts that its type satisfies. It
// takes from here the headers that each of them needs: concepts, cstdint, span, tuple, utility, hash,
// status and wire. So do the bindings.
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

// Version 14 breaks every requirement that has noexcept in two.
// clang-format off
namespace tamis {
namespace detail {
class Subfilter;
}

// Every type owns its memory, is stored in the container, can be copied on request, and can be
// checked. Its const members may run concurrently, and others need exclusion. A moved-from object
// can only be assigned to or destroyed. Nothing else is undefined, unless the banner says so. The
// fields() of its Config are the options that are numbers, in the order in which JavaScript passes
// them. size_for() gives the expected size_bytes() of a structure of these options. It returns
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

// A set of keys that answers "certainly absent" or "probably present". If the hash id is not
// is_hash_once, may_contain(Hash) cannot tell, and returns true. may_contain(hashes, answers) sets
// answers[i] to 1 or 0, as may_contain(hashes[i]) would. It costs less than one call for each. fpr()
// is the designed rate at capacity, and estimated_fpr() the rate of what is in it.
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

// A type that is made empty, from options alone. create() fails as size_for() does, or returns
// kOutOfMemory.
template <class T>
concept Creatable = Structure<T> && requires(const typename T::Config& config) {
  { T::create(config) } noexcept -> std::same_as<Result<T>>;
};

// A filter that keys are added to. insert returns what !may_contain was before: true means that the
// key is certainly new. empty_copy() is a filter of the same geometry and hasher without keys, as a
// partner for merge().
template <class T>
concept MutableFilter = Filter<T> && Creatable<T> &&
    requires(T& filter, const T& other, Key key, Hash hash) {
  { filter.insert(key) } noexcept -> BoolOrResult;
  { filter.insert(hash) } noexcept -> BoolOrResult;
  { other.empty_copy() } noexcept -> std::same_as<Result<T>>;
  { filter.clear() } noexcept;
};

// A filter that keys are removed from. erase returns false if the key was certainly absent, and
// then nothing changed. The caller must not erase a key that is not in the filter: if it is
// probably present, the erase removes bits of other keys.
template <class T>
concept DeletableFilter = MutableFilter<T> &&
    requires(T& filter, Key key, Hash hash) {
  { filter.erase(key) } noexcept -> BoolOrResult;
  { filter.erase(hash) } noexcept -> BoolOrResult;
};

// A filter that is built once, from the hashes of all its keys (Hasher). Hashes may repeat. They
// are scratch: the build sorts and changes them. The same set of hashes gives the same structure,
// in any order. The build looks up every key again, so a structure that exists has no false
// negative. It returns kBuildFailed if no attempt of a fixed number succeeds. Such filters, and maps,
// have as count() and capacity() the number of distinct keys.
template <class T>
concept StaticFilter = Filter<T> && !MutableFilter<T> &&
                       requires(const typename T::Config& config, std::span<std::uint64_t> hashes) {
  { T::build(config, hashes) } noexcept -> std::same_as<Result<T>>;
};

// A structure that is built of two lists. The second list holds the hashes of other keys, or the
// values of the keys. The build returns kConflict if the lists contradict each other, and sets
// `conflicts` to the number of such keys.
template <class T, class Other>
concept BuiltOfTwo = Structure<T> &&
    requires(const typename T::Config& config, std::span<std::uint64_t> hashes,
             std::span<Other> others, std::uint64_t& conflicts) {
  { T::build(config, hashes, others, conflicts) } noexcept -> std::same_as<Result<T>>;
};

// A table of keys that all have one width. It can be subtracted. It is no filter, since it answers
// no questions about keys.
template <class T>
concept Sketch = Creatable<T> &&
    requires(T& sketch, const T& other, Key key) {
  { sketch.insert(key) } noexcept -> std::same_as<Status>;
  { sketch.erase(key) } noexcept -> std::same_as<Status>;
  { other.subtract(other) } noexcept -> std::same_as<Result<T>>;
};

// merge is the union in place. kIncompatible leaves the structure unchanged.
template <class T>
concept Mergeable = requires(T& structure, const T& other) {
  { structure.merge(other) } noexcept -> std::same_as<Status>;
};

template <class T>
concept Intersectable = requires(T& structure, const T& other) {
  { structure.intersect(other) } noexcept -> std::same_as<Status>;
};

// Members of Bloom filters that are for interop/ and the bindings alone.
struct Access {
  // A filter of these bits and numbers.
  template <class F, class... Given>
  [[nodiscard]] static F make(Given&&... given) noexcept {
    return F(std::forward<Given>(given)...);
  }
  // An empty filter of this number of blocks. Returns kOutOfMemory.
  template <class F>
  [[nodiscard]] static Result<F> of_blocks(std::uint64_t blocks, std::uint64_t capacity,
                                           const Hasher& hasher) noexcept {
    return F::of_blocks(blocks, capacity, hasher);
  }
  // The bits, for a caller that fills them in and gives the number of keys. validate() checks both.
  template <class F>
  [[nodiscard]] static auto words(F& filter) noexcept { return filter.words(); }
  template <class F>
  static void set_count(F& filter, std::uint64_t count) noexcept { filter.set_count(count); }
};

}  // namespace tamis
// clang-format on
