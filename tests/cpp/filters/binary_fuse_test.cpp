// Properties of binary fuse filters besides their building: the slots of a key, the widths, the
// limits, and the bytes without keys.

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "filters/binary_fuse_samples.hpp"
#include "support/format_table.hpp"

namespace tamis::test {
namespace {

TEST(BinaryFusePlaces, AreThoseOfTheFormat) {
  for (const sizing::FuseShape shape : {sizing::FuseShape{1, 0},
                                        {1, 3},
                                        {7, 0},
                                        {5, 4},
                                        {1'000, 10},
                                        {3'000, 18},
                                        {16'380, 18},
                                        {0xfffffffc, 0}}) {
    const FusePlaces places(shape);
    for (std::uint64_t n = 0; n < 2'000; ++n) {
      const std::uint64_t g = n == 0 ? 0 : n == 1 ? ~std::uint64_t{0} : fmix64(n);
      const auto expected = places_of(g, shape.segments, std::uint64_t{1} << shape.segment_log, 4);
      for (std::size_t i = 0; i < 4; ++i) {
        ASSERT_EQ(places.slots(g)[i], expected[i]);
        ASSERT_LT(expected[i], shape.slots(static_cast<std::uint32_t>(i) + 1));
        ASSERT_EQ(expected[i] >> shape.segment_log, (expected[0] >> shape.segment_log) + i);
      }
      ASSERT_EQ(FusePlaces::fingerprint(g),
                (g ^ g / (std::uint64_t{1} << 32)) % (std::uint64_t{1} << 32));
    }
  }
}

TEST(BinaryFusePlaces, TheRowsOfTheFormat) {
  const auto rows = format_table("| C | s | g | F | p_0 | p_1 | p_2 | p_3 |");
  ASSERT_GT(rows.size(), 3u);
  for (const auto& row : rows) {
    ASSERT_EQ(row.size(), 8u);
    const std::uint64_t g = hexadecimal(row[2]);
    const sizing::FuseShape shape{static_cast<std::uint32_t>(decimal(row[0])),
                                  static_cast<std::uint32_t>(decimal(row[1]))};
    const FusePlaces places(shape);
    EXPECT_EQ(FusePlaces::fingerprint(g), hexadecimal(row[3]));
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(places.slots(g)[i], decimal(row[4 + i]));
  }
}

TEST(BinaryFuseShapes, TheRowsOfTheFormat) {
  const auto rows = format_table("| n | a | attempt | C | s |");
  ASSERT_GT(rows.size(), 3u);
  for (const auto& row : rows) {
    ASSERT_EQ(row.size(), 5u);
    const std::uint64_t keys = decimal(row[0]);
    const auto arity =
        row[1] == "-" ? sizing::fuse_arity(keys) : static_cast<std::uint32_t>(decimal(row[1]));
    const auto shape = sizing::fuse_shape(keys, arity, static_cast<std::uint32_t>(decimal(row[2])));
    EXPECT_EQ(shape.segments, decimal(row[3])) << row[0];
    EXPECT_EQ(shape.segment_log, decimal(row[4])) << row[0];
  }
}

// Loads differ between widths of whole bytes and other widths, and between batches and single keys.
TEST(BinaryFuseLookUp, AnswersWhatTheSlotsSay) {
  const Hashes asked = fuse_hashes(2'000);  // the first of them are keys
  for (const std::uint32_t arity : {3u, 4u}) {
    for (std::uint32_t bits = 1; bits <= 32; ++bits) {
      const auto filter = fuse(fuse_hashes(300), fuse_config(bits, arity));
      const auto slots = slots_of(filter);
      const auto [segments, log] = filter.shape();
      std::vector<std::uint8_t> answers(asked.size(), 2);
      filter.may_contain(to_hashes(asked), answers.data());
      for (std::size_t i = 0; i < asked.size(); ++i) {
        const std::uint64_t g = filter.hasher().mix(Hash{asked[i]});
        std::uint64_t sum = FusePlaces::fingerprint(g);
        for (const std::uint64_t at : places_of(g, segments, std::uint64_t{1} << log, arity)) {
          sum ^= slots[static_cast<std::size_t>(at)];
        }
        const bool is_in = sum % (std::uint64_t{1} << bits) == 0;
        ASSERT_EQ(filter.may_contain(Hash{asked[i]}), is_in) << bits << " bits, key " << i;
        ASSERT_EQ(answers[i], is_in ? 1 : 0) << bits << " bits, key " << i;
      }
    }
  }
}

TEST(BinaryFuseLimits, Capacities) {
  const auto status = [](std::uint64_t capacity) {
    return BinaryFuseFilter::size_for({.capacity = capacity}).status();
  };
  EXPECT_EQ(status(0), Status::kInvalidOption);
  EXPECT_EQ(status(sizing::kMaxFuseKeys), Status::kOk);
  EXPECT_EQ(status(sizing::kMaxFuseKeys + 1), Status::kTooLarge);
  EXPECT_EQ(status(sizing::kMaxCount), Status::kTooLarge);
  EXPECT_EQ(status(sizing::kMaxCount + 1), Status::kInvalidOption);
}

// The tightest tables that are known to do, and the figures in docs/benchmarks.md.
TEST(BinaryFuseLimits, BitsPerKey) {
  const auto bits_per_key = [](std::uint64_t keys, std::uint32_t arity) {
    return static_cast<double>(sizing::fuse_shape(keys, arity, 0).slots(arity)) * 8 /
           static_cast<double>(keys);
  };
  EXPECT_LE(bits_per_key(1'000'000, 4), 8.65);
  EXPECT_LE(bits_per_key(1'000'000, 3), 9.05);
  for (std::uint64_t keys = 1'000'000; keys < sizing::kMaxFuseKeys; keys = keys * 5 / 4) {
    EXPECT_LE(bits_per_key(keys, 4), 8.65) << keys;
    EXPECT_LE(bits_per_key(keys, 3), 9.05) << keys;
  }
  for (const std::uint32_t arity : {3u, 4u}) {
    double before = 100;
    for (const std::uint64_t keys : {100u, 1'000u, 10'000u, 100'000u, 1'000'000u}) {
      EXPECT_LT(bits_per_key(keys, arity), before) << keys;
      before = bits_per_key(keys, arity);
    }
  }
}

TEST(BinaryFuseWire, TheDeepCheckOfNoKeys) {
  const Bytes bytes = wire_bytes(fuse({}, fuse_config(5, 4)));
  ASSERT_EQ(bytes.size(), 72u);
  for (std::size_t at = 64; at < 72; ++at) {
    for (unsigned value = 0; value < 256; ++value) {
      Bytes changed = bytes;
      changed[at] = static_cast<std::byte>(value);
      repair_crcs(changed);
      const auto decoded = decode<BinaryFuseFilter>(changed);
      const bool is_valid = (at == 69 && (value == 3 || value == 4)) ||
                            (at == 70 && value >= 1 && value <= 32) || changed == bytes;
      ASSERT_EQ(decoded.ok(), is_valid) << "byte " << at << " is " << value;
      if (is_valid) {
        EXPECT_EQ(wire_bytes(*decoded), changed);
        EXPECT_FALSE(decoded->may_contain(Hash{0}));
      } else {
        EXPECT_EQ(decoded.status(), Status::kCorrupt);
      }
    }
  }
}

}  // namespace
}  // namespace tamis::test
