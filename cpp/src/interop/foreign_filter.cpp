#include <tamis/interop/foreign_filter.hpp>

#include <algorithm>
#include <bit>
#include <utility>

#include <tamis/detail/endian.hpp>
#include <tamis/hash/foreign_hash.hpp>

namespace tamis::interop {
namespace {

// MurmurHash64A's multiplier, which RedisBloom also uses as the seed in its Bloom filters.
constexpr std::uint64_t kBloomSeed = 0xc6a4a7935bd1e995;
// The multiplier of the 32-bit MurmurHash2.
constexpr std::uint64_t kRedisStep = 0x5bd1e995;
constexpr std::uint64_t kGoSeed = 1337;
constexpr std::uint64_t kGoFingerprintSeed2018 = 1335;

bool has_bit(const std::byte* bits, std::uint64_t position) noexcept {
  return (std::to_integer<unsigned>(bits[position >> 3]) >> (position & 7) & 1) != 0;
}

// Both buckets of a key, not yet modulo the number of buckets, which is a power of two.
struct CuckooPlace {
  std::byte fingerprint;
  std::uint64_t first;
  std::uint64_t second;
};

// The fingerprint is never 0, because 0 marks an empty slot.
std::uint8_t fingerprint_of(std::uint64_t hash) noexcept {
  return static_cast<std::uint8_t>(hash % 255 + 1);
}

CuckooPlace find_places(ForeignRule rule, Key key) noexcept {
  if (rule == ForeignRule::kRedisCuckoo) {
    const std::uint64_t hash = detail::murmur64a(key, 0);
    const std::uint8_t fingerprint = fingerprint_of(hash);
    return {std::byte{fingerprint}, hash, hash ^ fingerprint * kRedisStep};
  }
  std::uint64_t first = detail::metro64(key, kGoSeed);
  std::byte fingerprint;
  if (rule == ForeignRule::kGoCuckoo2018) {
    fingerprint = std::byte{fingerprint_of(detail::metro64(key, kGoFingerprintSeed2018))};
  } else {
    fingerprint = std::byte{fingerprint_of(first)};
    first >>= 32;
  }
  return {fingerprint, first, first ^ detail::metro64({&fingerprint, 1}, kGoSeed)};
}

}  // namespace

bool ForeignFilter::may_contain(Key key) const noexcept {
  if (shape_.rule == ForeignRule::kBloom) return is_in_bloom(key);
  return shape_.rule < ForeignRule::kFuse ? is_in_cuckoo(key) : is_in_fuse(key);
}

bool ForeignFilter::is_in_bloom(Key key) const noexcept {
  const std::uint64_t first = detail::murmur64a(key, kBloomSeed);
  const std::uint64_t step = detail::murmur64a(key, first);
  for (const ForeignLayer& layer : layers()) {
    const std::byte* const bits = slots(layer);
    std::uint64_t sum = first;
    std::uint32_t left = layer.step;
    for (; left > 0 && has_bit(bits, sum % layer.size); --left) sum += step;
    if (left == 0) return true;
  }
  return false;
}

bool ForeignFilter::is_in_cuckoo(Key key) const noexcept {
  const CuckooPlace place = find_places(shape_.rule, key);
  for (const ForeignLayer& layer : layers()) {
    const std::byte* const first = slots(layer) + (place.first & (layer.size - 1)) * layer.step;
    const std::byte* const second = slots(layer) + (place.second & (layer.size - 1)) * layer.step;
    for (std::uint32_t i = 0; i < layer.step; ++i) {
      if (first[i] == place.fingerprint || second[i] == place.fingerprint) return true;
    }
  }
  return false;
}

bool ForeignFilter::is_in_fuse(Key key) const noexcept {
  const ForeignLayer& layer = layers().front();
  const std::uint64_t number =
      shape_.hashes_keys != 0 ? detail::xxh64(key, 0) : detail::load_le64(key.data());
  const std::uint64_t hash = fmix64(number + shape_.seed);
  const std::byte* const table = slots(layer);
  const auto load = [this, table](std::uint64_t slot) {
    return detail::load_le32(table + slot * shape_.width);
  };
  auto sum = static_cast<std::uint32_t>(hash ^ hash >> 32);
  if (shape_.rule == ForeignRule::kFuse) {
    const std::uint64_t mask = layer.step - 1, first = mulhi_narrow(hash, layer.size);
    sum ^= load(first) ^ load((first + layer.step) ^ (hash >> 18 & mask)) ^
           load((first + 2 * std::uint64_t{layer.step}) ^ (hash & mask));
  } else {
    std::uint64_t word = hash;
    for (std::uint32_t i = 0; i < 3; ++i, word = std::rotl(word, 21)) {
      sum ^= load(reduce(word << 32, layer.size) + i * layer.size);
    }
  }
  return sum << (32 - 8 * shape_.width) == 0;
}

namespace {

constexpr std::uint64_t kMaxBytes = 0xffffffff;
// Larger than any size that fits into kMaxBytes, but so small that no product below overflows.
constexpr std::uint64_t kMaxSize = std::uint64_t{1} << 35;
constexpr std::uint32_t kMaxStep = 1 << 20;

bool is_valid(const ForeignShape& shape, const ForeignLayer& layer, std::uint64_t bytes) noexcept {
  const std::uint64_t size = layer.size, step = layer.step;
  if (size == 0 || size > kMaxSize || step == 0 || step > kMaxStep) return false;
  std::uint64_t needed;
  if (shape.rule == ForeignRule::kBloom) {
    needed = (size + 7) / 8;
  } else if (shape.rule < ForeignRule::kFuse) {
    // The other bucket's number is an exclusive or, which needs a power of two.
    if (!std::has_single_bit(size)) return false;
    needed = size * step;
  } else if (shape.rule == ForeignRule::kFuse) {
    // The slot in its segment is computed with an exclusive or, which needs a power of two.
    if (!std::has_single_bit(step) || size % step != 0) return false;
    needed = (size + 2 * step) * shape.width;
  } else {
    needed = 3 * size * shape.width;
  }
  return layer.offset + needed <= bytes;
}

}  // namespace

Result<ForeignFilter> ForeignFilter::create(const ForeignShape& shape,
                                            std::span<const ForeignLayer> layers,
                                            std::uint64_t bytes) noexcept {
  if (bytes > kMaxBytes) return Status::kTooLarge;
  // A fuse or xor filter has one layer.
  if (layers.empty() || (layers.size() > 1 && shape.rule >= ForeignRule::kFuse)) {
    return Status::kCorrupt;
  }
  if (shape.width == 0 || shape.width > 4) return Status::kCorrupt;
  for (const ForeignLayer& layer : layers) {
    if (!is_valid(shape, layer, bytes)) return Status::kCorrupt;
  }
  ForeignFilter filter;
  const std::uint64_t behind = (bytes + 7) / sizeof(ForeignLayer) + 1;
  TAMIS_TRY(memory, detail::Buffer<ForeignLayer>::zeroed(layers.size() + behind));
  std::copy(layers.begin(), layers.end(), memory->data());
  filter.shape_ = shape;
  filter.size_ = static_cast<std::size_t>(bytes);
  filter.layer_count_ = layers.size();
  filter.memory_ = std::move(*memory);
  return filter;
}

}  // namespace tamis::interop
