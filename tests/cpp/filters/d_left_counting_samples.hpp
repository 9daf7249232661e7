// Samples for the tests of d-left counting filters: keys with a given fingerprint, and filters.
#pragma once

#include <cstdint>

#include "support/samples.hpp"

namespace tamis::test {

inline Hash hash_of(std::uint64_t g) { return Hash{unfmix64(g)}; }

// A g with this fingerprint, for sub-tables of `buckets` buckets. `spare` fills unused bits.
inline std::uint64_t g_of(std::uint64_t bucket, std::uint64_t remainder,
                          const DLeftCountingFilter& filter, std::uint64_t spare = 0) {
  const std::uint64_t high = ((bucket << 32) + filter.buckets() - 1) / filter.buckets();
  return high << 32 | (spare << filter.remainder_bits() & 0xffffffff) | remainder;
}

// A filter with `buckets` buckets and remainders of `bits` bits, by its capacity and rate.
inline DLeftCountingFilter with_bits(std::uint64_t buckets, std::uint32_t bits) {
  const std::uint64_t capacity = 24 * buckets;
  DLeftCountingFilter filter = make_empty<DLeftCountingFilter>(
      capacity, Hasher(), sizing::d_left_fpr(buckets, bits, static_cast<double>(capacity)));
  EXPECT_EQ(filter.buckets(), buckets);
  EXPECT_EQ(filter.remainder_bits(), bits);
  return filter;
}

}  // namespace tamis::test
