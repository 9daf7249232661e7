// Fields of every width against a plain array of numbers, and the places of their bits.

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include <tamis/detail/packed_array.hpp>
#include "support/support.hpp"
#include "support/test_calloc.hpp"

namespace tamis::test {
namespace {

using detail::PackedArray;

PackedArray zeroed(std::uint64_t size, std::uint32_t width) {
  auto made = PackedArray::zeroed(size, width);
  EXPECT_TRUE(made.ok());
  return std::move(*made);
}

Bytes written(const PackedArray& array) {
  Bytes bytes(array.size_bytes());
  ByteWriter out(bytes);
  array.write(out);
  EXPECT_TRUE(out.take(1).empty());
  return bytes;
}

Status status_of(const Bytes& bytes, std::uint64_t size, std::uint32_t width) {
  const HeapCopy copy(bytes);
  ByteReader in(copy.span());
  return PackedArray::read(in, size, width).status();
}

class PackedArrayWidths : public ::testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(All, PackedArrayWidths, ::testing::Range(1u, 33u));

TEST_P(PackedArrayWidths, AgainstAPlainArray) {
  const std::uint32_t width = GetParam();
  std::mt19937_64 random(width);
  for (const std::size_t size : {1u, 2u, 3u, 31u, 64u, 65u, 200u}) {
    PackedArray array = zeroed(size, width);
    ASSERT_EQ(array.max(), static_cast<std::uint32_t>((std::uint64_t{1} << width) - 1));
    ASSERT_EQ(array.size(), size);
    ASSERT_EQ(array.width(), width);
    ASSERT_EQ(array.size_bytes(), (size * width + 63) / 64 * 8);
    std::vector<std::uint32_t> model(size);
    for (int step = 0; step < 600; ++step) {
      // The last field as often as all others: behind it there is only padding.
      const std::size_t i = random() % 2 == 0 ? size - 1 : random() % size;
      const auto any = static_cast<std::uint32_t>(random());
      const std::uint32_t value = random() % 3 == 0 ? array.max() : any & array.max();
      array.set(i, value);
      model[i] = value;
      ASSERT_EQ(array.get(i), value);
      ASSERT_EQ(array.get((i + 1) % size), model[(i + 1) % size]) << "the next field";
      ASSERT_EQ(array.get((i + size - 1) % size), model[(i + size - 1) % size])
          << "the field before";
    }
    for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(array.get(i), model[i]);
    EXPECT_TRUE(array.is_valid());
    EXPECT_EQ(written(array), pack_fields(model, width));

    const auto copy = array.clone();
    ASSERT_TRUE(copy.ok());
    array.clear();
    EXPECT_EQ(written(array), Bytes(array.size_bytes()));
    EXPECT_EQ(written(*copy), pack_fields(model, width));
  }
}

TEST_P(PackedArrayWidths, ReadTakesWhatWriteGave) {
  const std::uint32_t width = GetParam();
  for (const std::size_t size : {1u, 5u, 64u, 100u}) {
    PackedArray array = zeroed(size, width);
    for (std::size_t i = 0; i < size; ++i)
      array.set(i, static_cast<std::uint32_t>(fmix64(i)) & array.max());
    Bytes bytes = written(array);
    {
      const HeapCopy copy(bytes);
      ByteReader in(copy.span());
      const auto read = PackedArray::read(in, size, width);
      ASSERT_TRUE(read.ok());
      EXPECT_EQ(in.remaining(), 0u);
      EXPECT_EQ(written(*read), bytes);
    }
    for (std::size_t bit = size * width; bit < bytes.size() * 8; ++bit) {
      Bytes padded = bytes;
      padded[bit / 8] |= static_cast<std::byte>(1u << (bit % 8));
      ASSERT_EQ(status_of(padded, size, width), Status::kCorrupt)
          << "bit " << bit << " of " << size * width;
    }
    bytes.pop_back();
    EXPECT_EQ(status_of(bytes, size, width), Status::kCorrupt);
  }
}

TEST_P(PackedArrayWidths, Load) {
  const std::uint32_t width = GetParam();
  PackedArray array = zeroed(40, width);
  for (std::uint64_t i = 0; i < 40; ++i)
    array.set(i, static_cast<std::uint32_t>(fmix64(i)) & array.max());
  const Bytes bytes = written(array);
  for (std::size_t bit = 0; bit < 40 * width; ++bit) {
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i < 57; ++i) {
      const std::size_t at = bit + i;
      if (at >= bytes.size() * 8) break;
      expected |= std::uint64_t{std::to_integer<unsigned>(bytes[at / 8] >> (at % 8)) & 1u} << i;
    }
    ASSERT_EQ(array.load(bit) & ((std::uint64_t{1} << 57) - 1), expected) << bit;
  }
}

// Compares with a loop over each field. None, few or all fields are in use, with one bit set, any
// bits, or all. The sizes are near the ends of words, of groups of counted words, and of a chunk of
// those.
TEST_P(PackedArrayWidths, CountsWhatIsNotZero) {
  const std::uint32_t width = GetParam();
  std::mt19937_64 random(width);
  std::vector<std::uint64_t> sizes{0, 1, 2, 3, 5'000, 70'000};
  for (const std::uint64_t words : {1u, 2u, 3u, 7u, 57u, 64u}) {
    for (std::uint64_t i = 0; i < 5; ++i) sizes.push_back(words * 64 / width + i);
  }
  for (const std::uint64_t size : sizes) {
    for (const std::uint64_t share : {0u, 1u, 5u, 10u}) {
      PackedArray array = zeroed(size, width);
      for (std::uint64_t i = 0; i < size; ++i) {
        if (random() % 10 >= share) continue;
        const auto any = static_cast<std::uint32_t>(random());
        array.set(i, random() % 2 == 0 ? std::uint32_t{1} << any % width
                     : any % 2 == 0    ? array.max()
                                       : any & array.max());
      }
      std::uint64_t expected = 0;
      for (std::uint64_t i = 0; i < array.size(); ++i) expected += array.get(i) != 0 ? 1 : 0;
      ASSERT_EQ(array.count_nonzero(), expected) << size << " fields, " << share;
    }
  }
}

TEST(PackedArray, HostileSizes) {
  const Bytes bytes(64);
  for (const std::uint32_t width : {0u, 33u, 64u, ~0u}) {
    EXPECT_EQ(status_of(bytes, 1, width), Status::kCorrupt);
  }
  for (std::uint32_t width = 1; width <= 32; ++width) {
    for (const std::uint64_t size :
         {std::uint64_t{513}, std::uint64_t{1} << 32, std::uint64_t{1} << 59,
          (std::uint64_t{1} << 62) + 1, ~std::uint64_t{0} / width, ~std::uint64_t{0}}) {
      tamis_fail_allocation(0);
      ASSERT_EQ(status_of(bytes, size, width), Status::kCorrupt) << size << ", " << width;
      ASSERT_EQ(tamis_allocations(), 0u);
    }
  }
  EXPECT_EQ(PackedArray::zeroed(sizing::kMaxBits / 5 + 1, 5).status(), Status::kTooLarge);
  EXPECT_EQ(PackedArray::zeroed(~std::uint64_t{0}, 1).status(), Status::kTooLarge);
}

TEST(PackedArray, NoMemory) {
  tamis_fail_allocation(1);
  EXPECT_EQ(PackedArray::zeroed(10, 5).status(), Status::kOutOfMemory);
  EXPECT_EQ(status_of(Bytes(8), 10, 5), Status::kOutOfMemory);
  tamis_fail_allocation(0);
  const PackedArray array = zeroed(10, 5);
  tamis_fail_allocation(1);
  EXPECT_EQ(array.clone().status(), Status::kOutOfMemory);
  tamis_fail_allocation(0);
}

TEST(PackedArray, NoFields) {
  const PackedArray none = zeroed(0, 7);
  EXPECT_EQ(none.size_bytes(), 0u);
  EXPECT_TRUE(none.is_valid());
  EXPECT_EQ(status_of({}, 0, 7), Status::kOk);
}

}  // namespace
}  // namespace tamis::test
