// tamis/hash.hpp - from the bytes of a key to the 64 bits that a filter works with.
//
// A key is hashed once, without the filter's seed: h = XXH3-64(bytes, 0). If others choose the
// keys, it is h = SipHash-2-4(bytes, key). A filter then mixes in its seed, g = fmix64(h + seed),
// and derives everything else from g. So one array of hashes serves any number of filters.
//
// A seed tells filters apart. It is no secret and protects from nobody. A SipHash key does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <tamis/detail/isa.hpp>

namespace tamis {

// The bytes of a key.
using Key = std::span<const std::byte>;

// Gives the bytes of a string. JavaScript hashes the UTF-8 bytes of a string, so a text that both
// sides look up must be UTF-8 here.
[[nodiscard]] inline Key as_key(std::string_view text) noexcept {
  return std::as_bytes(std::span<const char>(text.data(), text.size()));
}

// The hash h of a key, before any seed. It is a type of its own, so that no number passes for one.
enum class Hash : std::uint64_t {};

using SipKey = std::array<std::byte, 16>;

// The scheme that turns a key's bytes into the filter's hash, by its id in the wire format.
enum class HashId : std::uint8_t {
#define TAMIS_HASH(name, slug, id, seed_bits, kind) name = id,
#include <tamis/hashes.def>
};
inline constexpr std::uint8_t kHashIds = 0
#define TAMIS_HASH(name, slug, id, seed_bits, kind) +1
#include <tamis/hashes.def>
    ;

// The result of a scheme: no hash, one hash of 64 bits, or the first bytes of a long hash. The last
// two kinds need the key itself: they are schemes of BloomFilter and of BlockedBloomFilter.
enum class HashKind : std::uint8_t { kNoHash, kHashOnce, kHashPrefix, kBloomScheme, kBlockScheme };

// Gives the ids of a kind, one bit for each id.
[[nodiscard]] constexpr std::uint32_t ids_of(HashKind of) noexcept {
  return 0
#define TAMIS_HASH(name, slug, id, seed_bits, kind) | std::uint32_t{of == HashKind::kind} << id
#include <tamis/hashes.def>
      ;
}

// True if the scheme ends in one 64-bit hash, so that keys can be hashed beforehand.
[[nodiscard]] constexpr bool is_hash_once(HashId id) noexcept {
  return false
#define TAMIS_HASH(name, slug, number, seed_bits, kind) \
  || (HashKind::kind == HashKind::kHashOnce && id == HashId::name)
#include <tamis/hashes.def>
      ;
}

// True if the scheme of a known id needs the key itself.
[[nodiscard]] constexpr bool is_bloom_scheme(HashId id) noexcept {
  const std::uint32_t schemes = ids_of(HashKind::kBloomScheme) | ids_of(HashKind::kBlockScheme);
  return (schemes >> static_cast<std::uint32_t>(id) & 1) != 0;
}

// True if the scheme of a known id takes a seed.
[[nodiscard]] constexpr bool is_seeded(HashId id) noexcept {
  constexpr std::uint32_t kSeeded = 0
#define TAMIS_HASH(name, slug, id, seed_bits, kind) | std::uint32_t{seed_bits != 0} << id
#include <tamis/hashes.def>
      ;
  return (kSeeded >> static_cast<std::uint32_t>(id) & 1) != 0;
}

// XXH3-64 as the xxHash library defines it (specification: xxHash 0.8). The seed is 0 unless given.
[[nodiscard]] std::uint64_t xxh3_64(Key key) noexcept;
[[nodiscard]] std::uint64_t xxh3_64(Key key, std::uint64_t seed) noexcept;

// SipHash-2-4(key, ASCII "tamis-key-id"). It names a key in a header and does not reveal it.
[[nodiscard]] std::uint64_t sip_key_id(const SipKey& key) noexcept;

// The 64-bit finalizer of MurmurHash3 (Appleby). It is a bijection, in which each input bit changes
// each output bit with a probability of one half.
[[nodiscard]] constexpr std::uint64_t fmix64(std::uint64_t x) noexcept {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccd;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53;
  return x ^ (x >> 33);
}

// The inverse of fmix64.
[[nodiscard]] constexpr std::uint64_t unfmix64(std::uint64_t x) noexcept {
  x ^= x >> 33;
  x *= 0x9cb4b2f8129337db;  // the inverses of fmix64's factors modulo 2^64
  x ^= x >> 33;
  x *= 0x4f74430c22a54005;
  return x ^ (x >> 33);
}

// One number of SplitMix64 (Steele, Lea and Flood 2014) from the state x. It is a bijection that
// turns neighbouring numbers into unlike ones.
[[nodiscard]] constexpr std::uint64_t splitmix64(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// The seed of an attempt at one part of a structure. The given seed is mixed first. Otherwise the
// second attempt of one seed would be the first of the next, and neighbouring seeds would end in
// the same rows.
[[nodiscard]] constexpr std::uint64_t attempt_seed(std::uint64_t seed, std::uint32_t part,
                                                   std::uint32_t attempt) noexcept {
  return splitmix64(splitmix64(seed) + (std::uint64_t{part} << 32) + attempt);
}

// floor(x n / 2^64) for n < 2^32: the high word of the product, by two 64-bit multiplications.
// WebAssembly has no 64 x 64 -> 128 multiplication, and compilers emit a library call for it.
[[nodiscard]] constexpr std::uint64_t mulhi_narrow(std::uint64_t x, std::uint64_t n) noexcept {
  return ((x >> 32) * n + (((x & 0xffffffff) * n) >> 32)) >> 32;
}

// floor(x n / 2^64) for any n, by 64-bit multiplications.
[[nodiscard]] constexpr std::uint64_t mulhi_portable(std::uint64_t x, std::uint64_t n) noexcept {
  const std::uint64_t low = mulhi_narrow(x, n & 0xffffffff);
  const std::uint64_t high_low = (x & 0xffffffff) * (n >> 32);
  const std::uint64_t high_high = (x >> 32) * (n >> 32);
  // x n / 2^64 = (x n_low + x n_high 2^32) / 2^64; the fractions of both parts may carry once.
  const std::uint64_t low_fraction = (x * (n & 0xffffffff)) >> 32;
  const std::uint64_t carry = (low_fraction + (high_low & 0xffffffff)) >> 32;
  return low + high_high + (high_low >> 32) + carry;
}

// floor(x n / 2^64) for any n.
[[nodiscard]] constexpr std::uint64_t mulhi(std::uint64_t x, std::uint64_t n) noexcept {
#if defined(__SIZEOF_INT128__) && !defined(__wasm__)
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(Wide{x} * n >> 64);
#else
  return mulhi_portable(x, n);
#endif
}

// Maps x in 0..2^64-1 to 0..n-1 by its high bits. For n <= 2^32 the result is ((x >> 32) n) >> 32.
[[nodiscard]] constexpr std::uint64_t reduce(std::uint64_t x, std::uint64_t n) noexcept {
  constexpr std::uint64_t kNarrow = std::uint64_t{1} << 32;
  const bool is_narrow = sizeof(void*) == 4 || n <= kNarrow;
  return is_narrow ? ((x >> 32) * n) >> 32 : mulhi(x, n);
}

// The way a filter hashes: an id, a seed and, for kSipHash, the key. The destructor zeroes its copy
// of the key.
class Hasher {
 public:
  Hasher() noexcept = default;
  explicit Hasher(HashId id, std::uint64_t seed = 0) noexcept : id_(id), seed_(seed) {}
  explicit Hasher(const SipKey& key, std::uint64_t seed = 0) noexcept
      : id_(HashId::kSipHash), seed_(seed), key_id_(sip_key_id(key)), key_(key) {}
  Hasher(const Hasher&) noexcept = default;
  Hasher& operator=(const Hasher&) noexcept = default;
  ~Hasher();

  [[nodiscard]] HashId id() const noexcept { return id_; }
  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }
  [[nodiscard]] std::uint64_t key_id() const noexcept { return key_id_; }

  // Computes h. The caller makes sure that is_hash_once(id()) is true.
  [[nodiscard]] Hash operator()(Key key) const noexcept;
  [[nodiscard]] Hash operator()(std::string_view key) const noexcept {
    return (*this)(as_key(key));
  }
  [[nodiscard]] Hash operator()(Hash hash) const noexcept { return hash; }
  // Computes g = fmix64(h + seed).
  [[nodiscard]] std::uint64_t mix(Hash hash) const noexcept {
    return fmix64(static_cast<std::uint64_t>(hash) + seed_);
  }
  // The same scheme with another seed, which gives other g for the same h.
  [[nodiscard]] Hasher with_seed(std::uint64_t seed) const noexcept {
    Hasher other = *this;
    other.seed_ = seed;
    return other;
  }
  // True if both give every key the same g. SipHash keys are compared by their ids.
  friend bool operator==(const Hasher& one, const Hasher& other) noexcept {
    return one.id_ == other.id_ && one.seed_ == other.seed_ && one.key_id_ == other.key_id_;
  }

 private:
  HashId id_ = HashId::kXxh3;
  std::uint64_t seed_ = 0;
  std::uint64_t key_id_ = 0;
  SipKey key_{};
};

}  // namespace tamis
