// Filters of the arrays that other libraries wrote: the three orders of bits, the counts, and
// refused arrays.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include <tamis/interop/foreign_bits.hpp>

#include "support/samples.hpp"
#include "support/test_calloc.hpp"

namespace tamis::test {
namespace {

constexpr std::uint64_t kBits = 640;
constexpr std::uint32_t kHashes = 5;
const Hasher kScheme(HashId::kGuava32);

// A filter of these keys, and its array with the least bit of each byte first.
BloomFilter filled(std::uint64_t keys, std::uint64_t bits = kBits, const Hasher& hasher = kScheme) {
  auto filter = BloomFilter::create({.bits = bits, .hashes = kHashes, .hasher = hasher});
  EXPECT_TRUE(filter.ok());
  for (std::uint64_t i = 0; i < keys; ++i) filter->insert(own_key(i));
  return std::move(*filter);
}
Bytes array_of(const BloomFilter& filter) {
  const Bytes bytes = wire_bytes(filter);
  return Bytes(bytes.begin() + 80, bytes.end());
}

// The filter of an array that is put into a prepared filter.
Result<BloomFilter> adopt(std::span<const std::byte> array, BitOrder order, std::uint64_t bits,
                          std::uint32_t hashes, const Hasher& hasher, std::uint64_t count) {
  auto filter = prepare_bits(array.size(), bits, hashes, hasher);
  if (!filter.ok()) return filter;
  std::ranges::copy(array, std::as_writable_bytes(Access::words(*filter)).begin());
  const Status status = adopt_bits(*filter, order, count);
  if (status != Status::kOk) return status;
  return filter;
}
Result<BlockedBloomFilter> adopt(std::span<const std::byte> blocks, const Hasher& hasher,
                                 std::uint64_t count) {
  auto filter = prepare_blocks(blocks.size(), hasher);
  if (!filter.ok()) return filter;
  std::ranges::copy(blocks, std::as_writable_bytes(Access::words(*filter)).begin());
  const Status status = adopt_blocks(*filter, count);
  if (status != Status::kOk) return status;
  return filter;
}

Bytes in_order(Bytes array, BitOrder order) {
  if (order == BitOrder::kBigEndianWords) {
    for (std::size_t i = 0; i < array.size(); i += 8) {
      std::reverse(array.begin() + static_cast<std::ptrdiff_t>(i),
                   array.begin() + static_cast<std::ptrdiff_t>(i + 8));
    }
  } else if (order == BitOrder::kMsbFirst) {
    for (std::byte& byte : array) {
      unsigned reversed = 0;
      for (unsigned bit = 0; bit < 8; ++bit) {
        if (std::to_integer<unsigned>(byte) >> bit & 1) reversed |= 0x80u >> bit;
      }
      byte = static_cast<std::byte>(reversed);
    }
  }
  return array;
}

TEST(ForeignBits, EveryOrderGivesTheSameFilter) {
  const BloomFilter filter = filled(40);
  for (const BitOrder order :
       {BitOrder::kLsbFirst, BitOrder::kBigEndianWords, BitOrder::kMsbFirst}) {
    const Bytes array = in_order(array_of(filter), order);
    const auto adopted = adopt(array, order, kBits, kHashes, kScheme, filter.count());
    ASSERT_TRUE(adopted.ok()) << code(adopted.status());
    EXPECT_EQ(wire_bytes(*adopted), wire_bytes(filter));
  }
}

TEST(ForeignBits, ArraysThatEndEarlyHaveZerosBehind) {
  constexpr std::uint64_t kOdd = 77;  // neither whole words nor whole bytes
  const BloomFilter filter = filled(2, kOdd, Hasher(HashId::kRedisBloom));
  const Bytes array = array_of(filter);
  std::size_t used = array.size();
  while (array[used - 1] == std::byte{0}) --used;
  for (std::size_t size = used; size <= array.size(); ++size) {
    const auto adopted =
        adopt(std::span(array).first(size), BitOrder::kLsbFirst, kOdd, kHashes, filter.hasher(), 2);
    ASSERT_TRUE(adopted.ok()) << size;
    EXPECT_EQ(wire_bytes(*adopted), wire_bytes(filter)) << size;
  }
}

// The estimate -m/k ln(1 - X/m), rounded, and at least 1 if a bit is set.
TEST(ForeignBits, CountsWhatTheBitsSay) {
  for (const std::uint64_t keys : {0u, 1u, 2u, 20u, 60u, 100u}) {
    const BloomFilter filter = filled(keys);
    const auto adopted =
        adopt(array_of(filter), BitOrder::kLsbFirst, kBits, kHashes, kScheme, kUncounted);
    ASSERT_TRUE(adopted.ok());
    EXPECT_EQ(adopted->count(), static_cast<std::uint64_t>(filter.estimate_count() + 0.5)) << keys;
    EXPECT_EQ(adopted->capacity(), 88u);  // floor(640 ln 2 / 5)
  }
  Bytes one(kBits / 8);
  one[3] = std::byte{4};
  const auto least = adopt(one, BitOrder::kLsbFirst, kBits, 64, kScheme, kUncounted);
  ASSERT_TRUE(least.ok());
  EXPECT_EQ(least->count(), 1u);
  const auto full = adopt(Bytes(kBits / 8, std::byte{0xff}), BitOrder::kLsbFirst, kBits, kHashes,
                          kScheme, kUncounted);
  ASSERT_TRUE(full.ok());
  EXPECT_EQ(full->count(), full->capacity());
}

TEST(ForeignBits, RefusesWhatContradictsItself) {
  const Bytes array = array_of(filled(3));
  const auto status = [&](std::span<const std::byte> bytes, std::uint64_t bits,
                          std::uint32_t hashes, std::uint64_t count, const Hasher& hasher) {
    return adopt(bytes, BitOrder::kLsbFirst, bits, hashes, hasher, count).status();
  };
  EXPECT_EQ(status(array, kBits, kHashes, 3, kScheme), Status::kOk);
  EXPECT_EQ(status(array, kBits, kHashes, 0, kScheme), Status::kCorrupt);
  EXPECT_EQ(status(Bytes(array.size()), kBits, kHashes, 1, kScheme), Status::kCorrupt);
  EXPECT_EQ(status(array, kBits, kHashes, (std::uint64_t{1} << 53), kScheme), Status::kTooLarge);
  EXPECT_EQ(status(array, 0, kHashes, 3, kScheme), Status::kCorrupt);
  EXPECT_EQ(status(array, kBits, 0, 3, kScheme), Status::kCorrupt);
  EXPECT_EQ(status(array, kBits, 65, 3, kScheme), Status::kCorrupt);
  // Bits that are no multiple of 64, and fewer than the array has.
  EXPECT_EQ(status(array, kBits - 1, kHashes, 3, kScheme), Status::kCorrupt);
  EXPECT_EQ(status(array, kBits - 64, kHashes, 3, kScheme), Status::kCorrupt);
  EXPECT_EQ(status(array, sizing::kMaxBits + 64, kHashes, 3, kScheme), Status::kTooLarge);
  // A bit past the end of the last word.
  Bytes past(16);
  past[15] = std::byte{0x80};
  const Hasher redisbloom(HashId::kRedisBloom);
  EXPECT_EQ(status(past, 127, 3, kUncounted, redisbloom), Status::kCorrupt);
  EXPECT_EQ(status(past, 128, 3, kUncounted, redisbloom), Status::kOk);
  // A seed that the scheme has no place for is Spark's alone to refuse: the header holds no other.
  EXPECT_EQ(status(array, kBits, kHashes, 3, Hasher(HashId::kSparkV2, std::uint64_t{1} << 32)),
            Status::kCorrupt);
  EXPECT_EQ(status(array, kBits, kHashes, 3, Hasher(HashId::kParquet)), Status::kCorrupt);
}

// No memory is allocated for an impossible filter, and the array is in memory once.
TEST(ForeignBits, TakesTheMemoryOfTheFilterAlone) {
  tamis_fail_allocation(0);
  EXPECT_EQ(prepare_bits(0, 0, 1, kScheme).status(), Status::kCorrupt);
  EXPECT_EQ(prepare_bits(0, 64, 0, kScheme).status(), Status::kCorrupt);
  EXPECT_EQ(prepare_bits(9, 64, 1, kScheme).status(), Status::kCorrupt);
  EXPECT_EQ(prepare_bits(0, ~std::uint64_t{0}, 1, kScheme).status(), Status::kTooLarge);
  EXPECT_EQ(prepare_blocks(0, Hasher(HashId::kParquet)).status(), Status::kCorrupt);
  EXPECT_EQ(prepare_blocks(33, Hasher(HashId::kParquet)).status(), Status::kCorrupt);
  EXPECT_EQ(prepare_blocks(sizing::kMaxBits / 8 + 32, Hasher(HashId::kParquet)).status(),
            Status::kTooLarge);
  EXPECT_EQ(tamis_allocations(), 0u);
  const Bytes array = array_of(filled(3));
  tamis_fail_allocation(0);
  EXPECT_TRUE(adopt(array, BitOrder::kMsbFirst, kBits, kHashes, kScheme, kUncounted).ok());
  EXPECT_EQ(tamis_allocations(), 1u);
  EXPECT_TRUE(adopt(Bytes(64), Hasher(HashId::kParquet), kUncounted).ok());
  EXPECT_EQ(tamis_allocations(), 2u);
  tamis_fail_allocation(1);
  const Status bits = prepare_bits(array.size(), kBits, kHashes, kScheme).status();
  const Status blocks = prepare_blocks(64, Hasher(HashId::kParquet)).status();
  tamis_fail_allocation(0);
  EXPECT_EQ(bits, Status::kOutOfMemory);
  EXPECT_EQ(blocks, Status::kOutOfMemory);
}

TEST(ForeignBlocks, AreAFilterOfParquet) {
  const Hasher parquet(HashId::kParquet);
  auto made = BlockedBloomFilter::create({.capacity = 300, .hasher = parquet});
  ASSERT_TRUE(made.ok());
  for (std::uint64_t i = 0; i < 300; ++i) made->insert(own_key(i));
  const Bytes bytes = wire_bytes(*made);
  const Bytes blocks(bytes.begin() + 72, bytes.end());
  const auto adopted = adopt(blocks, parquet, kUncounted);
  ASSERT_TRUE(adopted.ok());
  EXPECT_NEAR(static_cast<double>(adopted->count()), 300, 30);
  for (std::uint64_t i = 0; i < 300; ++i) EXPECT_TRUE(adopted->may_contain(own_key(i)));

  const auto status = [&](std::span<const std::byte> some, std::uint64_t count) {
    return adopt(some, parquet, count).status();
  };
  EXPECT_EQ(status(blocks, 300), Status::kOk);
  EXPECT_EQ(status(blocks, 0), Status::kCorrupt);
  EXPECT_EQ(status({}, kUncounted), Status::kCorrupt);
  EXPECT_EQ(status(std::span(blocks).first(blocks.size() - 1), kUncounted), Status::kCorrupt);
  EXPECT_EQ(status(Bytes(32), kUncounted), Status::kOk);
  EXPECT_EQ(status(Bytes(32), 1), Status::kCorrupt);
  // A lane without a bit beside lanes that have one.
  Bytes torn(32);
  torn[0] = std::byte{1};
  EXPECT_EQ(status(torn, kUncounted), Status::kCorrupt);
}

}  // namespace
}  // namespace tamis::test
