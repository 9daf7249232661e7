// tamis/sizing/cuckoo.hpp - the rate of cuckoo filters, and how many buckets `capacity` keys need.
//
// By Hall's theorem, n keys fit into m buckets of b slots unless there are s buckets that contain
// both buckets of more than b s keys. Here, one seed in a million gives such buckets.
//
//   n   keys       m   buckets, even       b   slots of a bucket       f   bits of a fingerprint
#pragma once

#include <cstdint>

#include <tamis/sizing/math.hpp>

namespace tamis::sizing {

inline constexpr std::uint32_t kMinCuckooBits = 4;
inline constexpr std::uint32_t kMaxCuckooBits = 32;
inline constexpr std::uint64_t kMaxCuckooBuckets = 0xfffffffe;

[[nodiscard]] constexpr std::uint64_t cuckoo_fingerprints(std::uint32_t bits) noexcept {
  return (std::uint64_t{1} << bits) - 1;
}

// The designed rate, 1 - (1 - 1/(2^f - 1))^(2 b load), from the number of compared fingerprints
// (Fan, Andersen, Kaminsky and Mitzenmacher 2014). It is slightly above the mean rate.
[[nodiscard]] constexpr double cuckoo_fpr(double load, std::uint32_t bucket_size,
                                          std::uint32_t bits) noexcept {
  const double share = 1 / static_cast<double>(cuckoo_fingerprints(bits));
  return one_minus_exp(-2.0 * bucket_size * load * ln_one_minus(share));
}

// The mean rate with this number of keys. The fingerprint and the pair of buckets put a key in one
// of N = (2^f - 1) m / 2 classes. An absent key is reported if one of n keys is in its class, which
// has the probability 1 - (1 - 1/N)^n.
[[nodiscard]] constexpr double cuckoo_mean_fpr(double buckets, std::uint32_t bits,
                                               double keys) noexcept {
  const double share = 2 / (buckets * static_cast<double>(cuckoo_fingerprints(bits)));
  return one_minus_exp(-keys * ln_one_minus(share));
}

// True if `capacity` keys fit into this number of buckets, except for one seed in a million.
//
// In a table with much free room, an insert fails only if 2 b + 1 keys share the same pair of
// buckets. With P equally likely pairs, the mean number of such sets of keys is C(n, 2 b + 1) /
// P^(2 b). Let h = m / 2 and F = 2^f - 1. Then `P = h (h F / (h + F))` is low enough for the pairs
// of CuckooPlaces (summed exactly for f <= 16 and m <= 2^22). Larger sets of buckets at most double
// that mean, so its limit is 0.5e-6. We found this by the union bound over all sets up to m = 256,
// and by simulation. At b = 1, they raise the mean by the factor 1 / (1 - 2 load)^3.
//
// In a nearly full table, the limit is the share `most` of all slots, minus `slack`. For `most`:
// the probability that a search visits v buckets or more falls as e^(-v / w). With the w that was
// measured at m = 2^20 to 2^23, one search in about 10^15 would reach its end at 1,024 buckets.
//
// For `slack`: tables of m = 16 to 4,096 were filled 10^4 to 2 * 10^6 times until the first insert
// failed. The numbers of keys at that point were recorded, down to one filling in a million.
[[nodiscard]] constexpr bool cuckoo_holds(std::uint64_t buckets, std::uint32_t bucket_size,
                                          std::uint32_t bits, std::uint64_t capacity) noexcept {
  if (capacity <= 2 * bucket_size) return true;
  const std::uint64_t slots = buckets * bucket_size;
  if (capacity > slots) return false;
  const double most = bucket_size == 1   ? 0.48
                      : bucket_size == 2 ? 0.84
                      : bucket_size == 4 ? 0.945
                                         : 0.975;
  const double slack = bucket_size == 1 ? 0 : bucket_size == 2 ? 48 : bucket_size == 4 ? 20 : 12;
  const double keys = static_cast<double>(capacity);
  const double load = keys / static_cast<double>(slots);
  const bool is_sparse = bucket_size > 1 && load <= 0.5;
  if (!is_sparse && keys > most * (static_cast<double>(slots) - slack)) return false;
  const double fingerprints = static_cast<double>(cuckoo_fingerprints(bits));
  const double half = static_cast<double>(buckets / 2);
  const double pairs = half * (fingerprints * half / (fingerprints + half));
  double sets = 1;
  for (std::uint32_t i = 0; i <= 2 * bucket_size; ++i) sets *= (keys - i) / (i + 1);
  const double crowding = bucket_size == 1 ? power(1 - 2 * load, 3) : 1;
  return sets <= 0.5e-6 * crowding * power(pairs, 2 * bucket_size);
}

// The least even number of buckets for the keys, or 0 if it is above kMaxCuckooBuckets.
[[nodiscard]] constexpr std::uint64_t cuckoo_buckets(std::uint64_t capacity,
                                                     std::uint32_t bucket_size,
                                                     std::uint32_t bits) noexcept {
  std::uint64_t most = kMaxCuckooBuckets / 2;
  if (!cuckoo_holds(2 * most, bucket_size, bits, capacity)) return 0;
  std::uint64_t least = 0;  // known to be too few
  while (most - least > 1) {
    const std::uint64_t middle = least + (most - least) / 2;
    (cuckoo_holds(2 * middle, bucket_size, bits, capacity) ? most : least) = middle;
  }
  return 2 * most;
}

struct CuckooSize {
  std::uint64_t buckets;           // 0 if it would be more than kMaxCuckooBuckets
  std::uint32_t fingerprint_bits;  // 0 if it would be more than kMaxCuckooBits
};

// The size with the fewest bits in total that keeps the rate. Usually it has the shortest
// fingerprint that keeps the rate. But short fingerprints make few pairs of buckets, so a longer
// one may need fewer buckets. Of equal sizes, the one with the shortest fingerprint is returned.
[[nodiscard]] constexpr CuckooSize cuckoo_size(std::uint64_t capacity, double fpr,
                                               std::uint32_t bucket_size) noexcept {
  CuckooSize best{0, 0};
  for (std::uint32_t bits = kMinCuckooBits; bits <= kMaxCuckooBits; ++bits) {
    const std::uint64_t buckets = cuckoo_buckets(capacity, bucket_size, bits);
    const double slots = static_cast<double>(buckets * bucket_size);
    const double load = buckets == 0 ? 1 : static_cast<double>(capacity) / slots;
    if (cuckoo_fpr(load, bucket_size, bits) > fpr) continue;
    const bool is_less = buckets != 0 && buckets * bits < best.buckets * best.fingerprint_bits;
    if (best.buckets == 0 || is_less) best = {buckets, bits};
  }
  return best;
}

}  // namespace tamis::sizing
