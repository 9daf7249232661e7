// tamis/sizing/cuckoo.hpp - the rate of cuckoo filters, and how many buckets hold `capacity` keys.
//
// By Hall's theorem, m buckets of b slots hold n keys unless some s buckets are the only home of
// more than b s keys. The sizes here leave a probability of one in a million for that, for any n, b
// and f.
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

// The designed rate, 1 - (1 - 1/(2^f - 1))^(2 b load), for the number of fingerprints that are
// compared (Fan, Andersen, Kaminsky and Mitzenmacher 2014). It is slightly above the mean rate.
[[nodiscard]] constexpr double cuckoo_fpr(double load, std::uint32_t bucket_size,
                                          std::uint32_t bits) noexcept {
  const double share = 1 / static_cast<double>(cuckoo_fingerprints(bits));
  return one_minus_exp(-2.0 * bucket_size * load * ln_one_minus(share));
}

// The mean rate with this number of keys. A key is in one of N = (2^f - 1) m / 2 classes, by its
// fingerprint and its pair of buckets. The class of an absent key holds a key with the probability
// 1 - (1 - 1/N)^n.
[[nodiscard]] constexpr double cuckoo_mean_fpr(double buckets, std::uint32_t bits,
                                               double keys) noexcept {
  const double share = 2 / (buckets * static_cast<double>(cuckoo_fingerprints(bits)));
  return one_minus_exp(-keys * ln_one_minus(share));
}

// True if `capacity` keys fit into this number of buckets, except for one seed in a million.
//
// In a table with much room, a pair of buckets that is the home of 2 b + 1 keys stops an insert.
// There are P pairs of equal probability, and the mean number of such pairs is C(n, 2 b + 1) / P^(2
// b). Let h = m / 2 and F = 2^f - 1. Then `P = h (h F / (h + F))` is low enough for the pairs of
// CuckooPlaces (summed exactly for f <= 16 and m <= 2^22). Larger sets of buckets add less than the
// same again, hence 0.5e-6. That was found by the union bound over all sets up to m = 256, and by
// simulation. At b = 1 all add up to 1 / (1 - 2 load)^3.
//
// In a full table, the threshold stops an insert: the share `most` of all slots, less `slack`.
// most: the probability that the search visits v buckets or more falls as e^(-v / w). With the w
// that was measured at m = 2^20 to 2^23, one search in about 10^15 would end at 1,024.
//
// slack: tables of m = 16 to 4,096 were filled 10^4 to 2 * 10^6 times. The number of keys at the
// first refusal was recorded down to one filling in a million.
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

// The least even number of buckets that holds the keys, or 0 if kMaxCuckooBuckets are too few.
[[nodiscard]] constexpr std::uint64_t cuckoo_buckets(std::uint64_t capacity,
                                                     std::uint32_t bucket_size,
                                                     std::uint32_t bits) noexcept {
  std::uint64_t most = kMaxCuckooBuckets / 2;
  if (!cuckoo_holds(2 * most, bucket_size, bits, capacity)) return 0;
  std::uint64_t least = 0;  // too few
  while (most - least > 1) {
    const std::uint64_t middle = least + (most - least) / 2;
    (cuckoo_holds(2 * middle, bucket_size, bits, capacity) ? most : least) = middle;
  }
  return 2 * most;
}

struct CuckooSize {
  std::uint64_t buckets;           // 0: more than kMaxCuckooBuckets
  std::uint32_t fingerprint_bits;  // 0: the rate needs more than kMaxCuckooBits
};

// The fewest bits in all that keep the rate. If several are equal, it is the shortest fingerprint.
// Usually that is the shortest that keeps the rate. But few fingerprints make few pairs of buckets,
// and then a wider one may need less room.
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
