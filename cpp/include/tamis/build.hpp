// tamis/build.hpp - builds a filter in one call, from keys in memory of any type in key.hpp.
//
//   const std::vector<std::string> hosts = ...;
//   const auto filter = tamis::build<tamis::BinaryFuseFilter>(hosts, {.fpr = 0.001});
//   if (!filter.ok()) return filter.status();
//   filter->may_contain("ads.example");
//
// Keys are any range that can be read twice, such as a std::vector<std::string>, a std::span<const
// std::string_view>, or a list in braces. For the same keys and options, the filter's bytes equal
// those of `from` in JavaScript. No function here throws or keeps a key; an exception that the
// range itself throws passes through.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <ranges>
#include <type_traits>

#include <tamis/concepts.hpp>
#include <tamis/detail/buffer.hpp>
#include <tamis/detail/options.hpp>

namespace tamis {

// A range of keys that can be read twice.
template <class R>
concept KeyList = std::ranges::forward_range<R> && KeyRange<R>;

// A key and its value as a std::pair, such as an element of a std::map.
template <class T>
concept EntryLike = std::tuple_size<std::remove_cvref_t<T>>::value == 2 &&
                    KeyLike<std::tuple_element_t<0, std::remove_cvref_t<T>>> &&
                    std::integral<std::tuple_element_t<1, std::remove_cvref_t<T>>>;

template <class R>
concept EntryRange = std::ranges::forward_range<R> && EntryLike<std::ranges::range_reference_t<R>>;

namespace detail {

// The type of the keys in a list in braces.
struct ListedKey : std::string_view {
  template <KeyLike T>
    requires std::convertible_to<const T&, std::string_view>
  ListedKey(const T& text) : std::string_view(text) {}
};
using ListedKeys = std::initializer_list<ListedKey>;
using ListedEntries = std::initializer_list<std::pair<ListedKey, std::uint32_t>>;

// Stands in for std::ranges::distance, which the libc++ of Emscripten 3.1.6 lacks.
template <class Range>
[[nodiscard]] std::uint64_t size_of(Range& range) {
  std::uint64_t size = 0;
  for (auto at = std::ranges::begin(range); at != std::ranges::end(range); ++at) ++size;
  return size;
}

// The hashes of all keys, in order. Returns kInvalidOption for a hasher that static filters do not
// support, or kOutOfMemory.
template <KeyList Keys>
[[nodiscard]] Result<Buffer<std::uint64_t>> hash_all(Keys& keys, const Hasher& hasher) {
  if (!can_hash_once(hasher)) return Status::kInvalidOption;
  TAMIS_TRY(hashes, Buffer<std::uint64_t>::zeroed(size_of(keys)));
  std::size_t i = 0;
  for (auto&& key : keys) {
    (*hashes)[i++] = static_cast<std::uint64_t>(with_key(key, hasher));
  }
  return hashes;
}

// Inserts a key by the filter's scheme. Refuses a Hash, since a scheme needs the key's bytes.
template <class F>
[[nodiscard]] Status insert_by_scheme(F& filter, Key key) {
  return Result<bool>(filter.insert_by_scheme(key)).status();
}
template <class F>
[[nodiscard]] Status insert_by_scheme(F&, Hash) {
  return Status::kUnsupported;
}

}  // namespace detail

// Builds a static filter. During the build, the hashes take 8 bytes per key, in addition to the
// memory that F::build needs. Fails as F::build does.
template <StaticFilter F, KeyList Keys = detail::ListedKeys>
[[nodiscard]] Result<F> build(Keys&& keys, const typename F::Config& config = {}) {
  TAMIS_TRY(hashes, detail::hash_all(keys, config.hasher));
  return F::build(config, hashes->span());
}

// Builds a filter to which more keys can be added. If `config` sets no size, the filter has room
// for these keys, and for at least one. Fails as F::create does, or as insert() does for the first
// refused key.
template <MutableFilter F, KeyList Keys = detail::ListedKeys>
[[nodiscard]] Result<F> build(Keys&& keys, const typename F::Config& config = {}) {
  typename F::Config sized = config;
  bool has_geometry = config.capacity != 0;
  if constexpr (requires { config.bits; }) {
    has_geometry = has_geometry || config.bits != 0 || config.hashes != 0;
  }
  if (!has_geometry) sized.capacity = std::max(detail::size_of(keys), std::uint64_t{1});
  TAMIS_TRY(filter, F::create(sized));
  if constexpr (requires(F& made, Key key) { made.insert_by_scheme(key); }) {
    if (!is_hash_once(config.hasher.id())) {
      for (auto&& key : keys) {
        TAMIS_NEED(detail::with_key(
            key, [&](auto given) { return detail::insert_by_scheme(*filter, given); }));
      }
      return filter;
    }
  }
  const Result<std::uint64_t> fresh = filter->insert_range(keys);
  if (!fresh.ok()) return fresh.status();
  return filter;
}

// Builds an ExactFilter that contains the included keys and not the excluded ones. Returns
// kConflict if a key is in both lists. Otherwise it fails as F::build does.
template <class F, KeyList Include = detail::ListedKeys, KeyList Exclude = detail::ListedKeys>
  requires BuiltOfTwo<F, std::uint64_t>
[[nodiscard]] Result<F> build(Include&& include, Exclude&& exclude,
                              const typename F::Config& config = {}) {
  TAMIS_TRY(included, detail::hash_all(include, config.hasher));
  TAMIS_TRY(excluded, detail::hash_all(exclude, config.hasher));
  std::uint64_t conflicts = 0;
  return F::build(config, included->span(), excluded->span(), conflicts);
}

// Builds a BloomierMap from pairs of key and value: a std::map<std::string, std::uint32_t> or any
// other range of pairs. Returns kInvalidOption if a value needs more than value_bits, and kConflict
// if a key has two values. Otherwise it fails as F::build does.
template <class F, EntryRange Entries = detail::ListedEntries>
  requires BuiltOfTwo<F, std::uint32_t>
[[nodiscard]] Result<F> build(Entries&& entries, const typename F::Config& config) {
  if (!detail::can_hash_once(config.hasher)) return Status::kInvalidOption;
  const std::uint64_t size = detail::size_of(entries);
  TAMIS_TRY(hashes, detail::Buffer<std::uint64_t>::zeroed(size));
  TAMIS_TRY(values, detail::Buffer<std::uint32_t>::zeroed(size));
  std::size_t i = 0;
  for (auto&& [key, value] : entries) {
    // As unsigned, a negative value is larger than every 32-bit number.
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
