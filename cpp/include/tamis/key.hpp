// tamis/key.hpp - the types that can be keys, and the bytes of each.
//
//   text              any type that converts to std::string_view or std::u8string_view. It must be
//                     UTF-8. An array of char ends at its first zero
//   bytes             a span, a vector or an array of std::byte or std::uint8_t
//   an integer        8 bytes, little-endian, in two's complement, whatever its type: 7 and
//                     std::uint64_t{7} are the same key
//   int32_key(7)      4 bytes, little-endian
//   your own type     declare tamis_key(x) next to the type; it returns any of these
//   a Hash            the hash of a key
//
// In JavaScript, the same keys are the same text, the same bytes, key.int64(7n) and key.int32(7).
// An unsigned integer of 2^63 or more is BigInt.asIntN(64, x) there. Types whose bytes could be
// read in several ways do not compile: bool, characters and floating-point numbers.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>
#include <type_traits>

#include <tamis/detail/endian.hpp>
#include <tamis/hash.hpp>

namespace tamis {
namespace detail {

template <class T, class... Others>
concept AnyOf = (std::same_as<T, Others> || ...);

template <class T, class... Others>
concept ConvertsToAny = (std::convertible_to<const T&, Others> || ...);

template <class T>
concept IntegerKey = std::integral<T> && sizeof(T) <= 8 &&
                     !AnyOf<T, bool, char, wchar_t, char8_t, char16_t, char32_t>;

// A null pointer converts to a string_view, but is not a text.
template <class T>
concept PlainKey =
    IntegerKey<T> || std::same_as<T, Hash> ||
    (!std::same_as<T, std::nullptr_t> &&
     ConvertsToAny<T, Key, std::span<const std::uint8_t>, std::string_view, std::u8string_view>);

template <class T>
concept CustomKey =
    requires(const T& key) { requires PlainKey<std::remove_cvref_t<decltype(tamis_key(key))>>; };

template <class Integer>
[[nodiscard]] std::array<std::byte, sizeof(Integer)> bytes_of(Integer number) noexcept {
  std::array<std::byte, sizeof(Integer)> bytes;
  store<std::endian::little>(bytes.data(), number);
  return bytes;
}

}  // namespace detail

// A type of which every value can be a key.
template <class T>
concept KeyLike =
    detail::PlainKey<std::remove_cvref_t<T>> || detail::CustomKey<std::remove_cvref_t<T>>;

// A range of keys, or a std::initializer_list of them. It is read once.
template <class R>
concept KeyRange = requires(R& range) {
  requires KeyLike<decltype(*std::begin(range))>;
  std::end(range);
};

// The key for a 32-bit number.
[[nodiscard]] inline std::array<std::byte, 4> int32_key(std::int32_t number) noexcept {
  return detail::bytes_of(static_cast<std::uint32_t>(number));
}

namespace detail {

// Calls act with the bytes of the key (a Key). If the key already is a Hash, calls act with it.
template <KeyLike T, class Act>
decltype(auto) with_key(const T& key, Act&& act) {
  if constexpr (CustomKey<T>) {
    return with_key(tamis_key(key), act);
  } else if constexpr (std::same_as<T, Hash>) {
    return act(key);
  } else if constexpr (IntegerKey<T>) {
    const auto bytes = bytes_of(static_cast<std::uint64_t>(key));
    return act(Key(bytes));
  } else if constexpr (ConvertsToAny<T, Key>) {
    return act(static_cast<Key>(key));
  } else if constexpr (ConvertsToAny<T, std::span<const std::uint8_t>>) {
    return act(std::as_bytes(static_cast<std::span<const std::uint8_t>>(key)));
  } else if constexpr (std::is_bounded_array_v<T> && ConvertsToAny<T, std::string_view>) {
    const auto* end = std::find(std::begin(key), std::end(key), '\0');
    return act(as_key(std::string_view(key, static_cast<std::size_t>(end - key))));
  } else if constexpr (ConvertsToAny<T, std::string_view>) {
    return act(as_key(static_cast<std::string_view>(key)));
  } else {
    const std::u8string_view text = key;
    return act(Key(std::as_bytes(std::span(text.data(), text.size()))));
  }
}

}  // namespace detail
}  // namespace tamis
