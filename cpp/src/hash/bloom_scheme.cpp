#include <array>

#include <tamis/hash/foreign_hash.hpp>
#include <tamis/hash/foreign_schemes.hpp>
#include <tamis/hash/sha2.hpp>
#include <tamis/limits.hpp>

namespace tamis::detail {
namespace {

// The seeds are mixed, because XXH3 only adds or xors its seed to a short key. With consecutive
// seeds, the hashes of a key would be those of similar keys.
bool find_seeds_positions(const PositionRequest& request) noexcept {
  for (std::size_t i = 0; i < request.out.size(); ++i) {
    const std::uint64_t hash = xxh3_64(request.key, splitmix64(request.seed + i));
    if (!request.put(i, reduce(hash, request.bits))) return false;
  }
  return true;
}

// A 512-bit number in 16-bit limbs (digits), least significant first. A limb times a size of up to
// 2^46, and a division of remainder and limb by such a size, stay within 64 bits.
using Limbs = std::array<std::uint32_t, 32>;

// True if m^k < 2^512, so that a SHA-512 digest contains k positions.
bool fits_digest(std::uint64_t, std::uint64_t bits, std::uint32_t hashes) noexcept {
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

bool find_digest_positions(const PositionRequest& request) noexcept {
  const auto digest = sha512(request.key);
  Limbs number{};
  for (std::size_t i = 0; i < number.size(); ++i) {
    const std::size_t at = digest.size() - 2 * i - 2;  // the digest is big-endian
    number[i] = std::to_integer<std::uint32_t>(digest[at]) << 8 |
                std::to_integer<std::uint32_t>(digest[at + 1]);
  }
  for (std::size_t i = 0; i < request.out.size(); ++i) {
    std::uint64_t remainder = 0;
    for (std::size_t limb = number.size(); limb-- > 0;) {
      const std::uint64_t dividend = remainder << 16 | number[limb];
      number[limb] = static_cast<std::uint32_t>(dividend / request.bits);
      remainder = dividend % request.bits;
    }
    if (!request.put(i, remainder)) return false;
  }
  return true;
}

bool find_murmur2a_fnv1a_positions(const PositionRequest& request) noexcept {
  const Key key = request.key;
  const std::uint64_t bits = request.bits;
  return request.put(0, murmur2a(key, 0) % bits) && request.put(1, fnv1a_32(key) % bits);
}

}  // namespace

constexpr BloomScheme kSeeds{.find_positions = find_seeds_positions};
constexpr BloomScheme kDigest{.find_positions = find_digest_positions, .is_allowed = fits_digest};
constexpr BloomScheme kMurmur2aFnv1a{.find_positions = find_murmur2a_fnv1a_positions, .hashes = 2};

}  // namespace tamis::detail
