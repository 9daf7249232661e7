// Samples for the tests of cuckoo filters.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "support/samples.hpp"

namespace tamis::test {

inline constexpr std::uint32_t kBucketSizes[] = {1, 2, 4, 8};

inline CuckooFilter cuckoo(std::uint64_t capacity, std::uint32_t bits,
                           std::uint32_t bucket_size = 4, const Hasher& hasher = Hasher()) {
  auto made = CuckooFilter::create({.capacity = capacity,
                                    .fingerprint_bits = bits,
                                    .bucket_size = bucket_size,
                                    .hasher = hasher});
  EXPECT_TRUE(made.ok()) << code(made.status());
  return std::move(*made);
}

// All slots, read as FORMAT.md describes them.
inline std::vector<std::uint32_t> slots_of(const CuckooFilter& filter) {
  const Bytes bytes = wire_bytes(filter);
  return unpack_fields(std::span(bytes).subspan(kHeaderBytes + 16),
                       std::size_t{filter.buckets()} * filter.bucket_size(),
                       filter.fingerprint_bits());
}

// A key's fingerprint and buckets by the formulas in FORMAT.md, with divisions instead of shifts.
struct Place {
  std::uint64_t fingerprint, first, second;
};
inline Place place_of(std::uint64_t g, std::uint64_t m, std::uint32_t f) {
  constexpr std::uint64_t k32 = std::uint64_t{1} << 32;
  const std::uint64_t fingerprint = 1 + (g % k32) * ((std::uint64_t{1} << f) - 1) / k32;
  const std::uint64_t product = fingerprint * 0x94d049bb133111eb;
  const std::uint64_t noise = (product ^ product / k32) * 0xc4ceb9fe1a85ec53 / k32;
  const std::uint64_t spread = fingerprint * (k32 >> f) + noise / (std::uint64_t{1} << f);
  const std::uint64_t sum = 2 * (spread * (m / 2) / k32) + 1;
  const std::uint64_t first = g / k32 * m / k32;
  return {fingerprint, first, (sum + m - first) % m};
}

}  // namespace tamis::test
