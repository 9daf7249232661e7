// tamis/concepts.hpp - what the generic parts (wire, bindings, tests, fuzz targets) need of a type.
//
// A header under filters/ ends with a static_assert on the concepts that its type satisfies, and
// takes from here what every one of them names. That is cstdint, span, string_view, tuple, utility,
// hash and wire.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include <tamis/hash.hpp>
#include <tamis/status.hpp>
#include <tamis/wire.hpp>

// Version 14 breaks every requirement that has noexcept in two.
// clang-format off
namespace tamis {

// Every type: owns its memory, travels in the container, can be copied on request and checked. One
// that was moved from may only be assigned to or destroyed. The fields() of its Config are the
// options that are numbers, in the order in which JavaScript hands them over.
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

// A set of keys that answers "certainly absent" or "probably present". Where the hash id is not
// is_hash_once, may_contain(Hash) cannot tell and answers true. may_contain(hashes, answers) makes
// answers[i] 1 or 0 as may_contain(Hash{hashes[i]}) would, for less than one call each.
template <class T>
concept Filter = Structure<T> &&
    requires(const T& filter, Key key, std::string_view text, Hash hash,
             std::span<const std::uint64_t> hashes, std::uint8_t* answers) {
  { filter.may_contain(key) } noexcept -> std::same_as<bool>;
  { filter.may_contain(text) } noexcept -> std::same_as<bool>;
  { filter.may_contain(hash) } noexcept -> std::same_as<bool>;
  { filter.may_contain(hashes, answers) } noexcept -> std::same_as<void>;
  { filter.capacity() } noexcept -> std::same_as<std::uint64_t>;
  { filter.fpr() } noexcept -> std::same_as<double>;
  { filter.estimated_fpr() } noexcept -> std::same_as<double>;
};

// Made empty, from options alone.
template <class T>
concept Creatable = Structure<T> && requires(const typename T::Config& config) {
  { T::create(config) } noexcept -> std::same_as<Result<T>>;
};

// insert answers what !may_contain was before: true, the key is certainly new.
template <class T>
concept MutableFilter = Filter<T> && Creatable<T> &&
    requires(T& filter, const T& other, Key key, std::string_view text, Hash hash) {
  { filter.insert(key) } noexcept -> std::same_as<Result<bool>>;
  { filter.insert(text) } noexcept -> std::same_as<Result<bool>>;
  { filter.insert(hash) } noexcept -> std::same_as<Result<bool>>;
  { other.empty_copy() } noexcept -> std::same_as<Result<T>>;
  { filter.clear() } noexcept;
};

// erase answers false where the key was certainly absent, and then nothing changed. Erasing a key
// that is not in the filter and yet probably present takes other keys' traces away: the caller's
// duty.
template <class T>
concept DeletableFilter = MutableFilter<T> &&
    requires(T& filter, Key key, std::string_view text, Hash hash) {
  { filter.erase(key) } noexcept -> std::same_as<Result<bool>>;
  { filter.erase(text) } noexcept -> std::same_as<Result<bool>>;
  { filter.erase(hash) } noexcept -> std::same_as<Result<bool>>;
};

// Built once, from the hashes of all its keys (Hasher), repeats among them or not. The hashes are
// scratch: they are sorted and changed. The same set of hashes gives the same structure, in
// whatever order. Every key was looked up again: what exists has no false negative. kBuildFailed
// where no attempt of a fixed number succeeds.
template <class T>
concept StaticFilter = Filter<T> && !MutableFilter<T> &&
                       requires(const typename T::Config& config, std::span<std::uint64_t> hashes) {
  { T::build(config, hashes) } noexcept -> std::same_as<Result<T>>;
};

// The same from two lists, of which the second are other keys' hashes, or the keys' values.
// kConflict where they contradict one another, and `conflicts` says about how many keys.
template <class T, class Other>
concept BuiltOfTwo = Structure<T> &&
    requires(const typename T::Config& config, std::span<std::uint64_t> hashes,
             std::span<Other> others, std::uint64_t& conflicts) {
  { T::build(config, hashes, others, conflicts) } noexcept -> std::same_as<Result<T>>;
};

// Holds keys of one width, and can be subtracted: no filter, it answers no questions about keys.
template <class T>
concept Sketch = Creatable<T> &&
    requires(T& sketch, const T& other, Key key, std::string_view text) {
  { sketch.insert(key) } noexcept -> std::same_as<Status>;
  { sketch.insert(text) } noexcept -> std::same_as<Status>;
  { sketch.erase(key) } noexcept -> std::same_as<Status>;
  { sketch.erase(text) } noexcept -> std::same_as<Status>;
  { other.subtract(other) } noexcept -> std::same_as<Result<T>>;
};

// merge is the union in place; kIncompatible leaves the structure unchanged.
template <class T>
concept Mergeable = requires(T& structure, const T& other) {
  { structure.merge(other) } noexcept -> std::same_as<Status>;
};

template <class T>
concept Intersectable = requires(T& structure, const T& other) {
  { structure.intersect(other) } noexcept -> std::same_as<Status>;
};

}  // namespace tamis
// clang-format on
