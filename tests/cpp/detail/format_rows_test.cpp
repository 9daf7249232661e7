// The rows of FORMAT.md on the range that a hash is reduced to, sizes above 2^32 too, which no
// filter of a test can have. Those of fuse filters and retrievals are read beside their other tests.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <tamis/detail/mcg_positions.hpp>
#include <tamis/filters/cuckoo.hpp>
#include <tamis/filters/d_left_counting.hpp>
#include <tamis/routes.hpp>

#include "filters/bloom_samples.hpp"
#include "support/format_table.hpp"

namespace tamis::test {
namespace {

__extension__ using Wide = unsigned __int128;
using Numbers = std::vector<std::uint64_t>;
constexpr std::uint64_t kNarrow = std::uint64_t{1} << 32;

Numbers numbers(const std::string& cell) {
  std::istringstream words(cell);
  Numbers found;
  for (std::uint64_t number = 0; words >> number;) found.push_back(number);
  return found;
}

Bytes key_in(const std::string& cell) {
  return cell.empty() ? Bytes() : from_hex(cell.substr(1, cell.size() - 2));
}

TEST(FormatRows, Hi) {
  const auto rows = format_table("| x | m | hi(x) | the other form |");
  std::size_t above = 0;
  for (const auto& row : rows) {
    const std::uint64_t x = hexadecimal(row.at(0)), m = decimal(row.at(1));
    EXPECT_EQ(reduce(x, m), decimal(row.at(2))) << row[0];
    const auto narrow = static_cast<std::uint64_t>((Wide{x >> 32} * m) >> 32);
    EXPECT_EQ(m <= kNarrow ? mulhi(x, m) : narrow, decimal(row.at(3))) << row[0];
    if (m > kNarrow) ++above;
    // `m < 2^32`, and a whole product.
    if (m < kNarrow) {
      EXPECT_EQ(mulhi_narrow(x, m), decimal(row.at(3)));
    }
  }
  EXPECT_GT(above, 5u);
  EXPECT_GT(rows.size(), above + 5);
}

TEST(FormatRows, PositionsOfBits) {
  std::size_t above = 0;
  for (const auto& row : format_table("| scheme | seed | m | k | key (hex) | positions |")) {
    const std::uint64_t seed = decimal(row.at(1)), bits = decimal(row.at(2));
    const auto hashes = static_cast<std::uint32_t>(decimal(row.at(3)));
    const Bytes key = key_in(row.at(4));
    const Numbers expected = numbers(row.at(5));
    if (bits > kNarrow) ++above;
    if (row[0] == "mcg" || row[0] == "mcg, keyed") {
      const Hasher hasher = row[0] == "mcg" ? Hasher(HashId::kXxh3, seed) : Hasher(sip_key(), seed);
      detail::McgPositions probe(hasher.mix(hasher(key)), bits);
      for (const std::uint64_t position : expected) EXPECT_EQ(probe.next(), position) << row[4];
    } else if (row[0] == "seeds") {
      // The system gives no memory for pages that nobody touches.
      EXPECT_EQ(positions_of(bloom(bits, hashes, Hasher(HashId::kSeeds, seed)), key), expected);
    }
  }
  EXPECT_GT(above, 2u);
}

TEST(FormatRows, Blocks) {
  const auto rows = format_table("| B | g | b | i |");
  EXPECT_GT(rows.size(), 5u);
  for (const auto& row : rows) {
    const std::uint64_t blocks = decimal(row.at(0)), g = hexadecimal(row.at(1));
    EXPECT_EQ(reduce(g, blocks), decimal(row.at(2)));
    // The bits of a block do not follow from their number.
    const auto few = static_cast<std::uint32_t>(blocks < kNarrow ? blocks : 1);
    const std::array<Hash, 1> h{Hash{unfmix64(g)}};
    std::array<std::uint32_t, kBlockNumbers> found{};
    block_routes_of(h, 0, few, found.data());
    if (blocks < kNarrow) {
      EXPECT_EQ(found[0], decimal(row.at(2)));
    }
    const Numbers bits = numbers(row.at(3));
    ASSERT_EQ(bits.size(), 8u);
    for (std::uint32_t i = 0; i < 8; ++i) EXPECT_EQ(found[i + 1], 32 * i + bits[i]) << row[1];
  }
}

TEST(FormatRows, BucketsOfDLeft) {
  const auto rows = format_table("| B | r | g | b | q | buckets |");
  EXPECT_GT(rows.size(), 5u);
  for (const auto& row : rows) {
    const auto buckets = static_cast<std::uint32_t>(decimal(row.at(0)));
    const std::uint64_t g = hexadecimal(row.at(2));
    const std::uint64_t first = reduce(g, buckets);
    const std::uint64_t remainder = g & ((std::uint64_t{1} << decimal(row.at(1))) - 1);
    EXPECT_EQ(first, decimal(row.at(3)));
    EXPECT_EQ(remainder, decimal(row.at(4)));
    const auto shifts = d_left_shifts(static_cast<std::uint32_t>(remainder), buckets);
    const Numbers expected = numbers(row.at(5));
    ASSERT_EQ(expected.size(), shifts.size());
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ((first + shifts[i]) % buckets, expected[i]);
  }
}

TEST(FormatRows, PlacesOfCuckoo) {
  const auto rows = format_table("| m | f | g | F | i1 | i2 |");
  EXPECT_GT(rows.size(), 6u);
  for (const auto& row : rows) {
    const CuckooPlaces places(static_cast<std::uint32_t>(decimal(row.at(0))),
                              static_cast<std::uint32_t>(decimal(row.at(1))));
    const std::uint64_t g = hexadecimal(row.at(2));
    EXPECT_EQ(places.fingerprint(g), decimal(row.at(3)));
    EXPECT_EQ(places.first(g), decimal(row.at(4)));
    EXPECT_EQ(places.partner(places.first(g), places.fingerprint(g)), decimal(row.at(5)));
  }
}

TEST(FormatRows, CellsOfTables) {
  const auto rows = format_table("| hash id | seed | d | m | key (hex) | cells | checksum |");
  EXPECT_GT(rows.size(), 9u);
  for (const auto& row : rows) {
    const std::uint64_t seed = decimal(row.at(1)), cells = decimal(row.at(3));
    const Hasher hasher = row[0] == "2" ? Hasher(sip_key(), seed) : Hasher(HashId::kXxh3, seed);
    EXPECT_EQ(sizing::iblt_cells(decimal(row.at(2))), cells);
    const std::uint64_t g = hasher.mix(hasher(key_in(row.at(4))));
    const Numbers expected = numbers(row.at(5));
    ASSERT_EQ(expected.size(), 4u);
    for (std::uint64_t j = 0; j < 4; ++j) {
      EXPECT_EQ(j * (cells / 4) + reduce(splitmix64(g + j), cells / 4), expected[j]);
    }
    EXPECT_EQ(splitmix64(g + 4), hexadecimal(row.at(6)));
  }
}

TEST(FormatRows, Rates) {
  const auto expect_near = [](double rate, const std::string& cell) {
    const double expected = std::stod(cell);
    EXPECT_NEAR(rate, expected, 1e-8 * expected);
  };
  const auto rows = format_table("| m | k | n | rate |"), blocks = format_table("| B | n | rate |");
  EXPECT_GT(rows.size(), 9u);
  EXPECT_GT(blocks.size(), 5u);
  for (const auto& row : rows) {
    const auto hashes = static_cast<std::uint32_t>(decimal(row.at(1)));
    expect_near(sizing::bloom_fpr(std::stod(row.at(0)), hashes, std::stod(row.at(2))), row.at(3));
  }
  for (const auto& row : blocks) {
    expect_near(sizing::blocked_bloom_fpr(std::stod(row.at(0)), std::stod(row.at(1))), row.at(2));
  }
}

TEST(FormatRows, Routes) {
  const auto pages = format_table("| seed | h | pages | page |");
  EXPECT_GT(pages.size(), 6u);
  for (const auto& row : pages) {
    const auto count = static_cast<std::uint32_t>(decimal(row.at(2)));
    EXPECT_EQ(route_of(Hash{hexadecimal(row.at(1))}, Route::kPage, hexadecimal(row.at(0)), count),
              decimal(row.at(3)));
  }
  const auto shards = format_table("| seed | h | shards | blocks | shard | offsets |");
  EXPECT_GT(shards.size(), 6u);
  for (const auto& row : shards) {
    const std::uint64_t seed = hexadecimal(row.at(0));
    // Twice: what follows a hash begins behind its numbers.
    const std::array<Hash, 2> h{Hash{~hexadecimal(row.at(1))}, Hash{hexadecimal(row.at(1))}};
    const auto count = static_cast<std::uint32_t>(decimal(row.at(2)));
    EXPECT_EQ(route_of(h[1], Route::kShard, seed, count), decimal(row.at(4)));
    std::array<std::uint32_t, 2 * kBlockNumbers> numbers_of{};
    block_routes_of(h, seed, static_cast<std::uint32_t>(decimal(row.at(3))), numbers_of.data());
    const auto found = std::span(numbers_of).last(kBlockNumbers);
    const Numbers offsets = numbers(row.at(5));
    ASSERT_EQ(offsets.size(), 8u);
    for (std::size_t i = 0; i < 8; ++i) {
      const std::uint64_t bit = 256 * std::uint64_t{found[0]} + found[i + 1];
      EXPECT_EQ(bit - bit % 8 + 7 - bit % 8, offsets[i]);
    }
  }
}

}  // namespace
}  // namespace tamis::test
