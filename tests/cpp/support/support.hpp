// Helpers for the native tests: bytes, hex, vector files, makers of keys, heap copies of exact
// size, and the exact binomial tail.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tamis/detail/endian.hpp>
#include <tamis/hash.hpp>
#include <tamis/wire.hpp>
#include "support/container.hpp"

namespace tamis::test {

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// True unless a call for a key failed. A call that cannot fail returns a bool.
inline bool is_ok(const Result<bool>& result) { return result.ok(); }

// The bytes 00 01 02 .. up to this length, each modulo `period`.
inline Bytes counting_bytes(std::size_t length, std::size_t period = 256) {
  Bytes bytes(length);
  for (std::size_t i = 0; i < length; ++i) {
    bytes[i] = static_cast<std::byte>(i % period);
  }
  return bytes;
}

inline std::string hex(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<std::size_t>(byte >> 4)];
    text += kDigits[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return text;
}

inline Bytes from_hex(std::string_view text) {
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

// Packs fields of `width` bits bit by bit, from the least significant bit of the first byte on,
// into whole words (FORMAT.md).
inline Bytes pack_fields(const std::vector<std::uint32_t>& fields, std::size_t width) {
  Bytes bytes((fields.size() * width + 63) / 64 * 8);
  for (std::size_t bit = 0; bit < fields.size() * width; ++bit) {
    const std::uint32_t value = fields[bit / width] >> (bit % width) & 1;
    bytes[bit / 8] |= static_cast<std::byte>(value << (bit % 8));
  }
  return bytes;
}
inline std::vector<std::uint32_t> unpack_fields(std::span<const std::byte> bytes, std::size_t count,
                                                std::size_t width) {
  std::vector<std::uint32_t> fields(count);
  for (std::size_t bit = 0; bit < count * width; ++bit) {
    const auto value = std::to_integer<std::uint32_t>(bytes[bit / 8] >> (bit % 8)) & 1u;
    fields[bit / width] |= value << (bit % width);
  }
  return fields;
}

// The lines of tests/vectors/`name`, without comments (#) and empty lines.
inline std::vector<std::string> vector_lines(const std::string& name) {
  std::ifstream file(std::string(TAMIS_VECTORS_DIR "/") + name);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#') {
      lines.push_back(line);
    }
  }
  return lines;
}

// Kinds of keys. Keys with another set or another number are different keys.
enum class KeyFamily { kRandom, kIntegers, kUrls, kHighBytes };
inline constexpr KeyFamily kKeyFamilies[] = {KeyFamily::kRandom, KeyFamily::kIntegers,
                                             KeyFamily::kUrls, KeyFamily::kHighBytes};

inline Bytes make_key(KeyFamily family, std::uint8_t set, std::uint64_t number) {
  Bytes key;
  const auto put_u64 = [&key](std::uint64_t value) {
    key.resize(key.size() + 8);
    set64(key, key.size() - 8, value);
  };
  switch (family) {
    case KeyFamily::kRandom:
      put_u64(fmix64(2 * number));
      put_u64(fmix64(2 * number + 1));
      key.push_back(std::byte{set});
      break;
    case KeyFamily::kIntegers:
      put_u64(std::uint64_t{set} << 32 | number);
      break;
    case KeyFamily::kUrls: {
      const std::string text = "https://www.example.com/shop/" + std::to_string(set) +
                               "/articles/item.html?id=" + std::to_string(number);
      key.assign(bytes_of(text).begin(), bytes_of(text).end());
      break;
    }
    case KeyFamily::kHighBytes:
      // 7 bits in each byte, whose eighth bit is set.
      for (std::uint64_t rest = number << 8 | set; key.empty() || rest != 0; rest >>= 7) {
        key.push_back(static_cast<std::byte>(0x80 | (rest & 0x7f)));
      }
      break;
  }
  return key;
}

// The processor time of `act`, because other programs may run: the least of three runs.
template <class Act>
std::clock_t time_of(Act act) {
  std::clock_t least = std::numeric_limits<std::clock_t>::max();
  for (int i = 0; i < 3; ++i) {
    const std::clock_t start = std::clock();
    act();
    least = std::min(least, std::clock() - start);
  }
  return least;
}

// ln P(X = x) for X ~ Bin(n, p) with 0 < p < 1.
inline double ln_binomial(std::uint64_t n, double p, std::uint64_t x) {
  const auto ln_factorial = [](std::uint64_t i) { return std::lgamma(static_cast<double>(i) + 1); };
  return ln_factorial(n) - ln_factorial(x) - ln_factorial(n - x) +
         static_cast<double>(x) * std::log(p) + static_cast<double>(n - x) * std::log1p(-p);
}

// P(X >= x) for X ~ Bin(n, p) with 0 < p < 1, as the exact sum of the terms.
inline double binomial_upper_tail(std::uint64_t n, double p, std::uint64_t x) {
  if (x == 0) return 1;
  double tail = 0;
  for (std::uint64_t i = x; i <= n; ++i) {
    const double term = std::exp(ln_binomial(n, p, i));
    tail += term;
    // Above the mean the terms decrease, so the rest is below the precision.
    if (static_cast<double>(i) > p * static_cast<double>(n) && term <= tail * 1e-17) break;
  }
  return std::fmin(tail, 1);
}

inline double binomial_lower_tail(std::uint64_t n, double p, std::uint64_t x) {
  return binomial_upper_tail(n, 1 - p, n - x);
}

// The probability that a test of a rate fails by chance, on each side.
inline constexpr double kAlpha = 1e-9;

// True if `hits` of `trials` is plausible at the rate `p`. Too few hits are as wrong as too many.
inline bool is_plausible(std::uint64_t hits, std::uint64_t trials, double p) {
  if (p <= 0 || p >= 1) return hits == (p <= 0 ? 0 : trials);
  return binomial_upper_tail(trials, p, hits) >= kAlpha &&
         binomial_lower_tail(trials, p, hits) >= kAlpha;
}

}  // namespace tamis::test
