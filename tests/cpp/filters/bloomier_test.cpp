// Bloomier maps: each key's own value, absent keys told apart, conflicts, options, bytes.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include <tamis/filters/bloomier.hpp>
#include "filters/two_lists_samples.hpp"

namespace tamis::test {
namespace {

using Values = std::vector<std::uint32_t>;
using Config = BloomierMap::Config;

Config config_of(std::uint32_t value_bits, std::uint32_t check_bits,
                 const Hasher& hasher = Hasher()) {
  return {.value_bits = value_bits, .check_bits = check_bits, .hasher = hasher};
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

Status status_of(const Config& config, const Hashes& hashes = {1, 2},
                 const Values& values = {0, 1}) {
  const auto built = build(config, hashes, values);
  EXPECT_EQ(built.conflicts, 0u);
  return built.map.status();
}

void expect_all(const BloomierMap& map, const Hashes& hashes, const Values& values) {
  std::vector<std::uint8_t> present(hashes.size(), 2);
  map.may_contain(hashes, present.data());
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    ASSERT_EQ(map.get(Hash{hashes[i]}), values[i]) << i << " of " << hashes.size();
    ASSERT_TRUE(map.may_contain(Hash{hashes[i]}) && present[i] == 1) << i;
  }
}

// The number of keys with a value. The three kinds of look-up agree.
std::uint64_t found_of(const BloomierMap& map, const Hashes& hashes) {
  std::vector<std::uint8_t> present(hashes.size(), 2);
  map.may_contain(hashes, present.data());
  for (std::size_t i = 0; i < hashes.size() && i < 2'000; ++i) {
    const auto value = map.get(Hash{hashes[i]});
    EXPECT_EQ(map.may_contain(Hash{hashes[i]}), value.has_value());
    EXPECT_EQ(present[i], value.has_value() ? 1 : 0);
    EXPECT_EQ(std::uint64_t{value.value_or(0)} >> map.value_bits(), 0u);
  }
  return std::accumulate(present.begin(), present.end(), std::uint64_t{0});
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
    const Hashes hashes = some_hashes(0, n);
    const Values values = values_of(hashes, value_bits);
    const BloomierMap map = map_of(config, hashes, values);
    ASSERT_NO_FATAL_FAILURE(expect_all(map, hashes, values));
    ASSERT_NO_FATAL_FAILURE(expect_all(round_trip(map), hashes, values));
    EXPECT_EQ(map.count(), n);
    EXPECT_EQ(map.capacity(), n);
    EXPECT_EQ(map.value_bits(), value_bits);
    EXPECT_EQ(map.check_bits(), check_bits);
    EXPECT_EQ(map.fpr(), std::exp2(-static_cast<double>(check_bits)));
    EXPECT_EQ(map.estimated_fpr(), n == 0 ? 0 : map.fpr());
  }
}

TEST_P(BloomierShapes, AbsentKeysAreToldApart) {
  const Hashes absent_keys = some_hashes(1, 60'000);
  for (const std::size_t n : {0u, 1u, 2u, 40u, 700u, 12'000u}) {
    const Hashes hashes = some_hashes(0, n);
    const BloomierMap map = map_of(config, hashes, values_of(hashes, value_bits));
    const std::uint64_t hits = found_of(map, absent_keys);
    EXPECT_TRUE(is_plausible(hits, absent_keys.size(), map.estimated_fpr()))
        << hits << ", n = " << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Widths, BloomierShapes,
                         ::testing::Combine(::testing::Values(1, 7, 8, 12, 32),
                                            ::testing::Values(0, 1, 8, 32)));

TEST(Bloomier, ValuesOfOneKind) {
  const Hashes hashes = some_hashes(0, 5'000);
  for (const std::uint32_t value : {0u, 1u, 0x80000000u, 0xffffffffu}) {
    const Values values(hashes.size(), value);
    expect_all(map_of(config_of(32, 4), hashes, values), hashes, values);
  }
}

TEST(Bloomier, TheOrderAndRepeatsDoNotMatter) {
  for (const std::size_t n : {1u, 90u, 3'000u, 20'000u}) {
    const Hashes hashes = some_hashes(0, n);
    const Bytes bytes = wire_bytes(map_of(config_of(9, 3), hashes, values_of(hashes, 9)));
    for (const std::uint64_t seed : {1u, 2u}) {
      const Hashes more = shuffled_with_repeats(hashes, seed);
      EXPECT_EQ(wire_bytes(map_of(config_of(9, 3), more, values_of(more, 9))), bytes);
    }
  }
}

TEST(Bloomier, OneKeyManyTimes) {
  for (const std::size_t times : {2u, 70u, 10'000u}) {
    const Hashes hashes(times, 42);
    const Values values(times, 3);
    const BloomierMap map = map_of(config_of(2, 8), hashes, values);
    EXPECT_EQ(map.count(), 1u);
    expect_all(map, {42}, {3});
  }
}

TEST(Bloomier, HashesThatAreNumbers) {
  for (const unsigned shift : {0u, 20u, 44u}) {
    Hashes hashes(5'000);
    for (std::size_t i = 0; i < hashes.size(); ++i) hashes[i] = std::uint64_t{i} << shift;
    const Values values = values_of(hashes, 13);
    expect_all(map_of(config_of(13, 0), hashes, values), hashes, values);
  }
}

TEST(Bloomier, ConflictsAreCounted) {
  for (const std::size_t n : {3u, 100u, 9'000u}) {
    const Hashes hashes = some_hashes(0, n);
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

TEST(Bloomier, Options) {
  for (std::uint32_t value_bits = 0; value_bits <= 34; ++value_bits) {
    for (const std::uint32_t check_bits : {0u, 1u, 32u, 33u, ~0u}) {
      const bool is_valid = value_bits >= 1 && value_bits <= 32 && check_bits <= 32;
      const Config config = config_of(value_bits, check_bits);
      EXPECT_EQ(status_of(config), is_valid ? Status::kOk : Status::kInvalidOption);
      EXPECT_EQ(BloomierMap::size_for(config).status(), Status::kInvalidOption) << "no capacity";
      Config sized = config;
      sized.capacity = 10;
      EXPECT_EQ(BloomierMap::size_for(sized).ok(), is_valid);
    }
  }
  EXPECT_EQ(status_of(config_of(~0u, 8)), Status::kInvalidOption);
  for (std::uint8_t id = 0; id < kHashIds; ++id) {
    const Status expected = HashId{id} == HashId::kXxh3 ? Status::kOk : Status::kInvalidOption;
    EXPECT_EQ(status_of(config_of(1, 1, Hasher(HashId{id}))), expected)
        << "a keyed hash wants its key";
    EXPECT_EQ(BloomierMap::size_for({1, 1, 1, Hasher(HashId{id})}).status(), expected);
  }
  EXPECT_EQ(status_of(config_of(4, 4), {1, 2}, {1}), Status::kInvalidOption);
  EXPECT_EQ(status_of(config_of(4, 4), {1}, {1, 2}), Status::kInvalidOption);
  EXPECT_EQ(status_of(config_of(4, 4), {}, {1}), Status::kInvalidOption);
  EXPECT_EQ(BloomierMap::size_for({sizing::kMaxCount + 1, 1, 1, {}}).status(),
            Status::kInvalidOption);
  EXPECT_EQ(BloomierMap::size_for({sizing::kMaxCount, 1, 1, {}}).status(), Status::kTooLarge);
}

TEST(Bloomier, ValuesThatAreTooWide) {
  const Hashes hashes = some_hashes(0, 10'000);
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

TEST(Bloomier, KeysAreTheirHashes) {
  Bytes before;
  for (const Hasher& hasher : both_hashes()) {
    Hashes hashes;
    for (std::uint64_t i = 0; i < 300; ++i) {
      hashes.push_back(static_cast<std::uint64_t>(hasher(make_key(KeyFamily::kUrls, 0, i))));
    }
    Values values(hashes.size());
    std::iota(values.begin(), values.end(), 0u);
    const BloomierMap map = round_trip(map_of(config_of(9, 32, hasher), hashes, values));
    EXPECT_TRUE(map.hasher().is_same(hasher));
    for (std::uint32_t i = 0; i < 300; ++i) {
      EXPECT_EQ(map.get(make_key(KeyFamily::kUrls, 0, i)), i);
      EXPECT_TRUE(map.may_contain(make_key(KeyFamily::kUrls, 0, i)));
      EXPECT_FALSE(map.may_contain(make_key(KeyFamily::kUrls, 1, i)));
    }
    const Bytes bytes = wire_bytes(map);
    EXPECT_NE(bytes, before) << "hashers and seeds tell filters apart";
    before = bytes;
  }
}

TEST(Bloomier, MovesKeepTheContent) {
  const Hashes hashes = some_hashes(0, 6'000);
  const Values values = values_of(hashes, 8);
  BloomierMap first = map_of(config_of(8, 8), hashes, values);
  BloomierMap second = std::move(first);
  expect_all(second, hashes, values);
  first = map_of(config_of(1, 0), {7}, {1});
  expect_all(first, {7}, {1});
  first = std::move(second);
  expect_all(first, hashes, values);
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
    const Hashes hashes = some_hashes(0, row.n);
    Config config = config_of(row.value_bits, row.check_bits);
    const BloomierMap map = map_of(config, hashes, values_of(hashes, row.value_bits));
    const double least = static_cast<double>(row.n * (row.value_bits + row.check_bits)) / 8;
    EXPECT_LE(static_cast<double>(map.size_bytes()), least * row.most + 2) << row.n;
    config.capacity = row.n;
    const double expected = static_cast<double>(*BloomierMap::size_for(config));
    EXPECT_NEAR(static_cast<double>(map.size_bytes()), expected, expected * 0.01 + 16) << row.n;
  }
}

TEST(BloomierBytes, EachDamagedByteIsRefusedOrGivesAValidMap) {
  const Hashes absent_keys = some_hashes(3, 64);
  for (const std::size_t n : {0u, 1u, 50u, 150u}) {
    const Hashes hashes = some_hashes(0, n);
    const BloomierMap map = map_of(config_of(5, 6), hashes, values_of(hashes, 5));
    const Damage damage =
        damage_each_byte(map, [&](const BloomierMap& read) { found_of(read, absent_keys); });
    EXPECT_GT(damage.refused, 0u);
    EXPECT_GT(damage.accepted, 0u) << "a seed is as good as another";
    refuse_other_lengths(map);
  }
}

TEST(BloomierBytes, TheRecord) {
  const Hashes hashes = some_hashes(0, 100);
  const Bytes bytes = wire_bytes(map_of(config_of(5, 6), hashes, values_of(hashes, 5)));
  EXPECT_EQ(detail::load_le64(&bytes[kCapacityAt]), 100u);
  EXPECT_EQ(detail::load_le64(&bytes[kCountAt]), 100u);
  EXPECT_EQ(detail::load_le32(&bytes[kHeaderBytes]), 5u);
  EXPECT_EQ(detail::load_le32(&bytes[68]), 6u);
  for (const auto& [at, value] : std::vector<std::pair<std::size_t, std::uint32_t>>{{32, 99},
                                                                                    {40, 99},
                                                                                    {64, 0},
                                                                                    {64, 4},
                                                                                    {64, 33},
                                                                                    {64, ~0u},
                                                                                    {68, 5},
                                                                                    {68, 33},
                                                                                    {68, ~0u}}) {
    Bytes damaged = bytes;
    set32(damaged, at, value);
    repair_crcs(damaged);
    EXPECT_EQ(from_bytes<BloomierMap>(damaged).status(), Status::kCorrupt) << at << ", " << value;
  }
}

TEST(BloomierBytes, EachAllocationMayFail) {
  const Hashes hashes = some_hashes(0, 6'000);
  const Values values = values_of(hashes, 10);
  fail_each_allocation([&] {
    const auto built = build(config_of(10, 9), hashes, values);
    EXPECT_EQ(built.conflicts, 0u);
    return built.map.status();
  });
  const BloomierMap map = map_of(config_of(10, 9), hashes, values);
  fail_each_allocation([&] { return map.clone().status(); });
  const Bytes bytes = wire_bytes(map);
  fail_each_allocation([&] { return from_bytes<BloomierMap>(bytes).status(); });
}

}  // namespace
}  // namespace tamis::test
