// tamis/build.hpp - a filter of keys that are in hand, strings or bytes, in one call.
//
//   const std::vector<std::string> hosts = ...;
//   const auto filter = tamis::build<tamis::BinaryFuseFilter>(hosts, {.fpr = 0.001});
//   if (!filter.ok()) return filter.status();
//   filter->may_contain("ads.example");
//
// Keys are any range that can be gone through twice, such as a std::vector<std::string>, a
// std::span<const std::string_view>, or a list in braces. The same keys and options give the bytes
// that `from` gives in JavaScript. No function here throws or keeps a key; an exception of the range
// itself passes through.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <ranges>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <tamis/concepts.hpp>
#include <tamis/detail/buffer.hpp>
#include <tamis/detail/options.hpp>

namespace tamis {

// Whatever a std::string_view or a Key is made of.
template <class T>
concept KeyLike = std::convertible_to<T, std::string_view> || std::convertible_to<T, Key>;

template <class R>
concept KeyRange = std::ranges::forward_range<R> && KeyLike<std::ranges::range_reference_t<R>>;

// A key and its value: a std::pair, as those of a std::map.
template <class T>
concept EntryLike = std::tuple_size<std::remove_cvref_t<T>>::value == 2 &&
                    KeyLike<std::tuple_element_t<0, std::remove_cvref_t<T>>> &&
                    std::integral<std::tuple_element_t<1, std::remove_cvref_t<T>>>;

template <class R>
concept EntryRange = std::ranges::forward_range<R> && EntryLike<std::ranges::range_reference_t<R>>;

namespace detail {

// Keys that stand in braces.
using ListedKeys = std::initializer_list<std::string_view>;
using ListedEntries = std::initializer_list<std::pair<std::string_view, std::uint32_t>>;

// Calls act(key) for the bytes of what a string or a key is made of.
template <KeyLike T, class Act>
decltype(auto) with_key(const T& key, Act act) {
  if constexpr (std::convertible_to<const T&, std::string_view>) {
    return act(as_key(key));
  } else {
    return act(Key(key));
  }
}

template <class Range>
[[nodiscard]] std::uint64_t size_of(Range& range) {
  return static_cast<std::uint64_t>(std::ranges::distance(range));
}

// The hashes of all keys, in their order. kInvalidOption for a hasher that no filter has which is
// built once; kOutOfMemory.
template <KeyRange Keys>
[[nodiscard]] Result<Buffer<std::uint64_t>> hash_all(Keys& keys, const Hasher& hasher) {
  if (!is_hash_once(hasher)) return Status::kInvalidOption;
  TAMIS_TRY(hashes, Buffer<std::uint64_t>::zeroed(size_of(keys)));
  std::size_t i = 0;
  for (auto&& key : keys) {
    (*hashes)[i++] = static_cast<std::uint64_t>(with_key(key, hasher));
  }
  return hashes;
}

}  // namespace detail

// A filter that is built once. While it runs, each key takes 8 bytes for its hash, beside what
// F::build takes. Fails as F::build does.
template <StaticFilter F, KeyRange Keys = detail::ListedKeys>
[[nodiscard]] Result<F> build(Keys&& keys, const typename F::Config& config = {}) {
  TAMIS_TRY(hashes, detail::hash_all(keys, config.hasher));
  return F::build(config, hashes->span());
}

// A filter that takes more keys afterwards. A capacity of 0 stands for the number of these keys, or
// for 1 if there are none. Fails as F::create does, and as insert() does for the first key that is
// refused.
template <MutableFilter F, KeyRange Keys = detail::ListedKeys>
[[nodiscard]] Result<F> build(Keys&& keys, const typename F::Config& config = {}) {
  typename F::Config sized = config;
  bool has_geometry = config.capacity != 0;
  if constexpr (requires { config.bits; }) {
    has_geometry = has_geometry || config.bits != 0 || config.hashes != 0;
  }
  if (!has_geometry) sized.capacity = std::max(detail::size_of(keys), std::uint64_t{1});
  TAMIS_TRY(filter, F::create(sized));
  for (auto&& key : keys) {
    TAMIS_NEED(detail::with_key(key, [&](Key bytes) { return filter->insert(bytes).status(); }));
  }
  return filter;
}

// An ExactFilter: it has the included keys, and certainly none of the excluded ones. kConflict for a
// key that is in both lists; else it fails as F::build does.
template <class F, KeyRange Include = detail::ListedKeys, KeyRange Exclude = detail::ListedKeys>
  requires BuiltOfTwo<F, std::uint64_t>
[[nodiscard]] Result<F> build(Include&& include, Exclude&& exclude,
                              const typename F::Config& config = {}) {
  TAMIS_TRY(included, detail::hash_all(include, config.hasher));
  TAMIS_TRY(excluded, detail::hash_all(exclude, config.hasher));
  std::uint64_t conflicts = 0;
  return F::build(config, included->span(), excluded->span(), conflicts);
}

// A BloomierMap of keys and their values: of a std::map<std::string, std::uint32_t>, or of any other
// range of pairs. kInvalidOption for a value that needs more than value_bits; kConflict for a key
// with two values; else it fails as F::build does.
template <class F, EntryRange Entries = detail::ListedEntries>
  requires BuiltOfTwo<F, std::uint32_t>
[[nodiscard]] Result<F> build(Entries&& entries, const typename F::Config& config) {
  if (!detail::is_hash_once(config.hasher)) return Status::kInvalidOption;
  const std::uint64_t size = detail::size_of(entries);
  TAMIS_TRY(hashes, detail::Buffer<std::uint64_t>::zeroed(size));
  TAMIS_TRY(values, detail::Buffer<std::uint32_t>::zeroed(size));
  std::size_t i = 0;
  for (auto&& [key, value] : entries) {
    // A negative value comes to lie above every number of 32 bits.
    if (static_cast<std::uint64_t>(value) > std::numeric_limits<std::uint32_t>::max()) {
      return Status::kInvalidOption;
    }
    (*hashes)[i] = static_cast<std::uint64_t>(detail::with_key(key, config.hasher));
    (*values)[i++] = static_cast<std::uint32_t>(value);
  }
  std::uint64_t conflicts = 0;
  return F::build(config, hashes->span(), values->span(), conflicts);
}

}  // namespace tamis
