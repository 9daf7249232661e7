// Exact filters have no error on either list, for any lists. The tests also cover the sizes and the
// rate that may be asked.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include <tamis/sizing/exact.hpp>
#include "contract/static_sweeps.hpp"

namespace tamis::test {
namespace {

ExactFilter exact(Hashes include, Hashes exclude, const Hasher& hasher = Hasher()) {
  std::uint64_t conflicts = 77;  // must not stay
  auto filter = ExactFilter::build({.hasher = hasher}, include, exclude, conflicts);
  EXPECT_TRUE(filter.ok()) << code(filter.status());
  EXPECT_EQ(conflicts, 0u);
  return std::move(*filter);
}

void expect_all(const ExactFilter& filter, const Hashes& hashes, bool answer) {
  std::vector<std::uint8_t> answers(hashes.size(), 2);
  filter.may_contain(to_hashes(hashes), answers.data());
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
  Hashes include = even_hashes(std::get<0>(GetParam()), 0);
  Hashes exclude = even_hashes(std::get<1>(GetParam()), 1);
};

TEST_P(ExactShapes, NoErrorOnEitherList) {
  for (const Hasher& hasher : hashers_of<ExactFilter>()) {
    const ExactFilter filter = exact(include, exclude, hasher);
    expect_exact(filter, include, exclude);
    EXPECT_EQ(filter.count(), include.size());
    EXPECT_EQ(filter.capacity(), include.size());
    EXPECT_EQ(filter.excluded(), exclude.size());
    EXPECT_EQ(filter.check_bits(), sizing::exact_bits(include.size(), exclude.size(), 1));
    EXPECT_EQ(filter.fpr(), include.empty() ? 0 : std::exp2(-1.0 - filter.check_bits()));
    EXPECT_EQ(filter.estimated_fpr(), filter.fpr());
    EXPECT_EQ(filter.hasher(), hasher);
    expect_exact(read_back(filter), include, exclude);
    ExactFilter moved = exact({1}, {2});
    moved = read_back(filter);
    expect_exact(ExactFilter(std::move(moved)), include, exclude);
  }
}

INSTANTIATE_TEST_SUITE_P(Lists, ExactShapes,
                         ::testing::Combine(::testing::Values(0, 1, 2, 10, 100, 1'000),
                                            ::testing::Values(0, 1, 10, 1'000, 20'000)));

TEST(Exact, ManyBumpingLevels) {
  const Hashes include = even_hashes(60'000, 0), exclude = even_hashes(200'000, 1);
  const ExactFilter filter = exact(include, exclude);
  expect_exact(filter, include, exclude);
  expect_exact(read_back(filter), include, exclude);
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
  const ExactFilter filter = exact({}, even_hashes(500, 0));
  EXPECT_EQ(filter.excluded(), 500u);
  EXPECT_EQ(filter.size_bytes(), 0u);
  expect_all(filter, even_hashes(1'000, 1), false);
  expect_all(filter, {0, ~std::uint64_t{0}}, false);
}

TEST(Exact, Capacities) {
  const auto status = [](std::uint64_t included, std::uint64_t excluded) {
    return ExactFilter::size_for({.capacity = included, .excluded = excluded}).status();
  };
  EXPECT_EQ(status(0, 1), Status::kInvalidOption);
  EXPECT_EQ(status(1, sizing::kMaxCount + 1), Status::kInvalidOption);
  EXPECT_EQ(status(sizing::kMaxCount + 1, 1), Status::kInvalidOption);
  EXPECT_EQ(status(sizing::kMaxCount, 1), Status::kTooLarge);
  EXPECT_EQ(status(1, sizing::kMaxCount), Status::kOk);
}

TEST(Exact, TheBytesToExpect) {
  for (const auto& [included, excluded] : std::vector<std::pair<std::size_t, std::size_t>>{
           {1, 0}, {1, 1}, {50, 3'000}, {1'000, 1'000}, {2'000, 100'000}, {40'000, 400'000}}) {
    const ExactFilter filter = exact(even_hashes(included, 0), even_hashes(excluded, 1));
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
  const Hashes include = even_hashes(1'000, 0), exclude = even_hashes(100, 1);
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

}  // namespace
}  // namespace tamis::test
