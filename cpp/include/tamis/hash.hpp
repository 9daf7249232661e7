// tamis/hash.hpp - turns the bytes of a key into the 64 bits that a filter works with.
//
// A key is hashed once, without the filter's seed: h = XXH3-64(bytes, 0), or h = SipHash-2-4(bytes,
// key) if attackers can choose the keys. A filter then mixes in its seed, g = fmix64(h + seed), and
// derives everything else from g. So one array of hashes serves any number of filters.
//
// A seed makes filters differ. It is not secret and protects against no attacker; a SipHash key
// does.
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

// The bytes of a string. JavaScript hashes the UTF-8 bytes of a string, so a text that is looked up
// in both languages must be UTF-8 here.
[[nodiscard]] inline Key as_key(std::string_view text) noexcept {
  return std::as_bytes(std::span<const char>(text.data(), text.size()));
}

// The hash h of a key, before any seed. It has its own type, so that a plain number cannot be
// passed by mistake.
enum class Hash : std::uint64_t {};

using SipKey = std::array<std::byte, 16>;

// The id, in the wire format, of the scheme that turns a key's bytes into the filter's hash.
enum class HashId : std::uint8_t {
#define TAMIS_HASH(name, slug, id, seed_bits, kind) name = id,
#include <tamis/hashes.def>
};
inline constexpr std::uint8_t kHashIds = 0
#define TAMIS_HASH(name, slug, id, seed_bits, kind) +1
#include <tamis/hashes.def>
    ;

// What a scheme computes: nothing, one 64-bit hash, the first bytes of a longer hash, or the
// positions of a key's bits. The last two kinds need the key's bytes: kBloomScheme for BloomFilter,
// kBlockScheme for BlockedBloomFilter.
enum class HashKind : std::uint8_t { kNoHash, kHashOnce, kHashPrefix, kBloomScheme, kBlockScheme };

// The ids of a kind, as a mask with one bit for each id.
[[nodiscard]] constexpr std::uint32_t ids_of(HashKind of) noexcept {
  return 0
#define TAMIS_HASH(name, slug, id, seed_bits, kind) | std::uint32_t{of == HashKind::kind} << id
#include <tamis/hashes.def>
      ;
}

// True if the scheme computes one 64-bit hash, so that keys can be hashed in advance.
[[nodiscard]] constexpr bool is_hash_once(HashId id) noexcept {
  return false
#define TAMIS_HASH(name, slug, number, seed_bits, kind) \
  || (HashKind::kind == HashKind::kHashOnce && id == HashId::name)
#include <tamis/hashes.def>
      ;
}

// True if the scheme needs the key's bytes. The id must be known.
[[nodiscard]] constexpr bool is_bloom_scheme(HashId id) noexcept {
  const std::uint32_t schemes = ids_of(HashKind::kBloomScheme) | ids_of(HashKind::kBlockScheme);
  return (schemes >> static_cast<std::uint32_t>(id) & 1) != 0;
}

// True if the scheme uses a seed. The id must be known.
[[nodiscard]] constexpr bool is_seeded(HashId id) noexcept {
  constexpr std::uint32_t kSeeded = 0
#define TAMIS_HASH(name, slug, id, seed_bits, kind) | std::uint32_t{seed_bits != 0} << id
#include <tamis/hashes.def>
      ;
  return (kSeeded >> static_cast<std::uint32_t>(id) & 1) != 0;
}

// XXH3-64 as the xxHash library defines it (specification: xxHash 0.8). The seed defaults to 0.
[[nodiscard]] std::uint64_t xxh3_64(Key key) noexcept;
[[nodiscard]] std::uint64_t xxh3_64(Key key, std::uint64_t seed) noexcept;

// SipHash-2-4(key, ASCII "tamis-key-id"). It identifies the key in a header without revealing it.
[[nodiscard]] std::uint64_t sip_key_id(const SipKey& key) noexcept;

// The 64-bit finalizer of MurmurHash3 (Appleby): a bijection in which each input bit flips each
// output bit with a probability of one half.
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

// One step of SplitMix64 (Steele, Lea and Flood 2014) from the state x: a bijection that maps
// neighbouring numbers to unrelated ones.
[[nodiscard]] constexpr std::uint64_t splitmix64(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// The seed for an attempt to build one part of a structure. `seed` is mixed first. Otherwise
// attempt 1 with a seed would equal attempt 0 with the next seed, so neighbouring seeds would
// repeat each other's attempts.
[[nodiscard]] constexpr std::uint64_t attempt_seed(std::uint64_t seed, std::uint32_t part,
                                                   std::uint32_t attempt) noexcept {
  return splitmix64(splitmix64(seed) + (std::uint64_t{part} << 32) + attempt);
}

// floor(x n / 2^64) for n < 2^32: the high word of the product, computed with two 64-bit
// multiplications. WebAssembly has no 64 x 64 -> 128 multiplication, for which compilers would call
// a library function.
[[nodiscard]] constexpr std::uint64_t mulhi_narrow(std::uint64_t x, std::uint64_t n) noexcept {
  return ((x >> 32) * n + (((x & 0xffffffff) * n) >> 32)) >> 32;
}

// floor(x n / 2^64) for any n, computed with 64-bit multiplications.
[[nodiscard]] constexpr std::uint64_t mulhi_portable(std::uint64_t x, std::uint64_t n) noexcept {
  const std::uint64_t low = mulhi_narrow(x, n & 0xffffffff);
  const std::uint64_t high_low = (x & 0xffffffff) * (n >> 32);
  const std::uint64_t high_high = (x >> 32) * (n >> 32);
  // x n / 2^64 = (x n_low + x n_high 2^32) / 2^64. The sum of the two fractions may carry once.
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

// Maps x in 0..2^64-1 to 0..n-1, mainly by its high bits. For n <= 2^32 the result is ((x >> 32) n)
// >> 32.
[[nodiscard]] constexpr std::uint64_t reduce(std::uint64_t x, std::uint64_t n) noexcept {
  constexpr std::uint64_t kNarrow = std::uint64_t{1} << 32;
  const bool is_narrow = sizeof(void*) == 4 || n <= kNarrow;
  return is_narrow ? ((x >> 32) * n) >> 32 : mulhi(x, n);
}

// How a filter hashes: an id, a seed and, for kSipHash, a key. The destructor zeroes the copy of
// the key.
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
  // The same scheme with another seed, which gives a different g for the same h.
  [[nodiscard]] Hasher with_seed(std::uint64_t seed) const noexcept {
    Hasher other = *this;
    other.seed_ = seed;
    return other;
  }
  // True if both give the same g for every key. SipHash keys are compared by their key ids.
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
