// The traits of each type, and its members that the concepts of the core do not require, for the
// typed tests and the fuzz targets.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <tuple>

#include <tamis/registry.hpp>
#include "support/container.hpp"

namespace tamis::test {

// Differences between types that no concept expresses.
enum Traits : std::uint32_t {
  kCopies = 1,      // a key that is added twice is stored twice
  kLocks = 2,       // a repeated add locks regions
  kTombstones = 4,  // deleted keys may hide others
  kBounded = 8,     // an insert over capacity may be refused with kFull
};

constexpr std::uint32_t traits_of(FilterType type) {
  switch (type) {
    default:
      return 0;
    case FilterType::kCountingBloomFilter:
      return kCopies;
    case FilterType::kTombstoneBloomFilter:
      return kTombstones;
    case FilterType::kDeletableBloomFilter:
      return kLocks;
    case FilterType::kDLeftCountingFilter:
    case FilterType::kCuckooFilter:
      return kCopies | kBounded;
  }
}

template <class F>
constexpr bool has_trait(std::uint32_t trait) {
  return (traits_of(F::kType) & trait) != 0;
}

template <class F>
constexpr Hashing hashing_of() {
  return info_of(F::kType).hashing;
}

// A type that adds room in insert(), so that its capacity is not a limit.
template <class F>
concept Growing = requires(const F& filter) { filter.layers(); };

// A type that can forget its oldest keys.
template <class F>
concept Rotating = MutableFilter<F> && requires(F& filter) {
  filter.rotate();
  filter.generations();
};

// True if insert() may return kFull.
template <class F>
inline constexpr bool kMayRefuse = has_trait<F>(kBounded) || Growing<F>;

// A type that counts the copies of a key.
template <class F>
concept Counted = requires(const F& filter, Key key) { filter.count_of(key); };

// The largest result of count_of(). A key with this count cannot be erased any more.
template <Counted F>
std::uint32_t stuck_at(const F& filter) {
  if constexpr (requires { filter.counter_bits(); }) {
    return (std::uint32_t{1} << filter.counter_bits()) - 1;
  } else {
    return 3;
  }
}

// The SipHash key of keyed structures and of the golden files: 00 01 .. 0f.
inline SipKey sip_key(std::uint8_t first = 0) {
  SipKey key;
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::byte>(first + i);
  return key;
}

// The key that decode() needs for this hash id, or for these bytes.
inline const SipKey* key_for(HashId id) {
  static const SipKey key = sip_key();
  return id == HashId::kSipHash ? &key : nullptr;
}
inline const SipKey* key_for(std::span<const std::byte> bytes) {
  if (bytes.size() <= kHashAt) return nullptr;
  return key_for(HashId{std::to_integer<std::uint8_t>(bytes[kHashAt])});
}

// The fields() of a Config as the inside of a JSON object, with their names in JavaScript. Fields
// that equal those of `unsaid` are left out.
template <class Config>
std::string json_of(const Config& config, const Config& unsaid) {
  std::string json;
  std::size_t fields = 0;
  [[maybe_unused]] const auto put = [&](const char* name, double value, double unsaid_value) {
    ++fields;
    if (value == unsaid_value) return;
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.17g", value);
    json += (json.empty() ? "\"" : ",\"") + std::string(name) + "\":" + digits;
  };
#define TAMIS_FIELD(name, member)                                                      \
  if constexpr (requires { config.member; }) {                                         \
    put(name, static_cast<double>(config.member), static_cast<double>(unsaid.member)); \
  }
  TAMIS_FIELD("capacity", capacity)
  TAMIS_FIELD("excluded", excluded)
  TAMIS_FIELD("fpr", fpr)
  TAMIS_FIELD("bits", bits)
  TAMIS_FIELD("hashes", hashes)
  TAMIS_FIELD("counterBits", counter_bits)
  TAMIS_FIELD("deletions", deletions)
  TAMIS_FIELD("regions", regions)
  TAMIS_FIELD("growth", growth)
  TAMIS_FIELD("tightening", tightening)
  TAMIS_FIELD("generations", generations)
  TAMIS_FIELD("periodMs", period_ms)
  TAMIS_FIELD("fingerprintBits", fingerprint_bits)
  TAMIS_FIELD("bucketSize", bucket_size)
  TAMIS_FIELD("arity", arity)
  TAMIS_FIELD("valueBits", value_bits)
  TAMIS_FIELD("checkBits", check_bits)
#undef TAMIS_FIELD
  MUST(fields == std::tuple_size_v<decltype(Config().fields())>);
  return json;
}

// Changes the options that only some types have. `draw(n)` returns a number below n.
template <class Config, class Draw>
void vary_options(Config& config, Draw draw) {
  if constexpr (requires { config.counter_bits; }) config.counter_bits = 2 + draw(15);
  if constexpr (requires { config.deletions; }) config.deletions = 1 + draw(2 * config.capacity);
  if constexpr (requires { config.growth; }) config.growth = 1 + draw(4);
  if constexpr (requires { config.tightening; }) config.tightening = draw(2) == 0 ? 0.5 : 0.9375;
  if constexpr (requires { config.generations; }) config.generations = 2 + draw(4);
  if constexpr (requires { config.period_ms; }) config.period_ms = draw(2) * 1'000;
  if constexpr (requires { config.regions; }) config.regions = 1 + draw(config.capacity);
  if constexpr (requires { config.bucket_size; }) {
    config.bucket_size = 8u >> draw(4);
  } else if constexpr (requires { config.fingerprint_bits; }) {
    config.fingerprint_bits = 1 + draw(32);
  }
  if constexpr (requires { config.arity; }) config.arity = draw(2) == 0 ? 3 : 4;
  if constexpr (requires { config.value_bits; }) config.value_bits = 1 + draw(32);
  if constexpr (requires { config.check_bits; }) config.check_bits = draw(33);
}

}  // namespace tamis::test
