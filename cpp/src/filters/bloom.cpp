#include <tamis/filters/bloom.hpp>

#include <algorithm>
#include <limits>

#include <tamis/detail/foreign_hash.hpp>
#include <tamis/detail/options.hpp>
#include <tamis/detail/sha2.hpp>

namespace tamis {
namespace {

constexpr std::uint32_t kRecordBytes = 16;  // bits u64, hashes u32, zero u32

// A 512-bit number in 16-bit limbs, least significant first: small enough that a limb times, or
// under, a size of up to 2^46 stays inside 64 bits.
using Limbs = std::array<std::uint32_t, 32>;

// Whether m^k < 2^512, the condition under which a SHA-512 digest holds k positions.
bool fits_digest(std::uint64_t bits, std::uint32_t hashes) noexcept {
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

void digest_positions(Key key, std::uint64_t bits, std::span<std::uint64_t> out) noexcept {
  const auto digest = detail::sha512(key);
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

// What each scheme asks of the geometry.
bool is_allowed(HashId id, std::uint64_t bits, std::uint32_t hashes) noexcept {
  if (bits == 0 || hashes == 0 || hashes > sizing::kMaxHashes) return false;
  switch (id) {
    case HashId::kXxh3:
    case HashId::kSipHash:
    case HashId::kSeeds:
      return true;
    case HashId::kDigest:
      return bits <= sizing::kMaxBits && fits_digest(bits, hashes);
    case HashId::kMurmur2aFnv1a:
      return hashes == 2;
    case HashId::kGuava:
      return bits % 64 == 0;
    case HashId::kNone:
    case HashId::kSha256Prefix:
      return false;
  }
  return false;
}

struct Geometry {
  std::uint64_t bits;
  std::uint32_t hashes;
  std::uint64_t capacity;
};

Result<Geometry> geometry_of(const BloomFilter::Config& config) noexcept {
  const HashId id = config.hasher.id();
  if (config.hasher.seed() != 0 && !is_seeded(id)) return Status::kInvalidOption;
  if (is_hash_once(id) && !detail::is_hash_once(config.hasher)) return Status::kInvalidOption;
  const bool is_sized = config.bits == 0 && config.hashes == 0;
  if (is_sized && !detail::is_fpr(config.fpr)) return Status::kInvalidOption;
  if ((is_sized || config.capacity != 0) && !detail::is_capacity(config.capacity)) {
    return Status::kInvalidOption;
  }
  Geometry geometry{config.bits, config.hashes, config.capacity};
  if (is_sized) {
    if (id == HashId::kMurmur2aFnv1a) {
      geometry.hashes = 2;
      geometry.bits = sizing::bloom_bits(config.capacity, config.fpr, 2);
    } else {
      const auto size = sizing::bloom_size(config.capacity, config.fpr);
      geometry.hashes = size.hashes;
      geometry.bits = size.bits;
    }
    if (id == HashId::kGuava) geometry.bits = (geometry.bits + 63) / 64 * 64;
  } else if (config.hashes != 0 && config.capacity == 0) {
    geometry.capacity = sizing::bloom_capacity(config.bits, config.hashes);
  }
  if (geometry.bits > sizing::kMaxBits) return Status::kTooLarge;
  if (!is_allowed(id, geometry.bits, geometry.hashes)) return Status::kInvalidOption;
  return geometry;
}

}  // namespace

Result<BloomFilter> BloomFilter::create(const Config& config) noexcept {
  const auto geometry = geometry_of(config);
  if (!geometry.ok()) return geometry.status();
  auto bits = detail::BitWords::zeroed(geometry->bits);
  if (!bits.ok()) return bits.status();
  return BloomFilter(std::move(*bits), geometry->hashes, geometry->capacity, config.hasher, 0);
}

Result<std::uint64_t> BloomFilter::size_for(const Config& config) noexcept {
  const auto geometry = geometry_of(config);
  if (!geometry.ok()) return geometry.status();
  return detail::BitWords::byte_count(geometry->bits);
}

void BloomFilter::positions(Key key, Positions& out) const noexcept {
  const auto used = std::span(out).first(hashes_);
  switch (hasher_.id()) {
    case HashId::kXxh3:
    case HashId::kSipHash: {
      McgPositions probe(hasher_.mix(hasher_(key)), bits());
      for (auto& position : used) position = probe.next();
      return;
    }
    case HashId::kSeeds: {
      // XXH3 only adds or xors its seed to a short key: neighbouring seeds would make its hashes
      // those of neighbouring keys.
      std::uint64_t seed = hasher_.seed();
      for (auto& position : used) {
        position = reduce(xxh3_64(key, splitmix64(seed++)), bits());
      }
      return;
    }
    case HashId::kDigest:
      digest_positions(key, bits(), used);
      return;
    case HashId::kMurmur2aFnv1a:
      used[0] = detail::murmur2a(key, 0) % bits();
      used[1] = detail::fnv1a_32(key) % bits();
      return;
    case HashId::kGuava: {
      const auto hash = detail::murmur3_x64_128(key, 0);
      std::uint64_t combined = hash.low;
      for (auto& position : used) {
        position = (combined & 0x7fffffffffffffff) % bits();
        combined += hash.high;
      }
      return;
    }
    case HashId::kNone:
    case HashId::kSha256Prefix:
      return;
  }
}

bool BloomFilter::is_compatible(const BloomFilter& other) const noexcept {
  return hasher_.is_same(other.hasher_) && bits() == other.bits() && hashes_ == other.hashes_;
}

Status BloomFilter::merge(const BloomFilter& other) noexcept {
  if (!is_compatible(other)) return Status::kIncompatible;
  bits_.merge(other.bits_);
  count_ = std::min(count_ + other.count_, sizing::kMaxCount);
  return Status::kOk;
}

Status BloomFilter::intersect(const BloomFilter& other) noexcept {
  if (!is_compatible(other)) return Status::kIncompatible;
  bits_.intersect(other.bits_);
  count_ = std::min(count_, other.count_);
  return Status::kOk;
}

double BloomFilter::estimate(std::uint64_t bits_set) const noexcept {
  if (bits_set == bits()) return std::numeric_limits<double>::infinity();
  const double m = static_cast<double>(bits());
  return -m / hashes_ * sizing::ln_one_minus(static_cast<double>(bits_set) / m);
}

Result<double> BloomFilter::estimate_union(const BloomFilter& other) const noexcept {
  if (!is_compatible(other)) return Status::kIncompatible;
  return estimate(bits_.popcount_union(other.bits_));
}

Result<BloomFilter> BloomFilter::clone() const noexcept {
  auto bits = bits_.clone();
  if (!bits.ok()) return bits.status();
  return BloomFilter(std::move(*bits), hashes_, capacity_, hasher_, count_);
}

Result<BloomFilter> BloomFilter::empty_copy() const noexcept {
  auto bits = detail::BitWords::zeroed(bits_.size());
  if (!bits.ok()) return bits.status();
  return BloomFilter(std::move(*bits), hashes_, capacity_, hasher_, 0);
}

Status BloomFilter::validate() const noexcept {
  const bool is_valid = is_allowed(hasher_.id(), bits(), hashes_) && capacity_ > 0 &&
                        bits_.is_valid() && (count_ > 0 || bits_.popcount() == 0);
  return is_valid ? Status::kOk : Status::kCorrupt;
}

Header BloomFilter::header() const noexcept {
  return Header::of(kType, hasher_, capacity_, count_, kRecordBytes + bits_.size_bytes());
}

void BloomFilter::write(ByteWriter& out) const noexcept {
  out.u64(bits());
  out.u32(hashes_);
  out.u32(0);
  bits_.write(out);
}

Result<BloomFilter> BloomFilter::read_bits(std::uint64_t bits, std::uint32_t hashes,
                                           std::uint64_t capacity, std::uint64_t count,
                                           const Hasher& hasher, ByteReader& in) noexcept {
  if (!is_allowed(hasher.id(), bits, hashes)) return Status::kCorrupt;
  auto words = detail::BitWords::read(in, bits);
  if (!words.ok()) return words.status();
  auto filter = of_bits(std::move(*words), hashes, capacity, count, hasher);
  if (const Status status = filter.validate(); status != Status::kOk) return status;
  return filter;
}

Result<BloomFilter> BloomFilter::read(const Header& header, const Hasher& hasher,
                                      ByteReader& in) noexcept {
  const std::uint64_t bits = in.u64();
  const std::uint32_t hashes = in.u32();
  if (in.u32() != 0) return Status::kCorrupt;
  return read_bits(bits, hashes, header.capacity, header.count, hasher, in);
}

}  // namespace tamis
