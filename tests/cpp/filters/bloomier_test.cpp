// Bloomier maps: each key's own value, conflicts, values that are too wide, and sizes.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "contract/static_sweeps.hpp"

namespace tamis::test {
namespace {

using Values = std::vector<std::uint32_t>;
using Config = BloomierMap::Config;

Config config_of(std::uint32_t value_bits, std::uint32_t check_bits) {
  return {.value_bits = value_bits, .check_bits = check_bits};
}

Values values_of(const Hashes& hashes, std::uint32_t value_bits) {
  Values values(hashes.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<std::uint32_t>(fmix64(hashes[i] + 9) >> (64 - value_bits));
  }
  return values;
}

struct Built {
  Result<BloomierMap> map;
  std::uint64_t conflicts;
};

// Neither list is changed.
Built build(const Config& config, const Hashes& hashes, const Values& values) {
  Hashes given = hashes;
  Values with = values;
  std::uint64_t conflicts = 77;  // must not stay
  auto map = BloomierMap::build(config, given, with, conflicts);
  EXPECT_EQ(given, hashes);
  EXPECT_EQ(with, values);
  return {std::move(map), conflicts};
}

BloomierMap map_of(const Config& config, const Hashes& hashes, const Values& values) {
  auto built = build(config, hashes, values);
  EXPECT_TRUE(built.map.ok()) << code(built.map.status());
  EXPECT_EQ(built.conflicts, 0u);
  return std::move(*built.map);
}

Status status_of(const Config& config, const Hashes& hashes, const Values& values) {
  const auto built = build(config, hashes, values);
  EXPECT_EQ(built.conflicts, 0u);
  return built.map.status();
}

void expect_all(const BloomierMap& map, const Hashes& hashes, const Values& values) {
  std::vector<std::uint8_t> present(hashes.size(), 2);
  map.may_contain(to_hashes(hashes), present.data());
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    ASSERT_EQ(map.get(Hash{hashes[i]}), values[i]) << i << " of " << hashes.size();
    ASSERT_TRUE(map.may_contain(Hash{hashes[i]}) && present[i] == 1) << i;
  }
}

class BloomierShapes : public ::testing::TestWithParam<std::tuple<std::uint32_t, std::uint32_t>> {
 protected:
  std::uint32_t value_bits = std::get<0>(GetParam());
  std::uint32_t check_bits = std::get<1>(GetParam());
  Config config = config_of(value_bits, check_bits);
};

TEST_P(BloomierShapes, EachKeyHasItsValue) {
  for (const std::size_t n :
       {0u, 1u, 2u, 3u, 10u, 63u, 64u, 65u, 100u, 1'000u, 4'095u, 4'097u, 12'000u}) {
    const Hashes hashes = even_hashes(n, 0);
    const Values values = values_of(hashes, value_bits);
    const BloomierMap map = map_of(config, hashes, values);
    ASSERT_NO_FATAL_FAILURE(expect_all(map, hashes, values));
    ASSERT_NO_FATAL_FAILURE(expect_all(read_back(map), hashes, values));
    EXPECT_EQ(map.count(), n);
    EXPECT_EQ(map.capacity(), n);
    EXPECT_EQ(map.value_bits(), value_bits);
    EXPECT_EQ(map.check_bits(), check_bits);
    EXPECT_EQ(map.fpr(), std::exp2(-static_cast<double>(check_bits)));
    EXPECT_EQ(map.estimated_fpr(), n == 0 ? 0 : map.fpr());
  }
}

INSTANTIATE_TEST_SUITE_P(Widths, BloomierShapes,
                         ::testing::Combine(::testing::Values(1, 7, 8, 12, 32),
                                            ::testing::Values(0, 1, 8, 32)));

TEST(Bloomier, ValuesOfOneKind) {
  const Hashes hashes = even_hashes(5'000, 0);
  for (const std::uint32_t value : {0u, 1u, 0x80000000u, 0xffffffffu}) {
    const Values values(hashes.size(), value);
    expect_all(map_of(config_of(32, 4), hashes, values), hashes, values);
  }
}

TEST(Bloomier, ConflictsAreCounted) {
  for (const std::size_t n : {3u, 100u, 9'000u}) {
    const Hashes hashes = even_hashes(n, 0);
    const Values values = values_of(hashes, 8);
    for (const std::size_t several : {std::size_t{1}, std::size_t{2}, n}) {
      Hashes more = hashes;
      Values with = values;
      for (std::size_t i = 0; i < several; ++i) {
        for (std::uint32_t other = 0; other <= i % 3; ++other) {  // up to four values of one key
          more.push_back(hashes[i]);
          with.push_back((values[i] + 1 + other) % 256);
        }
        more.push_back(hashes[i]);
        with.push_back(values[i]);
      }
      const auto built = build(config_of(8, 8), more, with);
      EXPECT_EQ(built.map.status(), Status::kConflict);
      EXPECT_EQ(built.conflicts, several) << n;
    }
  }
}

TEST(Bloomier, Capacities) {
  const auto status = [](std::uint64_t capacity) {
    return BloomierMap::size_for({capacity, 1, 1, {}}).status();
  };
  EXPECT_EQ(status(0), Status::kInvalidOption);
  EXPECT_EQ(status(sizing::kMaxCount + 1), Status::kInvalidOption);
  EXPECT_EQ(status(sizing::kMaxCount), Status::kTooLarge);
}

TEST(Bloomier, ValuesThatAreTooWide) {
  const Hashes hashes = even_hashes(10'000, 0);
  for (const std::uint32_t bits : {1u, 7u, 31u}) {
    for (const std::size_t at : {0u, 4'095u, 4'096u, 9'999u}) {
      Values values(hashes.size(), 0);
      values[at] = (1u << bits) - 1;
      expect_all(map_of(config_of(bits, 0), hashes, values), {hashes[at]}, {values[at]});
      for (const std::uint32_t wide : {1u << bits, ~0u}) {
        values[at] = wide;
        EXPECT_EQ(status_of(config_of(bits, 0), hashes, values), Status::kInvalidOption) << at;
      }
    }
  }
}

TEST(Bloomier, Memory) {
  struct Row {
    std::size_t n;
    std::uint32_t value_bits, check_bits;
    double most;  // against (v + c) bits a key
  };
  for (const Row& row :
       {Row{100, 8, 8, 1.1}, Row{1'000, 12, 0, 1.04}, Row{1'000, 1, 0, 1.1},
        Row{30'000, 8, 8, 1.03}, Row{100'000, 1, 8, 1.01}, Row{100'000, 32, 32, 1.01}}) {
    const Hashes hashes = even_hashes(row.n, 0);
    Config config = config_of(row.value_bits, row.check_bits);
    const BloomierMap map = map_of(config, hashes, values_of(hashes, row.value_bits));
    const double least = static_cast<double>(row.n * (row.value_bits + row.check_bits)) / 8;
    EXPECT_LE(static_cast<double>(map.size_bytes()), least * row.most + 2) << row.n;
    config.capacity = row.n;
    const double expected = static_cast<double>(*BloomierMap::size_for(config));
    EXPECT_NEAR(static_cast<double>(map.size_bytes()), expected, expected * 0.01 + 16) << row.n;
  }
}

}  // namespace
}  // namespace tamis::test
