// tamis/interop/foreign_bits.hpp - Bloom filters made of the arrays that other libraries wrote.
//
// The container is the caller's to parse. What comes out is a filter like any other: it has the
// capacity at which its geometry is best, max(1, floor(m ln 2 / k)). An array is never there twice:
// the caller puts it into the words of a prepared filter, and that adopts it where it lies.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tamis/filters/blocked_bloom.hpp>
#include <tamis/filters/bloom.hpp>

namespace tamis {

// Where bit p of an array lies.
enum class BitOrder : std::uint32_t {
  kLsbFirst,        // byte p / 8, mask 1 << p % 8
  kBigEndianWords,  // mask 1 << p % 64 of 64-bit words, each written big-endian
  kMsbFirst,        // byte p / 8, mask 0x80 >> p % 8
};

// The file does not say how many keys were added: what the set bits say stands in its place.
inline constexpr std::uint64_t kUncounted = ~std::uint64_t{0};

// A filter with room in its words for an array of `size` bytes. All are 0 yet, and what an array that
// ends early does not fill stays so. It is for adopt_bits() alone until that has taken the array.
// kCorrupt for more bytes than the bits have, and for no bits or hashes; kTooLarge, kOutOfMemory.
[[nodiscard]] Result<BloomFilter> prepare_bits(std::size_t size, std::uint64_t bits,
                                               std::uint32_t hashes, const Hasher& hasher) noexcept;
// Takes the array that lies in the words. kCorrupt for bits past the end, for a count that the bits
// contradict, and for what the scheme does not allow; kTooLarge. What is refused is of no use.
[[nodiscard]] Status adopt_bits(BloomFilter& filter, BitOrder order, std::uint64_t count) noexcept;

// The same for blocks of 32 bytes, in the order of FORMAT.md. kCorrupt for a part of a block too.
[[nodiscard]] Result<BlockedBloomFilter> prepare_blocks(std::size_t size,
                                                        const Hasher& hasher) noexcept;
[[nodiscard]] Status adopt_blocks(BlockedBloomFilter& filter, std::uint64_t count) noexcept;

}  // namespace tamis
