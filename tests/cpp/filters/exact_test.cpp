// Exact filters have no error on either list, for any lists. The tests also cover conflicts, the
// rate outside, and the bytes.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include <tamis/filters/exact.hpp>
#include <tamis/sizing/exact.hpp>
#include "filters/two_lists_samples.hpp"

namespace tamis::test {
namespace {

struct Built {
  Result<ExactFilter> filter;
  std::uint64_t conflicts;
};

Built build(Hashes include, Hashes exclude, const Hasher& hasher = Hasher()) {
  std::uint64_t conflicts = 77;  // must not stay
  auto filter = ExactFilter::build({.hasher = hasher}, include, exclude, conflicts);
  return {std::move(filter), conflicts};
}

ExactFilter exact(const Hashes& include, const Hashes& exclude, const Hasher& hasher = Hasher()) {
  auto built = build(include, exclude, hasher);
  EXPECT_TRUE(built.filter.ok()) << code(built.filter.status());
  EXPECT_EQ(built.conflicts, 0u);
  return std::move(*built.filter);
}

void expect_all(const ExactFilter& filter, const Hashes& hashes, bool answer) {
  std::vector<std::uint8_t> answers(hashes.size(), 2);
  filter.may_contain(hashes, answers.data());
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    ASSERT_EQ(filter.may_contain(Hash{hashes[i]}), answer) << i << " of " << hashes.size();
    ASSERT_EQ(answers[i], answer ? 1 : 0) << i << " of " << hashes.size();
  }
}

void expect_exact(const ExactFilter& filter, const Hashes& include, const Hashes& exclude) {
  ASSERT_NO_FATAL_FAILURE(expect_all(filter, include, true));
  ASSERT_NO_FATAL_FAILURE(expect_all(filter, exclude, false));
}

class ExactShapes : public ::testing::TestWithParam<std::tuple<std::size_t, std::size_t>> {
 protected:
  Hashes include = some_hashes(0, std::get<0>(GetParam()));
  Hashes exclude = some_hashes(1, std::get<1>(GetParam()));
};

TEST_P(ExactShapes, NoErrorOnEitherList) {
  for (const Hasher& hasher : both_hashes()) {
    const ExactFilter filter = exact(include, exclude, hasher);
    expect_exact(filter, include, exclude);
    EXPECT_EQ(filter.count(), include.size());
    EXPECT_EQ(filter.capacity(), include.size());
    EXPECT_EQ(filter.excluded(), exclude.size());
    EXPECT_EQ(filter.check_bits(), sizing::exact_bits(include.size(), exclude.size(), 1));
    EXPECT_EQ(filter.fpr(), include.empty() ? 0 : std::exp2(-1.0 - filter.check_bits()));
    EXPECT_EQ(filter.estimated_fpr(), filter.fpr());
    EXPECT_TRUE(filter.hasher().is_same(hasher));
    expect_exact(round_trip(filter), include, exclude);
    ExactFilter moved = exact({1}, {2});
    moved = round_trip(filter);
    expect_exact(ExactFilter(std::move(moved)), include, exclude);
  }
}

TEST_P(ExactShapes, TheOrderAndRepeatsDoNotMatter) {
  const Bytes bytes = wire_bytes(exact(include, exclude));
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    EXPECT_EQ(wire_bytes(exact(shuffled_with_repeats(include, seed),
                               shuffled_with_repeats(exclude, seed))),
              bytes);
  }
}

// Every second of those that the first level takes for included, in the smallest filters too.
TEST_P(ExactShapes, TheRateOutside) {
  const Hashes absent_keys = some_hashes(2, 200'000);
  const ExactFilter filter = exact(include, exclude);
  std::vector<std::uint8_t> answers(absent_keys.size());
  filter.may_contain(absent_keys, answers.data());
  std::uint64_t hits = 0;
  for (std::size_t i = 0; i < absent_keys.size(); ++i) {
    hits += answers[i];
    if (i < 5'000) {
      ASSERT_EQ(filter.may_contain(Hash{absent_keys[i]}), answers[i] != 0);
    }
  }
  EXPECT_TRUE(is_plausible(hits, absent_keys.size(), filter.estimated_fpr())) << hits;
}

INSTANTIATE_TEST_SUITE_P(Lists, ExactShapes,
                         ::testing::Combine(::testing::Values(0, 1, 2, 10, 100, 1'000),
                                            ::testing::Values(0, 1, 10, 1'000, 20'000)));

TEST(Exact, ManyBumpingLevels) {
  const Hashes include = some_hashes(0, 60'000), exclude = some_hashes(1, 200'000);
  const ExactFilter filter = exact(include, exclude);
  expect_exact(filter, include, exclude);
  expect_exact(round_trip(filter), include, exclude);
}

TEST(Exact, HashesThatAreNumbers) {
  for (const unsigned shift : {0u, 32u, 63u}) {
    Hashes include, exclude;
    for (std::uint64_t i = 0; i < (shift == 63 ? 2 : 4'000); ++i) {
      (i % 10 == 0 ? include : exclude).push_back(i << shift);
    }
    expect_exact(exact(include, exclude), include, exclude);
  }
}

TEST(Exact, OneKeyManyTimes) {
  for (const std::size_t times : {1u, 2u, 70u, 10'000u}) {
    const Hashes once{42}, many(times, 42), other(times, 43);
    const ExactFilter filter = exact(many, other);
    EXPECT_EQ(filter.count(), 1u);
    EXPECT_EQ(filter.excluded(), 1u);
    expect_exact(filter, many, other);
    EXPECT_EQ(wire_bytes(filter), wire_bytes(exact(once, {43})));
  }
}

TEST(Exact, NothingIncluded) {
  const ExactFilter filter = exact({}, some_hashes(0, 500));
  EXPECT_EQ(filter.excluded(), 500u);
  EXPECT_EQ(filter.size_bytes(), 0u);
  expect_all(filter, some_hashes(1, 1'000), false);
  expect_all(filter, {0, ~std::uint64_t{0}}, false);
}

TEST(Exact, ConflictsAreCounted) {
  for (const std::size_t excluded : {0u, 5u, 3'000u, 50'000u}) {
    for (const std::size_t both : {1u, 2u, 100u}) {
      Hashes include = some_hashes(0, 200), exclude = some_hashes(1, excluded);
      for (std::size_t i = 0; i < both; ++i) {
        for (std::size_t times = 0; times <= i % 3; ++times) exclude.push_back(include[i]);
      }
      const auto built = build(shuffled_with_repeats(include, 5), exclude);
      EXPECT_EQ(built.filter.status(), Status::kConflict);
      EXPECT_EQ(built.conflicts, both) << excluded;
    }
  }
  const Hashes all = some_hashes(0, 1'000);
  const auto built = build(all, all);
  EXPECT_EQ(built.filter.status(), Status::kConflict);
  EXPECT_EQ(built.conflicts, 1'000u);
}

TEST(Exact, KeysAreTheirHashes) {
  for (const Hasher& hasher : both_hashes()) {
    Hashes include, exclude;
    for (std::uint64_t i = 0; i < 300; ++i) {
      const auto hash = hasher(make_key(KeyFamily::kUrls, 0, i));
      (i % 7 == 0 ? include : exclude).push_back(static_cast<std::uint64_t>(hash));
    }
    const ExactFilter filter = exact(include, exclude, hasher);
    for (std::uint64_t i = 0; i < 300; ++i) {
      EXPECT_EQ(filter.may_contain(make_key(KeyFamily::kUrls, 0, i)), i % 7 == 0);
    }
  }
  EXPECT_NE(wire_bytes(exact({1, 2, 3}, {4})),
            wire_bytes(exact({1, 2, 3}, {4}, Hasher(HashId::kXxh3, 1))));
}

TEST(Exact, Options) {
  for (std::uint8_t id = 0; id < kHashIds; ++id) {
    const Status expected = HashId{id} == HashId::kXxh3 ? Status::kOk : Status::kInvalidOption;
    const auto built = build({1}, {2}, Hasher(HashId{id}));
    EXPECT_EQ(built.filter.status(), expected) << "a keyed hash wants its key";
    EXPECT_EQ(built.conflicts, 0u);
    EXPECT_EQ(ExactFilter::size_for({.capacity = 1, .excluded = 1, .hasher = Hasher(HashId{id})})
                  .status(),
              expected);
  }
  EXPECT_EQ(ExactFilter::size_for({.capacity = 0, .excluded = 1}).status(), Status::kInvalidOption);
  EXPECT_EQ(ExactFilter::size_for({.capacity = 1, .excluded = sizing::kMaxCount + 1}).status(),
            Status::kInvalidOption);
  EXPECT_EQ(ExactFilter::size_for({.capacity = sizing::kMaxCount + 1, .excluded = 1}).status(),
            Status::kInvalidOption);
  EXPECT_EQ(ExactFilter::size_for({.capacity = sizing::kMaxCount, .excluded = 1}).status(),
            Status::kTooLarge);
  EXPECT_EQ(ExactFilter::size_for({.capacity = 1, .excluded = sizing::kMaxCount}).status(),
            Status::kOk);
}

TEST(Exact, TheBytesToExpect) {
  for (const auto& [included, excluded] : std::vector<std::pair<std::size_t, std::size_t>>{
           {1, 0}, {1, 1}, {50, 3'000}, {1'000, 1'000}, {2'000, 100'000}, {40'000, 400'000}}) {
    const ExactFilter filter = exact(some_hashes(0, included), some_hashes(1, excluded));
    const auto expected = ExactFilter::size_for({.capacity = included, .excluded = excluded});
    ASSERT_TRUE(expected.ok());
    // The number that passes the first level is random: six standard deviations, at a bit and a
    // half each.
    const double passing =
        static_cast<double>(sizing::exact_passing(excluded, filter.check_bits()));
    const double slack =
        0.01 * static_cast<double>(*expected) + 16 + 6 * std::sqrt(passing) / 8 * 1.5;
    EXPECT_NEAR(static_cast<double>(filter.size_bytes()), static_cast<double>(*expected), slack)
        << included << " of " << excluded;
  }
}

TEST(ExactSize, TheFewestBits) {
  const auto bits_of = [](std::uint64_t included, std::uint64_t excluded, std::uint32_t r) {
    return static_cast<double>(included) * (r + 1) +
           std::ldexp(static_cast<double>(excluded), -static_cast<int>(r));
  };
  for (std::uint64_t included = 1; included < 2'000'000; included += 1 + included / 3) {
    for (std::uint64_t excluded = 0; excluded < 200'000'000; excluded += 1 + excluded / 5) {
      const std::uint32_t chosen = sizing::exact_bits(included, excluded, 1);
      for (std::uint32_t r = 0; r <= sizing::kMaxExactBits; ++r) {
        ASSERT_LE(bits_of(included, excluded, chosen),
                  bits_of(included, excluded, r) * (1 + 1e-12) + 1)
            << included << ", " << excluded << ", " << r;
      }
    }
  }
  static_assert(sizing::exact_bits(0, 1'000, 1) == 0 && sizing::exact_bits(1'000, 0, 1) == 0);
  static_assert(sizing::exact_bits(100'000, 9'900'000, 1) == 6);
  static_assert(sizing::exact_bits(1, sizing::kMaxCount, 1) == 32);
  static_assert(sizing::exact_passing(1'000, 0) == 1'000 && sizing::exact_passing(1'000, 6) == 16);
}

TEST(ExactSize, ARateOutsideMayBeAsked) {
  const Hashes include = some_hashes(0, 1'000), exclude = some_hashes(1, 100);
  const auto build = [&](double fpr) {
    Hashes included = include, excluded = exclude;
    std::uint64_t conflicts = 7;
    return ExactFilter::build({.fpr = fpr}, included, excluded, conflicts);
  };
  for (const auto& [fpr, bits] : std::vector<std::pair<double, std::uint32_t>>{
           {1, 0}, {0.5, 0}, {0.499, 1}, {0.001, 9}, {0x1p-10, 9}, {0x1p-33, 32}}) {
    const auto filter = build(fpr);
    ASSERT_TRUE(filter.ok()) << fpr;
    EXPECT_EQ(filter->check_bits(), bits) << fpr;
    EXPECT_LE(filter->fpr(), fpr);
    expect_exact(*filter, include, exclude);
    // The smallest filter may have a lower rate than the wanted one.
    EXPECT_EQ(sizing::exact_bits(100'000, 9'900'000, fpr), std::max(bits, 6u));
  }
  for (const double fpr : {0x1p-34, 0.0, -1.0, 1.5, std::nan("")}) {
    EXPECT_EQ(build(fpr).status(), Status::kInvalidOption) << fpr;
    EXPECT_FALSE(ExactFilter::size_for({.capacity = 9, .excluded = 9, .fpr = fpr}).ok()) << fpr;
  }
}

TEST(ExactBytes, EachDamagedByteIsRefusedOrGivesAValidFilter) {
  const Hashes absent_keys = some_hashes(3, 64);
  std::uint8_t answers[64];
  for (const auto& [included, excluded] : std::vector<std::pair<std::size_t, std::size_t>>{
           {0, 0}, {0, 9}, {1, 0}, {3, 1}, {70, 40}, {70, 900}}) {
    const ExactFilter filter = exact(some_hashes(0, included), some_hashes(1, excluded));
    const Damage damage = damage_each_byte(filter, [&](const ExactFilter& read) {
      read.may_contain(absent_keys, answers);
      for (std::size_t i = 0; i < absent_keys.size(); ++i) {
        ASSERT_EQ(read.may_contain(Hash{absent_keys[i]}), answers[i] != 0);
      }
    });
    EXPECT_GT(damage.refused, 0u);
    EXPECT_GT(damage.accepted, 0u) << "a seed is as good as another";
    refuse_other_lengths(filter);
  }
}

// A number of the record in place of another.
void expect_corrupt(const ExactFilter& filter, std::size_t at, std::uint64_t value) {
  Bytes bytes = wire_bytes(filter);
  set64(bytes, at, value);
  repair_crcs(bytes);
  EXPECT_EQ(from_bytes<ExactFilter>(bytes).status(), Status::kCorrupt) << at << ", " << value;
}

TEST(ExactBytes, TheRecord) {
  const ExactFilter filter = exact(some_hashes(0, 100), some_hashes(1, 5'000));
  const Bytes bytes = wire_bytes(filter);
  EXPECT_EQ(detail::load_le64(&bytes[kCapacityAt]), 100u);
  EXPECT_EQ(detail::load_le64(&bytes[kCountAt]), 100u);
  EXPECT_EQ(detail::load_le64(&bytes[kHeaderBytes]), 5'000u);
  const std::uint64_t passing = detail::load_le64(&bytes[72]);
  const std::uint64_t r = detail::load_le64(&bytes[80]);
  EXPECT_EQ(r, filter.check_bits());
  EXPECT_TRUE(is_plausible(passing, 5'000, std::exp2(-static_cast<double>(r)))) << passing;
  for (const auto& [at, value] :
       std::vector<std::pair<std::size_t, std::uint64_t>>{{32, 99},
                                                          {40, 99},
                                                          {64, passing - 1},
                                                          {64, sizing::kMaxCount + 1},
                                                          {72, 5'001},
                                                          {72, ~std::uint64_t{0}},
                                                          {80, 33},
                                                          {80, 0},
                                                          {80, r | std::uint64_t{1} << 32}}) {
    expect_corrupt(filter, at, value);
  }
}

TEST(ExactBytes, WhatPassesWithoutAFirstLevel) {
  const ExactFilter all = exact(some_hashes(0, 100), some_hashes(1, 150));
  EXPECT_EQ(all.check_bits(), 0u);
  EXPECT_EQ(detail::load_le64(&wire_bytes(all)[72]), 150u);
  expect_corrupt(all, 64, 151);
  const ExactFilter none = exact({}, some_hashes(1, 150));
  EXPECT_EQ(detail::load_le64(&wire_bytes(none)[72]), 0u);
  expect_corrupt(none, 72, 1);
}

TEST(ExactBytes, EachAllocationMayFail) {
  const Hashes include = some_hashes(0, 6'000), exclude = some_hashes(1, 40'000);
  fail_each_allocation([&] {
    const auto built = build(include, exclude);
    EXPECT_EQ(built.conflicts, 0u);
    return built.filter.status();
  });
  const ExactFilter filter = exact(include, exclude);
  fail_each_allocation([&] { return filter.clone().status(); });
  const Bytes bytes = wire_bytes(filter);
  fail_each_allocation([&] { return from_bytes<ExactFilter>(bytes).status(); });
}

}  // namespace
}  // namespace tamis::test
