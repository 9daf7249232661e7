#include <tamis/hash/foreign_hash.hpp>

#include <bit>

#include <tamis/detail/endian.hpp>
#include <tamis/hash.hpp>

namespace tamis::detail {
namespace {

// The constants m and r of MurmurHash64A.
constexpr std::uint64_t kMurmur64Multiplier = 0xc6a4a7935bd1e995;
constexpr unsigned kMurmur64Shift = 47;

// One round of MurmurHash3_x86_32.
constexpr std::uint32_t spark_mix(std::uint32_t hash, std::uint32_t word) noexcept {
  hash ^= std::rotl(word * 0xcc9e2d51, 15) * 0x1b873593;
  return std::rotl(hash, 13) * 5 + 0xe6546b64;
}

// The five primes of XXH64.
constexpr std::uint64_t kXxh1 = 0x9e3779b185ebca87, kXxh2 = 0xc2b2ae3d27d4eb4f,
                        kXxh3 = 0x165667b19e3779f9, kXxh4 = 0x85ebca77c2b2ae63,
                        kXxh5 = 0x27d4eb2f165667c5;

constexpr std::uint64_t xxh64_round(std::uint64_t lane, std::uint64_t word) noexcept {
  return std::rotl(lane + word * kXxh2, 31) * kXxh1;
}

// The constants c1 and c2 of MurmurHash3_x64_128.
constexpr std::uint64_t kMurmur3First = 0x87c37b91114253d5;
constexpr std::uint64_t kMurmur3Second = 0x4cf5ad432745937f;

constexpr std::uint64_t murmur3_low(std::uint64_t word) noexcept {
  return std::rotl(word * kMurmur3First, 31) * kMurmur3Second;
}

constexpr std::uint64_t murmur3_high(std::uint64_t word) noexcept {
  return std::rotl(word * kMurmur3Second, 33) * kMurmur3First;
}

// Not inlined, because one key calls it twice.
[[gnu::noinline]] HashPair murmur3_finish(std::uint64_t low, std::uint64_t high) noexcept {
  low += high;
  high += low;
  low = fmix64(low);
  high = fmix64(high);
  low += high;
  return {low, high + low};
}

// MurmurHash3_x64_128: the state after the whole blocks of a key, and the remaining bytes.
// Everything is inlined, so that the state stays in registers.
class Murmur3 {
 public:
  [[gnu::always_inline]] Murmur3(std::span<const std::byte> bytes, std::uint32_t seed) noexcept
      : low_(seed), high_(seed), size_(bytes.size()) {
    std::span<const std::byte> rest = bytes;
    for (; rest.size() >= 16; rest = rest.subspan(16)) {
      add(load_le64(rest.data()), load_le64(rest.data() + 8));
    }
    const bool has_low = rest.size() >= 8;
    if (has_low) {
      rest_low_ = load_le64(rest.data());
      rest = rest.subspan(8);
    }
    (has_low ? rest_high_ : rest_low_) = load_end(bytes, rest.size());
  }

  // The state as if the byte 1 followed the key.
  [[nodiscard, gnu::always_inline]] Murmur3 longer() const noexcept {
    Murmur3 longer = *this;
    const std::size_t rest = longer.size_++ % 16;
    (rest < 8 ? longer.rest_low_ : longer.rest_high_) |= std::uint64_t{1} << (8 * (rest % 8));
    if (rest == 15) {
      longer.add(longer.rest_low_, longer.rest_high_);
      longer.rest_low_ = longer.rest_high_ = 0;
    }
    return longer;
  }

  // An empty half of the remaining bytes mixes to 0, which changes nothing.
  [[nodiscard, gnu::always_inline]] HashPair finish() const noexcept {
    return murmur3_finish(low_ ^ murmur3_low(rest_low_) ^ size_,
                          high_ ^ murmur3_high(rest_high_) ^ size_);
  }

 private:
  [[gnu::always_inline]] void add(std::uint64_t low, std::uint64_t high) noexcept {
    low_ ^= murmur3_low(low);
    low_ = (std::rotl(low_, 27) + high_) * 5 + 0x52dce729;
    high_ ^= murmur3_high(high);
    high_ = (std::rotl(high_, 31) + low_) * 5 + 0x38495ab5;
  }

  std::uint64_t low_, high_, size_;
  // The remaining bytes, up to 15.
  std::uint64_t rest_low_ = 0, rest_high_ = 0;
};

}  // namespace

HashPair murmur3_x64_128(std::span<const std::byte> bytes, std::uint32_t seed) noexcept {
  return Murmur3(bytes, seed).finish();
}

LongerHash murmur3_x64_128_longer(std::span<const std::byte> bytes) noexcept {
  const Murmur3 plain(bytes, 0);
  return {plain.finish(), plain.longer().finish()};
}

std::uint64_t murmur64a(std::span<const std::byte> bytes, std::uint64_t seed) noexcept {
  std::uint64_t hash = seed ^ bytes.size() * kMurmur64Multiplier;
  std::span<const std::byte> rest = bytes;
  for (; rest.size() >= 8; rest = rest.subspan(8)) {
    std::uint64_t word = load_le64(rest.data()) * kMurmur64Multiplier;
    word ^= word >> kMurmur64Shift;
    hash = (hash ^ word * kMurmur64Multiplier) * kMurmur64Multiplier;
  }
  if (!rest.empty()) hash = (hash ^ load_end(bytes, rest.size())) * kMurmur64Multiplier;
  hash ^= hash >> kMurmur64Shift;
  hash *= kMurmur64Multiplier;
  return hash ^ hash >> kMurmur64Shift;
}

std::uint64_t xxh64(std::span<const std::byte> bytes, std::uint64_t seed) noexcept {
  std::span<const std::byte> rest = bytes;
  std::uint64_t hash = seed + kXxh5;
  if (rest.size() >= 32) {
    // Four variables instead of an array, which would be in memory.
    std::uint64_t a = seed + kXxh1 + kXxh2, b = seed + kXxh2, c = seed, d = seed - kXxh1;
    for (; rest.size() >= 32; rest = rest.subspan(32)) {
      a = xxh64_round(a, load_le64(rest.data()));
      b = xxh64_round(b, load_le64(rest.data() + 8));
      c = xxh64_round(c, load_le64(rest.data() + 16));
      d = xxh64_round(d, load_le64(rest.data() + 24));
    }
    hash = std::rotl(a, 1) + std::rotl(b, 7) + std::rotl(c, 12) + std::rotl(d, 18);
    for (const std::uint64_t lane : {a, b, c, d}) {
      hash = (hash ^ xxh64_round(0, lane)) * kXxh1 + kXxh4;
    }
  }
  hash += bytes.size();
  for (; rest.size() >= 8; rest = rest.subspan(8)) {
    hash = std::rotl(hash ^ xxh64_round(0, load_le64(rest.data())), 27) * kXxh1 + kXxh4;
  }
  if (rest.size() >= 4) {
    hash = std::rotl(hash ^ load_le32(rest.data()) * kXxh1, 23) * kXxh2 + kXxh3;
    rest = rest.subspan(4);
  }
  for (const std::byte byte : rest) {
    hash = std::rotl(hash ^ std::to_integer<std::uint64_t>(byte) * kXxh5, 11) * kXxh1;
  }
  hash = (hash ^ hash >> 33) * kXxh2;
  hash = (hash ^ hash >> 29) * kXxh3;
  return hash ^ hash >> 32;
}

std::uint32_t spark_murmur3(std::span<const std::byte> bytes, std::uint32_t seed) noexcept {
  std::uint32_t hash = seed;
  std::span<const std::byte> rest = bytes;
  for (; rest.size() >= 4; rest = rest.subspan(4)) hash = spark_mix(hash, load_le32(rest.data()));
  for (const std::byte byte : rest) {
    const auto extended = static_cast<std::int8_t>(std::to_integer<std::uint8_t>(byte));
    hash = spark_mix(hash, static_cast<std::uint32_t>(std::int32_t{extended}));
  }
  hash ^= static_cast<std::uint32_t>(bytes.size());
  hash = (hash ^ hash >> 16) * 0x85ebca6b;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35;
  return hash ^ hash >> 16;
}

std::uint64_t fnv1a_64_utf16(std::span<const std::byte> bytes) noexcept {
  std::uint64_t hash = 14695981039346656037u;
  const auto step = [&hash](std::uint32_t unit) { hash = (hash ^ unit) * 1099511628211u; };
  for (std::size_t i = 0; i < bytes.size();) {
    std::uint32_t value = std::to_integer<std::uint32_t>(bytes[i++]);
    if (value < 0x80) {
      step(value);
      continue;
    }
    // A first byte with n leading 1 bits is followed by n - 1 bytes.
    const auto ones = static_cast<std::size_t>(std::countl_one(static_cast<std::uint8_t>(value)));
    if (ones >= 2 && ones <= 4 && bytes.size() - i >= ones - 1) {
      std::uint32_t code = value & (0x7fu >> ones);
      std::size_t at = i;
      for (; at < i + ones - 1; ++at) {
        const auto next = std::to_integer<std::uint32_t>(bytes[at]);
        if (next >> 6 != 2) break;
        code = code << 6 | (next & 0x3f);
      }
      if (at == i + ones - 1) {
        value = code;
        i = at;
      }
    }
    if (value >= 0x10000) {
      value -= 0x10000;
      step(0xd800 + (value >> 10));
      value = 0xdc00 + (value & 0x3ff);
    }
    step(value);
  }
  return hash;
}

std::uint64_t metro64(std::span<const std::byte> bytes, std::uint64_t seed) noexcept {
  constexpr std::uint64_t kFactors[] = {0xd6d018f5, 0xa2aa033b, 0x62992fc1, 0x30bc5b29};
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  std::uint64_t hash = (seed + kFactors[2]) * kFactors[0];
  if (left >= 32) {
    std::uint64_t lanes[] = {hash, hash, hash, hash};
    do {
      for (unsigned i = 0; i < 4; ++i, at += 8) {
        lanes[i] = std::rotr(lanes[i] + load_le64(at) * kFactors[i], 29) + lanes[i ^ 2];
      }
      left -= 32;
    } while (left >= 32);
    // The last hex digit is the lane to change; the first two are the other lanes that it needs.
    for (const unsigned lane : {0x132u, 0x023u, 0x320u, 0x231u}) {
      const unsigned to = lane & 15, one = lane >> 4 & 15, even = lane & 1;
      const std::uint64_t sum = (lanes[even] + lanes[one]) * kFactors[even] + lanes[lane >> 8];
      lanes[to] ^= std::rotr(sum, 37) * kFactors[even ^ 1];
    }
    hash += lanes[0] ^ lanes[1];
  }
  if ((left & 16) != 0) {
    std::uint64_t first = std::rotr(hash + load_le64(at) * kFactors[2], 29) * kFactors[3];
    std::uint64_t second = std::rotr(hash + load_le64(at + 8) * kFactors[2], 29) * kFactors[3];
    first ^= std::rotr(first * kFactors[0], 21) + second;
    second ^= std::rotr(second * kFactors[3], 21) + first;
    hash += second;
    at += 16;
  }
  // Hashes the remaining bytes, as words of 8, 4, 2 and 1 bytes.
  constexpr std::uint8_t kTurns[] = {55, 26, 48, 37};
  std::size_t size = 8;
  for (const std::uint8_t turn : kTurns) {
    if ((left & size) != 0) {
      hash += load_tail({at, size}) * kFactors[3];
      hash ^= std::rotr(hash, turn) * kFactors[1];
      at += size;
    }
    size >>= 1;
  }
  hash = (hash ^ std::rotr(hash, 28)) * kFactors[0];
  return hash ^ std::rotr(hash, 29);
}

// The two hashes of the scheme murmur2a-fnv1a.
namespace {

// The constants m and r of MurmurHash2A.
constexpr std::uint32_t kMurmur2Multiplier = 0x5bd1e995;
constexpr unsigned kMurmur2Shift = 24;

// One step (mmix) of MurmurHash2A.
constexpr std::uint32_t murmur2_mix(std::uint32_t hash, std::uint32_t word) noexcept {
  word *= kMurmur2Multiplier;
  word ^= word >> kMurmur2Shift;
  word *= kMurmur2Multiplier;
  return (hash * kMurmur2Multiplier) ^ word;
}

}  // namespace

std::uint32_t murmur2a(std::span<const std::byte> bytes, std::uint32_t seed) noexcept {
  std::uint32_t hash = seed;
  std::span<const std::byte> rest = bytes;
  for (; rest.size() >= 4; rest = rest.subspan(4)) {
    hash = murmur2_mix(hash, load_le32(rest.data()));
  }
  hash = murmur2_mix(hash, static_cast<std::uint32_t>(load_tail(rest)));
  hash = murmur2_mix(hash, static_cast<std::uint32_t>(bytes.size()));
  hash ^= hash >> 13;
  hash *= kMurmur2Multiplier;
  return hash ^ (hash >> 15);
}

std::uint32_t fnv1a_32(std::span<const std::byte> bytes) noexcept {
  std::uint32_t hash = 2166136261;
  for (const std::byte byte : bytes) {
    hash = (hash ^ std::to_integer<std::uint32_t>(byte)) * 16777619;
  }
  return hash;
}

}  // namespace tamis::detail
