#include <tamis/detail/bloom_scheme.hpp>

#ifdef TAMIS_SMALL

// Where code must be small, the default alone: the table would bring all of them.
const tamis::detail::BloomScheme* tamis::detail::find_bloom_scheme(HashId id) noexcept {
  static constexpr BloomScheme kMcg{};
  return is_hash_once(id) ? &kMcg : nullptr;
}

#else

#include <array>

#include <tamis/detail/foreign_hash.hpp>
#include <tamis/detail/sha2.hpp>
#include <tamis/limits.hpp>

namespace tamis::detail {
namespace {

// XXH3 only adds or xors its seed to a short key: neighbouring seeds would make its hashes those of
// neighbouring keys.
void find_seeds_positions(Key key, std::uint64_t seed, std::uint64_t bits,
                          std::span<std::uint64_t> out) noexcept {
  for (auto& position : out) position = reduce(xxh3_64(key, splitmix64(seed++)), bits);
}

// A 512-bit number in 16-bit limbs, least significant first. They are small enough that a limb
// times, or under, a size of up to 2^46 stays inside 64 bits.
using Limbs = std::array<std::uint32_t, 32>;

// Whether m^k < 2^512, the condition under which a SHA-512 digest holds k positions.
bool fits_digest(std::uint64_t bits, std::uint32_t hashes) noexcept {
  if (bits > sizing::kMaxBits) return false;
  Limbs product{1};
  for (std::uint32_t i = 0; i < hashes; ++i) {
    std::uint64_t carry = 0;
    for (auto& limb : product) {
      carry += limb * bits;
      limb = static_cast<std::uint32_t>(carry & 0xffff);
      carry >>= 16;
    }
    if (carry != 0) return false;
  }
  return true;
}

void find_digest_positions(Key key, std::uint64_t, std::uint64_t bits,
                           std::span<std::uint64_t> out) noexcept {
  const auto digest = sha512(key);
  Limbs number{};
  for (std::size_t i = 0; i < number.size(); ++i) {
    const std::size_t at = digest.size() - 2 * i - 2;  // the digest is big-endian
    number[i] = std::to_integer<std::uint32_t>(digest[at]) << 8 |
                std::to_integer<std::uint32_t>(digest[at + 1]);
  }
  for (auto& position : out) {
    std::uint64_t remainder = 0;
    for (std::size_t i = number.size(); i-- > 0;) {
      const std::uint64_t dividend = remainder << 16 | number[i];
      number[i] = static_cast<std::uint32_t>(dividend / bits);
      remainder = dividend % bits;
    }
    position = remainder;
  }
}

void find_murmur2a_fnv1a_positions(Key key, std::uint64_t, std::uint64_t bits,
                                   std::span<std::uint64_t> out) noexcept {
  out[0] = murmur2a(key, 0) % bits;
  out[1] = fnv1a_32(key) % bits;
}

void find_guava_positions(Key key, std::uint64_t, std::uint64_t bits,
                          std::span<std::uint64_t> out) noexcept {
  const auto hash = murmur3_x64_128(key, 0);
  std::uint64_t combined = hash.low;
  for (auto& position : out) {
    position = (combined & 0x7fffffffffffffff) % bits;
    combined += hash.high;
  }
}

constexpr BloomScheme kMcg{};
constexpr BloomScheme kSeeds{.find_positions = find_seeds_positions};
constexpr BloomScheme kDigest{.find_positions = find_digest_positions, .is_allowed = fits_digest};
constexpr BloomScheme kMurmur2aFnv1a{.find_positions = find_murmur2a_fnv1a_positions, .hashes = 2};
constexpr BloomScheme kGuava{.find_positions = find_guava_positions, .bits_step = 64};

}  // namespace
}  // namespace tamis::detail

// By wire id. Not const, and used for what the optimizer can see: the parts of a cut wasm fill it
// in.
extern "C" {
[[gnu::used]] constinit auto tamis_bloom_schemes = [] {
  using namespace tamis;
  std::array<const detail::BloomScheme*, kHashIds> schemes{};
  schemes[static_cast<std::size_t>(HashId::kSeeds)] = &detail::kSeeds;
  schemes[static_cast<std::size_t>(HashId::kDigest)] = &detail::kDigest;
  schemes[static_cast<std::size_t>(HashId::kMurmur2aFnv1a)] = &detail::kMurmur2aFnv1a;
  schemes[static_cast<std::size_t>(HashId::kGuava)] = &detail::kGuava;
  return schemes;
}();
}  // extern "C"

namespace tamis::detail {

const BloomScheme* find_bloom_scheme(HashId id) noexcept {
  if (is_hash_once(id)) return &kMcg;
  const auto index = static_cast<std::size_t>(id);
  return index < tamis_bloom_schemes.size() ? tamis_bloom_schemes[index] : nullptr;
}

}  // namespace tamis::detail

#endif
