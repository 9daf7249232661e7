// Rice-Golomb deltas: published vectors, round trips, and damaged streams.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>

#include <tamis/url/rice.hpp>

#include "support/support.hpp"
#include "support/test_calloc.hpp"
#include "url/url_samples.hpp"

namespace tamis::test {
namespace {

using url::rice_decode;
using url::rice_encode;
using url::RiceDeltas;

// The hex of what comes out, or "corrupt".
std::string outcome(const Result<tamis::Bytes>& result) {
  if (result.ok()) return hex(result->span());
  EXPECT_EQ(result.status(), Status::kCorrupt);
  return "corrupt";
}

TEST(Rice, PublishedVectorsV5) {
  const auto lines = vector_lines("url/rice-v5.txt");
  ASSERT_GT(lines.size(), 20u);
  for (const std::string& line : lines) {
    const auto w = words(line);
    if (w[0] == "skipped:") continue;
    const HeapCopy first(from_hex(w[1])), data(from_hex(w[3]));
    EXPECT_EQ(outcome(rice_decode({first.span(), static_cast<std::uint32_t>(std::stoul(w[0])),
                                   static_cast<std::uint32_t>(std::stoul(w[2])), data.span()})),
              w[4])
        << line;
  }
}

TEST(Rice, PublishedVectorsV4) {
  const auto lines = vector_lines("url/rice-v4.txt");
  ASSERT_GT(lines.size(), 10u);
  for (const std::string& line : lines) {
    const auto w = words(line);
    const HeapCopy first(from_hex(w[2])), data(from_hex(w[4]));
    const RiceDeltas deltas{first.span(), static_cast<std::uint32_t>(std::stoul(w[1])),
                            static_cast<std::uint32_t>(std::stoul(w[3])), data.span()};
    EXPECT_EQ(outcome(w[0] == "prefixes" ? url::rice_decode_v4_prefixes(deltas)
                                         : url::rice_decode_v4(deltas)),
              w[5])
        << line;
  }
}

// Prefixes are integers with the least significant byte first, so the integers have another order.
TEST(Rice, ManyPrefixesOfV4ComeInOrder) {
  std::mt19937_64 random(3);
  for (const std::size_t count : {1u, 2u, 3u, 4u, 31u, 1000u, 5000u}) {
    PrefixModel integers, prefixes;
    for (const Bytes& integer : random_prefixes(random, 4, count)) {
      integers.insert(integer);
      prefixes.emplace(integer.rbegin(), integer.rend());
    }
    const Bytes values = joined(integers);
    const auto encoded = rice_encode(values, 4);
    ASSERT_TRUE(encoded.ok());
    if (encoded->parameter > 28) continue;  // more than v4 has
    EXPECT_EQ(outcome(url::rice_decode_v4_prefixes({std::span(values).first(4), encoded->parameter,
                                                    encoded->entries_count, encoded->data.span()})),
              hex(joined(prefixes)));
  }
}

TEST(Rice, EncodesWithTheBestParameter) {
  for (const std::string& line : vector_lines("url/rice-best.txt")) {
    const auto w = words(line);
    const auto encoded = rice_encode(HeapCopy(from_hex(w[0])).span(), 4);
    ASSERT_TRUE(encoded.ok()) << line;
    EXPECT_EQ(encoded->parameter, std::stoul(w[1])) << line;
    EXPECT_EQ(encoded->entries_count, w[0].size() / 8 - 1);
    EXPECT_EQ(hex(encoded->data.span()), w.size() > 2 ? w[2] : "") << line;
  }
}

TEST(Rice, RoundTripsOfAllWidths) {
  std::mt19937_64 random(1);
  for (const std::size_t width : {4u, 8u, 16u, 32u}) {
    for (const std::size_t count : {1u, 2u, 3u, 10u, 250u, 3000u}) {
      for (std::size_t same = 0; same + 2 <= width; ++same) {
        const HeapCopy values(joined(random_prefixes(random, width, count, same)));
        const auto encoded = rice_encode(values.span(), static_cast<std::uint32_t>(width));
        ASSERT_TRUE(encoded.ok());
        ASSERT_GE(encoded->parameter, 8 * width - 29);
        ASSERT_LE(encoded->parameter, 8 * width - 2);
        const HeapCopy data(encoded->data.span());
        const auto decoded = rice_decode(
            {values.span().first(width), encoded->parameter, encoded->entries_count, data.span()});
        ASSERT_TRUE(decoded.ok()) << width << " " << count << " " << same;
        ASSERT_TRUE(std::ranges::equal(decoded->span(), values.span()));
      }
    }
    // The smallest and the largest integer.
    Bytes ends(2 * width);
    std::fill(ends.begin() + static_cast<std::ptrdiff_t>(width), ends.end(), std::byte{0xff});
    const auto encoded = rice_encode(ends, static_cast<std::uint32_t>(width));
    ASSERT_TRUE(encoded.ok());
    EXPECT_EQ(encoded->parameter, 8 * width - 2);
    const auto decoded =
        rice_decode({std::span(ends).first(width), encoded->parameter, 1, encoded->data.span()});
    ASSERT_TRUE(decoded.ok());
    EXPECT_TRUE(std::ranges::equal(decoded->span(), ends));
  }
}

// Every cut is an error; every flipped bit, every other count and parameter too, or another list.
TEST(Rice, DamagedStreams) {
  std::mt19937_64 random(2);
  for (const std::size_t width : {4u, 8u, 16u, 32u}) {
    const Bytes values = joined(random_prefixes(random, width, 20, width == 4 ? 0 : 1));
    const auto encoded = rice_encode(values, static_cast<std::uint32_t>(width));
    ASSERT_TRUE(encoded.ok());
    const auto first = std::span(values).first(width);
    const auto decode = [&](std::span<const std::byte> data, std::uint32_t parameter,
                            std::uint32_t count) {
      return outcome(rice_decode({first, parameter, count, HeapCopy(data).span()}));
    };
    const std::uint32_t k = encoded->parameter, n = encoded->entries_count;
    const auto data = encoded->data.span();
    ASSERT_EQ(decode(data, k, n), hex(values));
    for (std::size_t length = 0; length < data.size(); ++length) {
      ASSERT_EQ(decode(data.first(length), k, n), "corrupt") << length;
    }
    Bytes changed(data.begin(), data.end());
    for (std::size_t bit = 0; bit < 8 * changed.size(); ++bit) {
      changed[bit / 8] ^= std::byte{1} << (bit % 8);
      ASSERT_NE(decode(changed, k, n), hex(values)) << bit;
      changed[bit / 8] ^= std::byte{1} << (bit % 8);
    }
    changed.push_back(std::byte{0});
    EXPECT_EQ(decode(changed, k, n), "corrupt");
    for (std::uint32_t other = 0; other <= 300; ++other) {
      if (other == k) continue;
      const std::string out = decode(data, other, n);
      ASSERT_NE(out, hex(values));
      if (other + 29 < 8 * width || other + 2 > 8 * width) ASSERT_EQ(out, "corrupt") << other;
    }
    for (const std::uint32_t other : {0u, 1u, n - 1, n + 1, 2 * n, 0x7fffffffu, 0xffffffffu}) {
      EXPECT_EQ(decode(data, k, other), "corrupt") << other;
    }
    EXPECT_EQ(decode(data, 0xffffffff, n), "corrupt");
  }
}

TEST(Rice, NotIncreasingOrTooLarge) {
  const Bytes first = from_hex("fffffff0");
  // A delta of 0: a zero bit and a remainder of 0.
  EXPECT_EQ(outcome(rice_decode({first, 3, 1, from_hex("00")})), "corrupt");
  EXPECT_EQ(outcome(url::rice_decode_v4({first, 3, 1, from_hex("00")})), "corrupt");
  // 15 more is the largest integer, 16 more is none.
  EXPECT_EQ(outcome(rice_decode({first, 4, 1, from_hex("1e")})), "fffffff0ffffffff");
  EXPECT_EQ(outcome(rice_decode({first, 4, 1, from_hex("01")})), "corrupt");
  // The largest quotient that a parameter of 30 leaves is 3; the stream then has 34 bits.
  const auto largest = [&](const char* data) {
    return outcome(rice_decode({Bytes(4), 30, 1, from_hex(data)}));
  };
  EXPECT_EQ(largest("0700000000"), "00000000c0000000");
  EXPECT_EQ(largest("0700000002"), "00000000e0000000");
  EXPECT_EQ(largest("0f00000000"), "corrupt");    // 4
  EXPECT_EQ(largest("2f00000000"), "corrupt");    // 4, and 1 more
  EXPECT_EQ(largest("0700000004"), "corrupt");    // padding
  EXPECT_EQ(largest("070000000000"), "corrupt");  // a byte more
  EXPECT_EQ(largest("07000000"), "corrupt");
  EXPECT_EQ(largest("ffffffffffffffff"), "corrupt");
  // v4: 2 to 28.
  for (const std::uint32_t parameter : {0u, 1u, 29u, 32u, 33u}) {
    EXPECT_EQ(outcome(url::rice_decode_v4({first, parameter, 1, from_hex("0200000000")})),
              "corrupt");
  }
  // v4 does not say what fills the last byte.
  EXPECT_EQ(outcome(url::rice_decode_v4({first, 4, 1, from_hex("7e")})), "fffffff0ffffffff");
  EXPECT_EQ(outcome(rice_decode({first, 4, 1, from_hex("7e")})), "corrupt");
}

// A delta of 1 with each parameter there could be.
TEST(Rice, ParametersOutOfTheirRange) {
  for (const std::uint32_t width : {4u, 8u, 16u, 32u}) {
    const Bytes zero(width);
    Bytes one = zero;
    one.back() = std::byte{1};
    const std::string both = hex(zero) + hex(one);
    for (std::uint32_t parameter = 0; parameter <= 8 * width + 2; ++parameter) {
      Bytes data(parameter / 8 + 1);
      data[0] = parameter == 0 ? std::byte{1} : std::byte{2};  // 1 and 0, or 0 and the remainder
      const RiceDeltas deltas{zero, parameter, 1, data};
      const bool is_in_v5 = parameter + 29 >= 8 * width && parameter + 2 <= 8 * width;
      EXPECT_EQ(outcome(rice_decode(deltas)), is_in_v5 ? both : "corrupt") << parameter;
      if (width != 4) continue;
      const bool is_in_v4 = parameter >= 2 && parameter <= 28;
      EXPECT_EQ(outcome(url::rice_decode_v4(deltas)), is_in_v4 ? both : "corrupt") << parameter;
    }
  }
}

TEST(Rice, NoMemoryForMoreThanTheDataCanHold) {
  const Bytes first(4), data(3, std::byte{0x22});  // six deltas of 1 with a parameter of 3
  tamis_fail_allocation(0);
  for (const std::uint64_t more : {std::uint64_t{7}, std::uint64_t{8}, ~std::uint64_t{0}}) {
    EXPECT_EQ(rice_decode({first, 3, more, data}).status(), Status::kCorrupt) << more;
  }
  EXPECT_EQ(tamis_allocations(), 0u);
  EXPECT_TRUE(rice_decode({first, 3, 6, data}).ok());
}

TEST(Rice, InvalidOptions) {
  EXPECT_EQ(rice_decode({from_hex("000000"), 3, 0, {}}).status(), Status::kInvalidOption);
  EXPECT_EQ(rice_decode({}).status(), Status::kInvalidOption);
  EXPECT_EQ(url::rice_decode_v4({Bytes(8), 3, 0, {}}).status(), Status::kInvalidOption);
  EXPECT_EQ(rice_encode({}, 4).status(), Status::kInvalidOption);
  EXPECT_EQ(rice_encode(Bytes(6), 4).status(), Status::kInvalidOption);
  EXPECT_EQ(rice_encode(Bytes(12), 12).status(), Status::kInvalidOption);
  for (const std::uint32_t width : {4u, 8u, 16u, 32u}) {  // the same integer twice
    EXPECT_EQ(rice_encode(Bytes(2 * width), width).status(), Status::kInvalidOption);
  }
  EXPECT_EQ(rice_encode(from_hex("0000000200000001"), 4).status(), Status::kInvalidOption);
}

TEST(Rice, OutOfMemory) {
  const Bytes first = from_hex("00000001"), data = from_hex("0e");
  for (const std::size_t failing : {1u, 2u}) {
    tamis_fail_allocation(failing);
    EXPECT_EQ(url::rice_decode_v4_prefixes({first, 4, 1, data}).status(), Status::kOutOfMemory);
    tamis_fail_allocation(0);
  }
  tamis_fail_allocation(1);
  EXPECT_EQ(rice_encode(from_hex("0000000100000002"), 4).status(), Status::kOutOfMemory);
  tamis_fail_allocation(0);
}

}  // namespace
}  // namespace tamis::test
