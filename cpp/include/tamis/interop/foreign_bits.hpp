// tamis/interop/foreign_bits.hpp - Bloom filters of the arrays that other libraries wrote.
//
// The caller parses the container. The result is a filter like any other. It has the capacity at
// which its geometry is best, max(1, floor(m ln 2 / k)). No array is ever in memory twice: the
// caller writes it into the words of a prepared filter (Access), which then adopts it in place.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tamis/filters/blocked_bloom.hpp>
#include <tamis/filters/bloom.hpp>

namespace tamis {

// The place of bit p in an array.
enum class BitOrder : std::uint32_t {
  kLsbFirst,        // byte p / 8, mask 1 << p % 8
  kBigEndianWords,  // mask 1 << p % 64 of 64-bit words, each written big-endian
  kMsbFirst,        // byte p / 8, mask 0x80 >> p % 8
};

// The count of a file that does not give the number of keys. The set bits give an estimate instead.
inline constexpr std::uint64_t kUncounted = ~std::uint64_t{0};

// A filter with room in its words for an array of `size` bytes. All are 0, and an array that ends
// early leaves the rest 0. Until adopt_bits() has taken the array, only that may use it. Returns
// kCorrupt for more bytes than the bits have and for no bits or hashes, kTooLarge or kOutOfMemory.
[[nodiscard]] Result<BloomFilter> prepare_bits(std::size_t size, std::uint64_t bits,
                                               std::uint32_t hashes, const Hasher& hasher) noexcept;
// Takes the array in the words. Returns kTooLarge, or kCorrupt for three faults: bits past the end,
// a count that the bits contradict, and options that the scheme forbids. A refused filter is of no
// use.
[[nodiscard]] Status adopt_bits(BloomFilter& filter, BitOrder order, std::uint64_t count) noexcept;

// Do the same for blocks of 32 bytes, in the order of FORMAT.md. They return kCorrupt for a part of
// a block too.
[[nodiscard]] Result<BlockedBloomFilter> prepare_blocks(std::size_t size,
                                                        const Hasher& hasher) noexcept;
[[nodiscard]] Status adopt_blocks(BlockedBloomFilter& filter, std::uint64_t count) noexcept;

}  // namespace tamis
