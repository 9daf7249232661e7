// The XOR of masked bytes, in the form that this machine chooses; masked_xor_portable_test.cpp
// includes this file for the portable form.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>

#include <tamis/detail/masked_xor.hpp>

namespace tamis::test {
namespace {

void expect_fold(const std::array<std::byte, 80>& bytes, std::size_t from, std::uint64_t mask) {
  std::uint32_t expected = 0;
  for (std::size_t i = 0; i < 64; ++i) {
    if ((mask >> i & 1) != 0) expected ^= std::to_integer<std::uint32_t>(bytes[from + i]);
  }
  ASSERT_EQ(detail::ByteMask(mask).fold(bytes.data() + from), expected)
      << "mask " << mask << " from " << from;
}

TEST(MaskedXor, IsTheSumByteByByte) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 2'000; ++round) {
    std::array<std::byte, 80> bytes;
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() & 0xff);
    for (std::size_t from = 0; from <= 16; ++from)
      ASSERT_NO_FATAL_FAILURE(expect_fold(bytes, from, random()));
    // A single bit, and the edges.
    ASSERT_NO_FATAL_FAILURE(expect_fold(bytes, 3, std::uint64_t{1} << (round % 64)));
    ASSERT_NO_FATAL_FAILURE(expect_fold(bytes, 3, ~(std::uint64_t{1} << (round % 64))));
    for (const std::uint64_t mask :
         {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{0xffff}, std::uint64_t{1} << 63}) {
      ASSERT_NO_FATAL_FAILURE(expect_fold(bytes, 5, mask));
    }
  }
}

TEST(MaskedXor, OneMaskForManyPlanes) {
  std::array<std::byte, 80> first{}, second{};
  first[7] = std::byte{0xa5};
  second[63] = std::byte{0x5a};
  const detail::ByteMask mask(std::uint64_t{1} << 63 | std::uint64_t{1} << 7);
  EXPECT_EQ(mask.fold(first.data()), 0xa5u);
  EXPECT_EQ(mask.fold(second.data()), 0x5au);
  EXPECT_EQ(mask.fold(first.data() + 1), 0u);
}

}  // namespace
}  // namespace tamis::test
