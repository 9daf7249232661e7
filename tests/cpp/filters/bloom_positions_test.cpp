// Which bits a key has: every scheme against vectors, and the reduction to the size of the array.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <ios>
#include <sstream>
#include <string>
#include <vector>

#include <tamis/hash/bloom_scheme.hpp>

#include "filters/bloom_samples.hpp"

namespace tamis::test {
namespace {

TEST(BloomPositions, Vectors) {
  const std::vector<std::string> lines = vector_lines("bloom-positions.txt");
  ASSERT_EQ(lines.size(), 1558u);
  for (const std::string& line : lines) {
    std::istringstream fields(line);
    int id = 0;
    std::uint64_t seed = 0, bits = 0;
    std::uint32_t hashes = 0;
    std::string key_hex;
    ASSERT_TRUE(fields >> id >> std::hex >> seed >> std::dec >> bits >> hashes >> key_hex) << line;
    const Bytes key = key_hex == "-" ? Bytes() : from_hex(key_hex);
    std::vector<std::uint64_t> expected(hashes);
    for (auto& position : expected) ASSERT_TRUE(fields >> position) << line;

    const HashId hash_id{static_cast<std::uint8_t>(id)};
    const auto filter =
        bloom(bits, hashes,
              hash_id == HashId::kSipHash ? Hasher(sip_key(), seed) : Hasher(hash_id, seed));
    EXPECT_EQ(positions_of(filter, HeapCopy(key).span()), expected) << line;
  }
}

TEST(BloomPositions, AreTheBitsThatInsertSetsAndMayContainAsks) {
  for (const Hasher& hasher : hashers_of<BloomFilter>()) {
    const std::uint32_t hashes = hasher.id() == HashId::kMurmur2aFnv1a ? 2 : 5;
    for (std::uint64_t i = 0; i < 50; ++i) {
      const Bytes key = make_key(KeyFamily::kUrls, 0, i);
      auto filter = bloom(640, hashes, hasher);
      const auto positions = positions_of(filter, key);
      filter.insert(key);
      for (std::uint64_t bit = 0; bit < filter.bits(); ++bit) {
        const auto is_set = filter.test(bit);
        ASSERT_TRUE(is_set.ok());
        ASSERT_EQ(*is_set, std::ranges::count(positions, bit) > 0)
            << name_of(hasher) << ", bit " << bit;
      }
    }
  }
}

TEST(BloomPositions, StayInsideEverySize) {
  for (const Hasher& hasher : hashers_of<BloomFilter>()) {
    for (const std::uint64_t bits : {1u, 2u, 63u, 64u, 65u, 128u, 1'000u, 4'096u}) {
      if ((bits & detail::find_bloom_scheme(hasher.id())->step_mask) != 0) continue;
      const std::uint32_t hashes = hasher.id() == HashId::kMurmur2aFnv1a ? 2 : 42;
      const auto filter = bloom(bits, hashes, hasher);
      for (std::uint64_t i = 0; i < 100; ++i) {
        for (const std::uint64_t position :
             positions_of(filter, make_key(KeyFamily::kRandom, 0, i))) {
          ASSERT_LT(position, bits) << name_of(hasher);
        }
      }
    }
  }
}

// The index function is free of the filter: sizes that no test can allocate. Figures by Python.
TEST(McgPositions, AboveAndBelow32Bits) {
  const auto first_five = [](std::uint64_t bits) {
    detail::McgPositions probe(0x0123456789abcdef, bits);
    std::vector<std::uint64_t> found(5);
    for (auto& position : found) position = probe.next();
    return found;
  };
  using Five = std::vector<std::uint64_t>;
  EXPECT_EQ(first_five(4294967297),
            (Five{19088743, 2919135179, 2233874890, 2191149129, 441716848}));
  EXPECT_EQ(first_five(1000000000039),
            (Five{4444444444, 679664122698, 520114528473, 510166662056, 102845218227}));
  EXPECT_EQ(first_five(70368744177664),
            (Five{312749974122, 47827110775017, 36599806195781, 35899787328828, 7237088851097}));
}

TEST(McgPositions, ReduceIsMonotoneAndReachesBothEnds) {
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  for (const std::uint64_t bits :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{9'586}, std::uint64_t{1} << 32,
        (std::uint64_t{1} << 32) + 1, std::uint64_t{1} << 46}) {
    EXPECT_EQ(reduce(0, bits), 0u);
    EXPECT_EQ(reduce(kMost, bits), bits - 1);
    std::uint64_t before = 0;
    for (std::uint64_t step = 0; step < 1'000; ++step) {
      const std::uint64_t position = reduce(kMost / 1'000 * step, bits);
      ASSERT_GE(position, before);
      before = position;
    }
  }
  // At 2^32 bits the position is the high word.
  EXPECT_EQ(reduce(0xdeadbeef'00000000, std::uint64_t{1} << 32), 0xdeadbeefu);
}

}  // namespace
}  // namespace tamis::test
