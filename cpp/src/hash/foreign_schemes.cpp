#include <tamis/detail/modulus.hpp>
#include <tamis/hash/foreign_hash.hpp>
#include <tamis/hash/foreign_schemes.hpp>

namespace tamis::detail {
namespace {

// How a scheme changes x = a + i b, as 64 bits, before the remainder by the number of bits is
// taken: x is shifted up; if `flips` is set and the highest bit is then 1, all bits are flipped;
// last, x is shifted down.
struct Fold {
  unsigned up = 0;
  unsigned down = 0;
  bool flips = false;

  [[nodiscard]] constexpr std::uint64_t operator()(std::uint64_t x) const noexcept {
    const std::uint64_t raised = x << up;
    const std::uint64_t is_high = raised >> 63 & std::uint64_t{flips};
    return (raised ^ (0 - is_high)) >> down;
  }
};
constexpr Fold kHalve{.down = 1};
constexpr Fold kDropSign{.up = 1, .down = 1};
// Gives ~x if x is negative as a signed number: with all 64 bits, or with only the low 32.
constexpr Fold kFlipSign{.flips = true};
constexpr Fold kFlipSign32{.up = 32, .down = 32, .flips = true};

// Double hashing (Kirsch and Mitzenmacher): position i is fold(a + i b) mod bits, and the first i
// is `first`.
template <HashPair (*hash)(Key, std::uint64_t) noexcept, Fold fold, std::uint64_t first>
bool hash_doubly(const PositionRequest& request) noexcept {
  const Modulus modulus(request.bits);
  const HashPair pair = hash(request.key, request.seed);
  std::uint64_t sum = pair.low + first * pair.high;
  for (std::size_t i = 0; i < request.out.size(); ++i) {
    const std::uint64_t x = fold(sum);
    if (!request.put(i, fold.down == 32 ? modulus.of_narrow(x) : modulus(x))) return false;
    sum += pair.high;
  }
  return true;
}

HashPair hash_guava(Key key, std::uint64_t) noexcept { return murmur3_x64_128(key, 0); }

// Uses only the first half of the hash: its low and high 32 bits.
HashPair hash_guava32(Key key, std::uint64_t) noexcept {
  const std::uint64_t low = murmur3_x64_128(key, 0).low;
  return {low, low >> 32};
}

struct SparkHashes {
  std::uint32_t first, second;
};

[[gnu::always_inline]] inline SparkHashes hash_spark(Key key, std::uint64_t seed) noexcept {
  const std::uint32_t first = spark_murmur3(key, static_cast<std::uint32_t>(seed));
  return {first, spark_murmur3(key, first)};
}

HashPair hash_spark_v1(Key key, std::uint64_t) noexcept {
  const auto [first, second] = hash_spark(key, 0);
  return {first, second};
}

constexpr std::uint64_t extend_sign(std::uint32_t x) noexcept {
  return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(x)});
}

HashPair hash_spark_v2(Key key, std::uint64_t seed) noexcept {
  const auto [first, second] = hash_spark(key, seed);
  return {extend_sign(first) * 0x7fffffff, extend_sign(second)};
}

bool is_narrow(std::uint64_t seed, std::uint64_t, std::uint32_t) noexcept {
  return seed >> 32 == 0;
}

HashPair hash_redisbloom(Key key, std::uint64_t) noexcept {
  const std::uint64_t first = murmur64a(key, 0xc6a4a7935bd1e995);
  return {first, murmur64a(key, first)};
}

HashPair hash_datasketches(Key key, std::uint64_t seed) noexcept {
  const std::uint64_t first = xxh64(key, seed);
  return {first, xxh64(key, first)};
}

// Computes h[i mod 2] + i h[2 + ((i + i mod 2) mod 4) / 2] from four hashes: h[0] and h[1] of the
// key, h[2] and h[3] of the key with one more byte.
bool find_go_positions(const PositionRequest& request) noexcept {
  const Modulus modulus(request.bits);
  const auto [plain, longer] = murmur3_x64_128_longer(request.key);
  for (std::size_t i = 0; i < request.out.size(); ++i) {
    const std::uint64_t start = i % 2 == 0 ? plain.low : plain.high;
    const std::uint64_t step = (i + i % 2) % 4 == 0 ? longer.low : longer.high;
    if (!request.put(i, modulus(start + std::uint64_t{i} * step))) return false;
  }
  return true;
}

// Enhanced double hashing (Dillinger and Manolios) of two 32-bit hashes: a + i b + (i^3 - i) / 6.
bool find_npm_bloom_filters_positions(const PositionRequest& request) noexcept {
  const Modulus modulus(request.bits);
  std::uint64_t sum =
      static_cast<std::uint32_t>(xxh64(request.key, static_cast<std::uint32_t>(request.seed + 1)));
  std::uint64_t step =
      static_cast<std::uint32_t>(xxh64(request.key, static_cast<std::uint32_t>(request.seed + 2)));
  for (std::size_t i = 0; i < request.out.size(); ++i) {
    if (!request.put(i, modulus(sum))) return false;
    sum += step;
    step += i + 1;
  }
  return true;
}

// The same formula with remainders: the step grows by 1, 2, 3, ... modulo the number of bits.
bool find_npm_bloomfilter_positions(const PositionRequest& request) noexcept {
  const std::uint64_t bits = request.bits;
  const Modulus modulus(bits);
  // The remainder of a signed 32-bit number, made non-negative: for -1 - x it is bits - 1 minus the
  // remainder of x.
  const auto remainder = [&](std::uint64_t x) {
    const std::uint64_t is_negative = x >> 31 & 1;
    const std::uint64_t flipped = (x ^ (0 - is_negative)) & 0xffffffff;
    const std::uint64_t rest = modulus.of_narrow(flipped);
    return is_negative != 0 ? bits - 1 - rest : rest;
  };
  const std::uint64_t hash = fnv1a_64_utf16(request.key);
  std::uint64_t sum = remainder(hash >> 32);
  std::uint64_t step = remainder(hash);
  for (std::size_t i = 0; i < request.out.size(); ++i) {
    if (!request.put(i, sum)) return false;
    sum += step;
    if (sum >= bits) sum -= bits;
    for (step += i + 1; step >= bits;) step -= bits;
  }
  return true;
}

// The empty key is never in a DataSketches filter.
bool find_datasketches_positions(const PositionRequest& request) noexcept {
  return !request.key.empty() && hash_doubly<hash_datasketches, kHalve, 1>(request);
}

constexpr std::uint8_t kWholeWords = 63;

}  // namespace

constexpr BloomScheme kGuava{.find_positions = hash_doubly<hash_guava, kDropSign, 0>,
                             .step_mask = kWholeWords};
constexpr BloomScheme kGuava32{.find_positions = hash_doubly<hash_guava32, kFlipSign32, 1>,
                               .step_mask = kWholeWords};
constexpr BloomScheme kSparkV1{.find_positions = hash_doubly<hash_spark_v1, kFlipSign32, 1>,
                               .step_mask = kWholeWords};
constexpr BloomScheme kSparkV2{.find_positions = hash_doubly<hash_spark_v2, kFlipSign, 1>,
                               .is_allowed = is_narrow,
                               .step_mask = kWholeWords};
constexpr BloomScheme kGo{.find_positions = find_go_positions};
// In new dumps, the bits fill whole words. Old dumps may have other numbers of bits.
constexpr BloomScheme kRedisBloom{.find_positions = hash_doubly<hash_redisbloom, Fold{}, 0>,
                                  .sizing_mask = kWholeWords};
constexpr BloomScheme kDataSketches{.find_positions = find_datasketches_positions,
                                    .step_mask = kWholeWords};
constexpr BloomScheme kNpmBloomFilters{.find_positions = find_npm_bloom_filters_positions};
constexpr BloomScheme kNpmBloomfilter{.find_positions = find_npm_bloomfilter_positions};

std::uint64_t hash_parquet(Key key) noexcept { return xxh64(key, 0); }

}  // namespace tamis::detail
