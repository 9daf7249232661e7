// tamis/interop/foreign_bits.hpp - turns bit arrays that other libraries wrote into Bloom filters.
//
// The caller parses the container. The result is a BloomFilter or BlockedBloomFilter like any
// other. Its capacity is the number of keys for which its geometry is best, max(1, floor(m ln 2 /
// k)). The array is never in memory twice: the caller writes it into the words of a prepared filter
// (Access), and adopt_bits() converts it in place.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tamis/filters/blocked_bloom.hpp>
#include <tamis/filters/bloom.hpp>

namespace tamis {

// Where bit p is in the array.
enum class BitOrder : std::uint32_t {
  kLsbFirst,        // byte p / 8, mask 1 << p % 8
  kBigEndianWords,  // bit p % 64 of 64-bit word p / 64, where words are big-endian
  kMsbFirst,        // byte p / 8, mask 0x80 >> p % 8
};

// The count to pass if a file has none. It is then estimated from the set bits.
inline constexpr std::uint64_t kUncounted = ~std::uint64_t{0};

// A filter whose words have room for an array of `size` bytes. All bytes are 0, so a shorter array
// leaves the rest 0. Only adopt_bits() may use it before it succeeded. Returns kCorrupt if `size`
// is more than the bits need or if `bits` or `hashes` is 0, kTooLarge or kOutOfMemory.
[[nodiscard]] Result<BloomFilter> prepare_bits(std::size_t size, std::uint64_t bits,
                                               std::uint32_t hashes, const Hasher& hasher) noexcept;
// Converts the array in the words. Returns kTooLarge, or kCorrupt if bits past the end are set, the
// count contradicts the bits, or the scheme forbids the options. Do not use the filter after a
// failure.
[[nodiscard]] Status adopt_bits(BloomFilter& filter, BitOrder order, std::uint64_t count) noexcept;

// Do the same for blocks of 32 bytes, in the order of FORMAT.md. They also return kCorrupt if the
// last block is incomplete.
[[nodiscard]] Result<BlockedBloomFilter> prepare_blocks(std::size_t size,
                                                        const Hasher& hasher) noexcept;
[[nodiscard]] Status adopt_blocks(BlockedBloomFilter& filter, std::uint64_t count) noexcept;

}  // namespace tamis
