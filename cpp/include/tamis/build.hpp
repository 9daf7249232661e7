// tamis/build.hpp - builds a filter of keys in memory, strings or bytes, in one call.
//
//   const std::vector<std::string> hosts = ...;
//   const auto filter = tamis::build<tamis::BinaryFuseFilter>(hosts, {.fpr = 0.001});
//   if (!filter.ok()) return filter.status();
//   filter->may_contain("ads.example");
//
// Keys are any range that can be read twice, such as a std::vector<std::string>, a
// std::span<const std::string_view>, or a list in braces. With the same keys and options, the bytes
// equal those of `from` in JavaScript. No function here throws or keeps a key. An exception of the
// range itself passes through.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <ranges>
#include <type_traits>

#include <tamis/concepts.hpp>
#include <tamis/detail/buffer.hpp>
#include <tamis/detail/options.hpp>

namespace tamis {

// A type that converts to std::string_view or to Key.
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

// The type of keys in braces.
using ListedKeys = std::initializer_list<std::string_view>;
using ListedEntries = std::initializer_list<std::pair<std::string_view, std::uint32_t>>;

// Calls act(key) with the bytes of a string or a key.
template <KeyLike T, class Act>
decltype(auto) with_key(const T& key, Act act) {
  if constexpr (std::convertible_to<const T&, std::string_view>) {
    return act(as_key(key));
  } else {
    return act(Key(key));
  }
}

// std::ranges::distance, which the libc++ of Emscripten 3.1.6 does not have.
template <class Range>
[[nodiscard]] std::uint64_t size_of(Range& range) {
  std::uint64_t size = 0;
  for (auto at = std::ranges::begin(range); at != std::ranges::end(range); ++at) ++size;
  return size;
}

// The hashes of all keys, in order. Returns kInvalidOption for a hasher that static filters do not
// have, or kOutOfMemory.
template <KeyRange Keys>
[[nodiscard]] Result<Buffer<std::uint64_t>> hash_all(Keys& keys, const Hasher& hasher) {
  if (!can_hash_once(hasher)) return Status::kInvalidOption;
  TAMIS_TRY(hashes, Buffer<std::uint64_t>::zeroed(size_of(keys)));
  std::size_t i = 0;
  for (auto&& key : keys) {
    (*hashes)[i++] = static_cast<std::uint64_t>(with_key(key, hasher));
  }
  return hashes;
}

// A type that inserts many hashes in less time.
template <class F>
concept BulkInserter = requires(F& filter, std::span<const Hash> hashes) {
  { filter.insert(hashes) } noexcept -> std::same_as<Result<std::uint64_t>>;
};

template <BulkInserter F, KeyRange Keys>
[[nodiscard]] Status insert_hashes(F& filter, Keys& keys) {
  std::array<Hash, 256> hashes;
  std::size_t size = 0;
  for (auto&& key : keys) {
    hashes[size++] = with_key(key, filter.hasher());
    if (size < hashes.size()) continue;
    TAMIS_NEED(filter.insert(std::span<const Hash>(hashes)).status());
    size = 0;
  }
  return filter.insert(std::span<const Hash>(hashes).first(size)).status();
}

}  // namespace detail

// Builds a static filter. The build takes 8 bytes per key for the hashes, beside the memory of
// F::build. Fails as F::build does.
template <StaticFilter F, KeyRange Keys = detail::ListedKeys>
[[nodiscard]] Result<F> build(Keys&& keys, const typename F::Config& config = {}) {
  TAMIS_TRY(hashes, detail::hash_all(keys, config.hasher));
  return F::build(config, hashes->span());
}

// Builds a filter to which more keys can be added. A capacity of 0 stands for the number of these
// keys, or for 1 if there are none. Fails as F::create does, and as insert() does for the first key
// that it refuses.
template <MutableFilter F, KeyRange Keys = detail::ListedKeys>
[[nodiscard]] Result<F> build(Keys&& keys, const typename F::Config& config = {}) {
  typename F::Config sized = config;
  bool has_geometry = config.capacity != 0;
  if constexpr (requires { config.bits; }) {
    has_geometry = has_geometry || config.bits != 0 || config.hashes != 0;
  }
  if (!has_geometry) sized.capacity = std::max(detail::size_of(keys), std::uint64_t{1});
  TAMIS_TRY(filter, F::create(sized));
  if constexpr (detail::BulkInserter<F>) {
    if (is_hash_once(config.hasher.id())) {
      TAMIS_NEED(detail::insert_hashes(*filter, keys));
      return filter;
    }
  }
  for (auto&& key : keys) {
    TAMIS_NEED(detail::with_key(key, [&](Key bytes) { return filter->insert(bytes).status(); }));
  }
  return filter;
}

// Builds an ExactFilter of the included keys, which is false for the excluded ones. Returns kConflict
// if a key is in both lists. Otherwise it fails as F::build does.
template <class F, KeyRange Include = detail::ListedKeys, KeyRange Exclude = detail::ListedKeys>
  requires BuiltOfTwo<F, std::uint64_t>
[[nodiscard]] Result<F> build(Include&& include, Exclude&& exclude,
                              const typename F::Config& config = {}) {
  TAMIS_TRY(included, detail::hash_all(include, config.hasher));
  TAMIS_TRY(excluded, detail::hash_all(exclude, config.hasher));
  std::uint64_t conflicts = 0;
  return F::build(config, included->span(), excluded->span(), conflicts);
}

// Builds a BloomierMap of keys and values, from a std::map<std::string, std::uint32_t> or any other
// range of pairs. Returns kInvalidOption if a value needs more than value_bits, and kConflict if a
// key has two values. Otherwise it fails as F::build does.
template <class F, EntryRange Entries = detail::ListedEntries>
  requires BuiltOfTwo<F, std::uint32_t>
[[nodiscard]] Result<F> build(Entries&& entries, const typename F::Config& config) {
  if (!detail::can_hash_once(config.hasher)) return Status::kInvalidOption;
  const std::uint64_t size = detail::size_of(entries);
  TAMIS_TRY(hashes, detail::Buffer<std::uint64_t>::zeroed(size));
  TAMIS_TRY(values, detail::Buffer<std::uint32_t>::zeroed(size));
  std::size_t i = 0;
  for (auto&& [key, value] : entries) {
    // A negative value becomes larger than every number of 32 bits.
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
