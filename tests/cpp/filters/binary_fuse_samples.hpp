// Samples for the tests of binary fuse filters.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include <tamis/filters/binary_fuse.hpp>
#include "support/support.hpp"

namespace tamis::test {

using Hashes = std::vector<std::uint64_t>;

// Distinct hashes.
inline Hashes fuse_hashes(std::uint64_t size, std::uint64_t set = 0) {
  Hashes hashes;
  for (std::uint64_t i = 0; i < size; ++i) hashes.push_back(splitmix64((set << 40) + i));
  return hashes;
}

inline BinaryFuseFilter::Config fuse_config(std::uint32_t bits, std::uint32_t arity = 0,
                                            const Hasher& hasher = Hasher()) {
  return {.fingerprint_bits = bits, .arity = arity, .hasher = hasher};
}

// Builds the filter from a copy of the hashes, and looks up every key.
inline BinaryFuseFilter fuse(Hashes hashes, const BinaryFuseFilter::Config& config) {
  const Hashes keys = hashes;
  auto made = BinaryFuseFilter::build(config, hashes);
  EXPECT_TRUE(made.ok()) << code(made.status()) << ", " << keys.size() << " keys";
  std::uint64_t missing = 0;
  for (const std::uint64_t key : keys) missing += made->may_contain(Hash{key}) ? 0u : 1u;
  EXPECT_EQ(missing, 0u) << "of " << keys.size();
  return std::move(*made);
}

// The number of the attempt whose seed is in the header.
inline std::uint32_t attempt_of(const BinaryFuseFilter& filter, std::uint64_t seed = 0) {
  std::uint32_t attempt = 0;
  while (filter.hasher().seed() != (attempt == 0 ? seed : attempt_seed(seed, 0, attempt))) {
    if (++attempt == sizing::kFuseAttempts) break;
  }
  return attempt;
}

// The slots of a key by the formulas in FORMAT.md, with divisions instead of shifts and masks.
inline std::vector<std::uint64_t> places_of(std::uint64_t g, std::uint64_t segments,
                                            std::uint64_t length, std::uint32_t arity) {
  constexpr std::uint64_t k32 = std::uint64_t{1} << 32;
  const std::uint64_t spread = g * 0x9e3779b97f4a7c15;
  const std::uint64_t first = g / k32 * (segments * length) / k32;
  std::vector<std::uint64_t> places{first};
  for (std::uint32_t i = 1; i < arity; ++i) {
    const std::uint64_t field = spread / (std::uint64_t{1} << (64 - 18 * i)) % length;
    places.push_back((first + i * length) ^ field);
  }
  return places;
}

// All slots, read as FORMAT.md describes them.
inline std::vector<std::uint32_t> slots_of(const BinaryFuseFilter& filter) {
  const auto count = static_cast<std::size_t>(filter.shape().slots(filter.arity()));
  const Bytes bytes = wire_bytes(filter);
  return unpack_fields(std::span(bytes).subspan(kHeaderBytes + 8), count,
                       filter.fingerprint_bits());
}

}  // namespace tamis::test
