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

// How the array orders its bits: where bit p is.
enum class BitOrder : std::uint32_t {
  kLsbFirst,        // byte p / 8, mask 1 << p % 8
  kBigEndianWords,  // bit p % 64 of 64-bit word p / 64, where words are big-endian
  kMsbFirst,        // byte p / 8, mask 0x80 >> p % 8
};

// The count to pass if a file has none. It is then estimated from the set bits.
inline constexpr std::uint64_t kUncounted = ~std::uint64_t{0};

// A filter with room for an array of `size` bytes. They are 0, so a shorter array leaves the rest
// 0. Until adopt_bits() succeeds, do not use the filter. Returns kTooLarge, kOutOfMemory, or
// kCorrupt if `size` is more than the bits need or if `bits` or `hashes` is 0.
[[nodiscard]] Result<BloomFilter> prepare_bits(std::size_t size, std::uint64_t bits,
                                               std::uint32_t hashes, const Hasher& hasher) noexcept;
// Converts the array in the words. Returns kTooLarge if the count is above 2^53 - 1, or kCorrupt if
// bits past the end are set, if one of the count and the number of set bits is 0 and the other is
// not, or if the scheme forbids the options. After a failure, do not use the filter.
[[nodiscard]] Status adopt_bits(BloomFilter& filter, BitOrder order, std::uint64_t count) noexcept;

// The same for blocks of 32 bytes, in the order of FORMAT.md. kCorrupt also means that the last
// block is incomplete.
[[nodiscard]] Result<BlockedBloomFilter> prepare_blocks(std::size_t size,
                                                        const Hasher& hasher) noexcept;
[[nodiscard]] Status adopt_blocks(BlockedBloomFilter& filter, std::uint64_t count) noexcept;

}  // namespace tamis
