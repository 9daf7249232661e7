#include <tamis/interop/foreign_bits.hpp>

#include <algorithm>
#include <bit>

#include <tamis/detail/endian.hpp>
#include <tamis/sizing/bit_estimates.hpp>

namespace tamis {
namespace {

// The number of bits that a key sets in a block.
constexpr std::uint32_t kLanes = 8;

// Reverses the order of the bits in each byte.
constexpr std::uint64_t reverse_bytes(std::uint64_t word) noexcept {
  word = (word & 0x0f0f0f0f0f0f0f0f) << 4 | (word >> 4 & 0x0f0f0f0f0f0f0f0f);
  word = (word & 0x3333333333333333) << 2 | (word >> 2 & 0x3333333333333333);
  return (word & 0x5555555555555555) << 1 | (word >> 1 & 0x5555555555555555);
}

std::uint64_t load_word(const std::byte* from, BitOrder order) noexcept {
  if (order == BitOrder::kBigEndianWords) return detail::load_be64(from);
  const std::uint64_t word = detail::load_le64(from);
  return order == BitOrder::kMsbFirst ? reverse_bytes(word) : word;
}

// Estimates the number of keys from the set bits: 0 if none is set, otherwise at least 1. If all
// are set there is no estimate, so the capacity is returned, as after fill().
std::uint64_t count_keys(std::uint64_t bits_set, std::uint64_t bits,
                         std::uint32_t hashes) noexcept {
  if (bits_set == 0) return 0;
  if (bits_set == bits) return sizing::bloom_capacity(bits, hashes);
  const double keys = sizing::estimate_keys(bits_set, bits, hashes);
  return std::max(std::uint64_t{1}, static_cast<std::uint64_t>(keys + 0.5));
}

// Returns the count, or an estimate for kUncounted. Fails if only count or only bits_set is 0.
Result<std::uint64_t> check_count(std::uint64_t count, std::uint64_t bits_set, std::uint64_t bits,
                                  std::uint32_t hashes) noexcept {
  if (count == kUncounted) return count_keys(bits_set, bits, hashes);
  if (count > sizing::kMaxCount) return Status::kTooLarge;
  if ((count == 0) != (bits_set == 0)) return Status::kCorrupt;
  return count;
}

}  // namespace

Result<BloomFilter> prepare_bits(std::size_t size, std::uint64_t bits, std::uint32_t hashes,
                                 const Hasher& hasher) noexcept {
  if (bits == 0 || hashes == 0 || size > detail::BitWords::byte_count(bits)) {
    return Status::kCorrupt;
  }
  TAMIS_TRY(words, detail::BitWords::zeroed(bits));
  return Access::make<BloomFilter>(std::move(*words), hashes, sizing::bloom_capacity(bits, hashes),
                                   hasher, std::uint64_t{0});
}

Status adopt_bits(BloomFilter& filter, BitOrder order, std::uint64_t count) noexcept {
  std::uint64_t bits_set = 0;
  for (std::uint64_t& word : Access::words(filter)) {
    word = load_word(reinterpret_cast<const std::byte*>(&word), order);
    bits_set += static_cast<std::uint64_t>(std::popcount(word));
  }
  TAMIS_TRY(keys, check_count(count, bits_set, filter.bits(), filter.hashes()));
  Access::set_count(filter, *keys);
  return filter.validate();
}

Result<BlockedBloomFilter> prepare_blocks(std::size_t size, const Hasher& hasher) noexcept {
  constexpr std::size_t kBlockBytes = sizing::kBlockBits / 8;
  if (size == 0 || size % kBlockBytes != 0) return Status::kCorrupt;
  if (size > sizing::kMaxBits / 8) return Status::kTooLarge;
  return Access::of_blocks<BlockedBloomFilter>(
      size / kBlockBytes, sizing::bloom_capacity(std::uint64_t{8} * size, kLanes), hasher);
}

Status adopt_blocks(BlockedBloomFilter& filter, std::uint64_t count) noexcept {
  std::uint64_t bits_set = 0;
  for (std::uint32_t& lane : Access::words(filter)) {
    lane = detail::load_le32(reinterpret_cast<const std::byte*>(&lane));
    bits_set += static_cast<std::uint64_t>(std::popcount(lane));
  }
  TAMIS_TRY(keys, check_count(count, bits_set, 8 * filter.size_bytes(), kLanes));
  Access::set_count(filter, *keys);
  return filter.validate();
}

}  // namespace tamis
