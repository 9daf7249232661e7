// The bit array: its parts, its ends, and the places of its bits. The model has the rest.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "support/samples.hpp"

namespace tamis::test {
namespace {

BitArray bits(std::uint64_t length) {
  auto made = BitArray::create({.length = length});
  EXPECT_TRUE(made.ok());
  return std::move(*made);
}

std::string printed(const BitArray& array) {
  std::string text(static_cast<std::size_t>(array.length()), '?');
  EXPECT_EQ(array.print(0, text), Status::kOk);
  return text;
}

BitArray from_text(const std::string& text) {
  BitArray array = bits(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '1') {
      EXPECT_TRUE(array.set(i).ok());
    }
  }
  return array;
}

TEST(BitArray, NextIsTheFirstFromThereOn) {
  const std::string text = "0010" + std::string(130, '0') + "1" + std::string(57, '0') + "11";
  for (const std::string& bits_of : {text, text + "0", std::string(64, '0'), std::string()}) {
    const BitArray array = from_text(bits_of);
    for (std::size_t from = 0; from <= bits_of.size(); ++from) {
      const std::size_t found = bits_of.find('1', from);
      EXPECT_EQ(array.next(from), found == std::string::npos ? bits_of.size() : found) << from;
    }
    EXPECT_EQ(array.next(~std::uint64_t{0}), bits_of.size());
  }
}

TEST(BitArray, OutsideIsRefusedAndChangesNothing) {
  for (const std::uint64_t length : {0u, 1u, 64u, 100u}) {
    BitArray array = bits(length);
    const Bytes before = wire_bytes(array);
    for (const std::uint64_t i :
         {length, length + 1, length | 63, std::uint64_t{1} << 32, ~std::uint64_t{0}}) {
      if (i < length) continue;
      EXPECT_EQ(array.test(i).status(), Status::kInvalidOption);
      EXPECT_EQ(array.set(i).status(), Status::kInvalidOption);
      EXPECT_EQ(array.unset(i).status(), Status::kInvalidOption);
      EXPECT_EQ(array.toggle(i).status(), Status::kInvalidOption);
    }
    EXPECT_EQ(wire_bytes(array), before);
  }
}

TEST(BitArray, ClearEmptiesIt) {
  for (const std::uint64_t length : {0u, 1u, 64u, 100u}) {
    BitArray array = bits(length);
    const Bytes empty = wire_bytes(array);
    for (std::uint64_t i = 0; i < length; i += 3) EXPECT_TRUE(array.set(i).ok());
    EXPECT_EQ(array.count(), (length + 2) / 3);
    array.clear();
    EXPECT_EQ(wire_bytes(array), empty);
  }
}

TEST(BitArray, OfNoLength) {
  const BitArray array = bits(0);
  EXPECT_EQ(array.count(), 0u);
  EXPECT_EQ(array.size_bytes(), 0u);
  EXPECT_EQ(printed(array), "");
  EXPECT_EQ(array.validate(), Status::kOk);
  const Bytes bytes = wire_bytes(array);
  EXPECT_EQ(bytes.size(), kHeaderBytes);
  const auto decoded = decode<BitArray>(HeapCopy(bytes).span());
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->length(), 0u);
  EXPECT_EQ(wire_bytes(*decoded), bytes);
  BitArray copy = bits(0);
  EXPECT_EQ(copy.merge(array), Status::kOk);
  EXPECT_EQ(copy.intersect(array), Status::kOk);
  EXPECT_TRUE(array.clone().ok());
}

TEST(BitArray, MergeAndIntersect) {
  BitArray both = from_text("0011");
  ASSERT_EQ(both.merge(from_text("0101")), Status::kOk);
  EXPECT_EQ(printed(both), "0111");
  EXPECT_EQ(both.count(), 3u);
  BitArray common = from_text("0011");
  ASSERT_EQ(common.intersect(from_text("0101")), Status::kOk);
  EXPECT_EQ(printed(common), "0001");
  EXPECT_EQ(common.count(), 1u);
  for (const std::uint64_t length : {0u, 3u, 5u, 68u}) {
    EXPECT_EQ(both.merge(bits(length)), Status::kIncompatible);
    EXPECT_EQ(both.intersect(bits(length)), Status::kIncompatible);
  }
  EXPECT_EQ(printed(both), "0111");
}

TEST(BitArray, PrintsParts) {
  const std::string text =
      "0110010111010001011010100011101010001011101010111110000101010101011101101";
  const BitArray array = from_text(text);
  for (std::size_t from = 0; from <= text.size(); ++from) {
    std::string part(text.size() - from, '?');
    ASSERT_EQ(array.print(from, part), Status::kOk);
    ASSERT_EQ(part, text.substr(from));
  }
  std::string more(text.size() + 1, '?');
  EXPECT_EQ(array.print(0, more), Status::kInvalidOption);
  EXPECT_EQ(array.print(text.size() + 1, std::span<char>()), Status::kInvalidOption);
}

// Bit 21 is bit 5 of byte 2.
TEST(BitArray, BitsStandInTheirBytes) {
  for (std::size_t i = 0; i < 128; ++i) {
    BitArray array = bits(128);
    ASSERT_TRUE(array.set(i).ok());
    const Bytes bytes = wire_bytes(array);
    Bytes expected(16);
    expected[i / 8] = static_cast<std::byte>(1u << (i % 8));
    ASSERT_TRUE(
        std::equal(expected.begin(), expected.end(), bytes.begin() + kHeaderBytes, bytes.end()));
  }
}

TEST(BitArray, TooLong) {
  for (const std::uint64_t length : {sizing::kMaxBits + 1, ~std::uint64_t{0}}) {
    EXPECT_EQ(BitArray::create({.length = length}).status(), Status::kTooLarge);
    EXPECT_EQ(BitArray::size_for({.length = length}).status(), Status::kTooLarge);
  }
  const auto most = BitArray::size_for({.length = sizing::kMaxBits});
  ASSERT_TRUE(most.ok());
  EXPECT_EQ(*most, sizing::kMaxBits / 8);
}

}  // namespace
}  // namespace tamis::test
