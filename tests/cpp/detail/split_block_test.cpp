// The bits of a split block, by the formula of Parquet's specification, in the form that this
// machine chooses; split_block_portable_test.cpp includes this file for the portable form.

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <random>

#include <tamis/detail/split_block.hpp>

namespace tamis::test {
namespace {

using Block = std::array<std::uint32_t, 8>;

// Parquet's block_insert: mask(x), lane by lane.
Block mask(std::uint32_t h) {
  constexpr std::uint32_t kParquetSalt[] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                            0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};
  Block bits;
  for (std::size_t i = 0; i < 8; ++i) {
    const std::uint64_t product = std::uint64_t{h} * kParquetSalt[i] % (std::uint64_t{1} << 32);
    bits[i] = std::uint32_t{1} << (product >> 27);
  }
  return bits;
}

// 0, all ones, every single bit, then random.
std::uint32_t sample(std::uint64_t i) {
  static std::mt19937 random(1);
  if (i < 32) return std::uint32_t{1} << i;
  return i == 32 ? 0 : i == 33 ? ~std::uint32_t{0} : static_cast<std::uint32_t>(random());
}

TEST(SplitBlock, SetsTheBitsOfTheFormula) {
  Block seen{};  // that every bit of every lane is met, the highest above all
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    const std::uint32_t h = sample(i);
    const Block expected = mask(h);
    Block block{};
    ASSERT_FALSE(detail::split_block_test(block.data(), h));
    ASSERT_FALSE(detail::split_block_set(block.data(), h));
    ASSERT_EQ(block, expected) << h;
    ASSERT_TRUE(detail::split_block_test(block.data(), h));
    ASSERT_TRUE(detail::split_block_set(block.data(), h));
    ASSERT_EQ(block, expected) << "set again";
    for (std::size_t lane = 0; lane < 8; ++lane) seen[lane] |= block[lane];
  }
  for (const std::uint32_t lane : seen) EXPECT_EQ(lane, ~std::uint32_t{0});
}

TEST(SplitBlock, AsksForEachOfTheEightBits) {
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const std::uint32_t h = sample(i);
    for (std::size_t lane = 0; lane < 8; ++lane) {
      Block block;
      block.fill(~std::uint32_t{0});
      block[lane] &= ~mask(h)[lane];
      ASSERT_FALSE(detail::split_block_test(block.data(), h)) << h << ", lane " << lane;
      ASSERT_FALSE(detail::split_block_set(block.data(), h));
      ASSERT_EQ(block[lane], ~std::uint32_t{0});
    }
    Block only = mask(h);
    ASSERT_TRUE(detail::split_block_test(only.data(), h)) << "no other bit is asked for";
  }
}

TEST(SplitBlock, AFilledBlockAgainstTheFormula) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    Block block{}, model{};
    for (int key = 0; key < 20; ++key) {
      const auto h = static_cast<std::uint32_t>(random());
      bool had = true;
      for (std::size_t lane = 0; lane < 8; ++lane) had = had && (model[lane] & mask(h)[lane]) != 0;
      ASSERT_EQ(detail::split_block_test(block.data(), h), had);
      ASSERT_EQ(detail::split_block_set(block.data(), h), had);
      for (std::size_t lane = 0; lane < 8; ++lane) model[lane] |= mask(h)[lane];
      ASSERT_EQ(block, model);
    }
    for (int absent_key = 0; absent_key < 200; ++absent_key) {
      const auto h = static_cast<std::uint32_t>(random());
      bool has = true;
      for (std::size_t lane = 0; lane < 8; ++lane) has = has && (model[lane] & mask(h)[lane]) != 0;
      ASSERT_EQ(detail::split_block_test(block.data(), h), has);
    }
  }
}

TEST(SplitBlock, LeavesTheNeighboursAlone) {
  alignas(32) std::array<Block, 3> blocks{};
  for (std::uint64_t i = 0; i < 1'000; ++i) detail::split_block_set(blocks[1].data(), sample(i));
  EXPECT_EQ(blocks[0], Block{});
  EXPECT_EQ(blocks[2], Block{});
}

}  // namespace
}  // namespace tamis::test
