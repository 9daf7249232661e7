// The order of hashes (hash/hash_records.hpp) beside the standard library's, for hashes that are
// spread evenly and for those that are not.

#include <tamis/hash/hash_records.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

namespace tamis::test {
namespace {

using Hashes = std::vector<std::uint64_t>;

struct Shape {
  const char* name;
  std::function<std::uint64_t(std::uint64_t i, std::uint64_t size)> hash;
};

// The bits of i in the opposite order.
std::uint64_t reversed(std::uint64_t i) {
  std::uint64_t out = 0;
  for (int bit = 0; bit < 64; ++bit) out |= (i >> bit & 1) << (63 - bit);
  return out;
}

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {"even", [](std::uint64_t i, std::uint64_t) { return fmix64(i); }},
      {"all 0", [](std::uint64_t, std::uint64_t) { return std::uint64_t{0}; }},
      {"all equal", [](std::uint64_t, std::uint64_t) { return fmix64(1); }},
      {"all ones", [](std::uint64_t, std::uint64_t) { return ~std::uint64_t{0}; }},
      {"two values", [](std::uint64_t i, std::uint64_t) { return fmix64(1 + i % 2); }},
      {"seven values", [](std::uint64_t i, std::uint64_t) { return fmix64(fmix64(i) % 7); }},
      {"one other", [](std::uint64_t i, std::uint64_t n) { return i == n / 2 ? 0 : fmix64(1); }},
      {"sorted", [](std::uint64_t i, std::uint64_t n) { return i * (~std::uint64_t{0} / n); }},
      {"falling",
       [](std::uint64_t i, std::uint64_t n) { return (n - i) * (~std::uint64_t{0} / n); }},
      {"numbers", [](std::uint64_t i, std::uint64_t) { return i; }},
      {"falling numbers", [](std::uint64_t i, std::uint64_t n) { return n - i; }},
      {"shifted by 32", [](std::uint64_t i, std::uint64_t) { return i << 32; }},
      {"bit-reversed", [](std::uint64_t i, std::uint64_t) { return reversed(i); }},
      {"powers of two",
       [](std::uint64_t i, std::uint64_t) { return std::uint64_t{1} << (i % 64); }},
      {"low bits alone", [](std::uint64_t i, std::uint64_t) { return fmix64(i) >> 52; }},
      {"high bits alone",
       [](std::uint64_t i, std::uint64_t) { return fmix64(i) & ~(~std::uint64_t{0} >> 9); }},
      // A pass settles one digit here, and each leaves all but a few hashes together.
      {"ever fewer",
       [](std::uint64_t i, std::uint64_t) { return ~std::uint64_t{0} >> (fmix64(i) % 64); }},
      {"runs", [](std::uint64_t i, std::uint64_t) { return fmix64(i / 70); }},
  };
  return all;
}

Hashes made(const Shape& shape, std::uint64_t size) {
  Hashes hashes(size);
  for (std::uint64_t i = 0; i < size; ++i) hashes[i] = shape.hash(i, size);
  return hashes;
}

Hashes in_order(Hashes hashes) {
  std::ranges::sort(hashes);
  return hashes;
}

TEST(HashRecords, EverySizeTo1000) {
  for (const Shape& shape : shapes()) {
    for (std::uint64_t size = 0; size <= 1'000; size += size < 70 ? 1 : 31) {
      Hashes hashes = made(shape, size);
      const Hashes expected = in_order(hashes);
      detail::sort_by_hash(detail::HashRecords(hashes));
      ASSERT_EQ(hashes, expected) << shape.name << ", " << size;
    }
  }
}

// The sums detect lost or doubled hashes. std::sort would take most of the time.
std::uint64_t mixed_sum(const Hashes& hashes) {
  std::uint64_t sum = 0;
  for (const std::uint64_t hash : hashes) sum += splitmix64(hash);
  return sum;
}

// The sizes at which the number of passes and the width of their digits change.
TEST(HashRecords, LargerSizes) {
  for (const Shape& shape : shapes()) {
    for (const std::uint64_t size : {4'097u, 8'191u, 65'537u}) {
      Hashes hashes = made(shape, size);
      const std::uint64_t sum = mixed_sum(hashes);
      detail::sort_by_hash(detail::HashRecords(hashes));
      ASSERT_TRUE(std::ranges::is_sorted(hashes)) << shape.name << ", " << size;
      ASSERT_EQ(mixed_sum(hashes), sum) << shape.name << ", " << size;
    }
  }
}

TEST(HashRecords, ManyInBoundedTime) {
  // The limit is far above any of them under the sanitizers. A quadratic sort takes hours.
  constexpr std::clock_t kMost = 600 * CLOCKS_PER_SEC;
  for (const Shape& shape : shapes()) {
    Hashes hashes = made(shape, &shape == &shapes().front() ? 1'000'000 : 200'000);
    const std::uint64_t sum = mixed_sum(hashes);
    const std::clock_t start = std::clock();
    detail::sort_by_hash(detail::HashRecords(hashes));
    const std::clock_t took = std::clock() - start;
    EXPECT_TRUE(std::ranges::is_sorted(hashes)) << shape.name;
    EXPECT_EQ(mixed_sum(hashes), sum) << shape.name;
    EXPECT_LT(took, kMost) << shape.name;
  }
}

// The value of a hash moves with it. Equal hashes have any order.
TEST(HashRecords, KeepTheirValues) {
  for (const Shape& shape : shapes()) {
    for (const std::uint64_t size : {0u, 1u, 2u, 31u, 33u, 600u, 20'000u}) {
      Hashes words(2 * size);
      const auto records = detail::HashRecords::with_values(words);
      ASSERT_EQ(records.size(), size);
      for (std::uint64_t i = 0; i < size; ++i) records.put(i, shape.hash(i, size), i);
      detail::sort_by_hash(records);
      std::vector<bool> is_seen(size);
      for (std::size_t i = 0; i < size; ++i) {
        const std::uint64_t value = records.value(i);
        ASSERT_TRUE(i == 0 || records.hash(i - 1) <= records.hash(i)) << shape.name << ", " << size;
        ASSERT_EQ(records.hash(i), shape.hash(value, size)) << shape.name << ", " << size;
        ASSERT_FALSE(is_seen[value]) << shape.name << ", " << size;
        is_seen[value] = true;
      }
    }
  }
}

// It does what std::unique does. A hash with several values is one conflict.
TEST(HashRecords, RepeatsAreDropped) {
  for (const Shape& shape : shapes()) {
    for (const std::uint64_t size : {0u, 1u, 2u, 40u, 1'000u, 30'000u}) {
      Hashes hashes = made(shape, size), expected = in_order(hashes);
      expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
      detail::sort_by_hash(detail::HashRecords(hashes));
      std::uint64_t conflicts = 7;
      hashes.resize(detail::drop_repeats(detail::HashRecords(hashes), conflicts));
      ASSERT_EQ(hashes, expected) << shape.name << ", " << size;
      ASSERT_EQ(conflicts, 0u);
    }
  }
  // 3 and 9 have two values, and 5 one value twice.
  Hashes words = {9, 1, 3, 8, 5, 4, 3, 8, 9, 2, 5, 4, 3, 7, 9, 1, 1, 0};
  const auto records = detail::HashRecords::with_values(words);
  detail::sort_by_hash(records);
  std::uint64_t conflicts = 0;
  EXPECT_EQ(detail::drop_repeats(records, conflicts), 4u);
  EXPECT_EQ(conflicts, 2u);
  for (const std::size_t i : {0u, 1u, 2u, 3u}) EXPECT_EQ(records.hash(i), (Hashes{1, 3, 5, 9})[i]);
}

TEST(HashRecords, MixAndBack) {
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{5}, ~std::uint64_t{0}}) {
    for (const std::uint64_t size : {0u, 1u, 4'096u, 4'097u, 10'000u}) {
      const Hashes hashes = made(shapes().front(), size);
      Hashes words;
      for (const std::uint64_t hash : hashes) words.insert(words.end(), {hash, ~hash});
      Hashes mixed = hashes;
      detail::mix(detail::HashRecords(mixed), seed);
      const auto records = detail::HashRecords::with_values(words);
      detail::mix(records, seed);
      for (std::size_t i = 0; i < size; ++i) {
        ASSERT_EQ(mixed[i], fmix64(hashes[i] + seed));
        ASSERT_EQ(records.hash(i), mixed[i]);
        ASSERT_EQ(records.value(i), ~hashes[i]);
      }
      detail::unmix(detail::HashRecords(mixed), seed);
      ASSERT_EQ(mixed, hashes);
    }
  }
}

}  // namespace
}  // namespace tamis::test
