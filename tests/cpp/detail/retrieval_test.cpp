// Retrieval against the reader by FORMAT.md: widths, levels, seeds and chosen hashes. The contract
// tests of the types that have one try repeats, patterns of hashes and refused memory.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "detail/retrieval_model.hpp"
#include "support/format_table.hpp"

namespace tamis::test {
namespace {

using Shape = Retrieval::Shape;

struct Entry {
  std::uint64_t hash;
  std::uint64_t value;
};

constexpr std::uint64_t kSeed = 0xfedcba9876543210;
constexpr std::uint32_t kPart = 3;

std::uint64_t value_for(std::uint64_t hash, std::uint32_t bits) {
  return fmix64(~hash) & ((std::uint64_t{1} << bits) - 1);
}

std::vector<Entry> entries_of(const std::vector<std::uint64_t>& hashes, std::uint32_t value_bits) {
  std::vector<Entry> entries;
  for (const std::uint64_t hash : hashes) entries.push_back({hash, value_for(hash, value_bits)});
  return entries;
}

Result<Retrieval> try_build(const std::vector<Entry>& entries, Shape shape, std::uint64_t seed,
                            std::uint32_t part, std::uint64_t& conflicts) {
  std::vector<std::uint64_t> words;
  for (const Entry& entry : entries) words.insert(words.end(), {entry.hash, entry.value});
  return Retrieval::build(detail::HashRecords::with_values(words), shape, seed, part, conflicts);
}

// Keys without values; `hashes` are scratch.
Result<Retrieval> try_build(std::span<std::uint64_t> hashes, Shape shape) {
  std::uint64_t conflicts = 99;
  auto built = Retrieval::build(detail::HashRecords(hashes), shape, kSeed, kPart, conflicts);
  EXPECT_EQ(conflicts, 0u);
  return built;
}

Retrieval build(const std::vector<Entry>& entries, Shape shape, std::uint64_t seed = kSeed,
                std::uint32_t part = kPart) {
  std::uint64_t conflicts = 99;
  auto built = try_build(entries, shape, seed, part, conflicts);
  EXPECT_TRUE(built.ok()) << code(built.status());
  EXPECT_EQ(conflicts, 0u);
  return std::move(*built);
}

Retrieval build(std::vector<std::uint64_t> hashes, std::uint32_t check_bits) {
  auto built = try_build(hashes, {0, check_bits});
  EXPECT_TRUE(built.ok()) << code(built.status());
  return std::move(*built);
}

Result<Retrieval> read(const Bytes& bytes, Shape shape, std::uint64_t count) {
  const HeapCopy copy(bytes);
  ByteReader in(copy.span());
  auto made = Retrieval::read(in, shape, count, kSeed, kPart);
  if (made.ok() && (in.overrun() || in.remaining() != 0)) return Status::kCorrupt;
  return made;
}

// Each way to ask gives what the model says; of `present`, the value.
void expect_like_model(const Retrieval& made, const std::vector<std::uint64_t>& present,
                       const std::vector<std::uint64_t>& absent_keys) {
  const Shape shape = made.shape();
  const RetrievalModel model(payload_of(made), shape, made.count(), kSeed, kPart);
  std::vector<std::uint64_t> asked = present;
  asked.insert(asked.end(), absent_keys.begin(), absent_keys.end());
  std::vector<std::uint8_t> matches(asked.size(), 9);
  made.matches(to_hashes(asked), matches.data());
  std::vector<std::uint8_t> found(asked.size(), 9);
  std::vector<std::uint32_t> values(asked.size(), 9);
  made.find(to_hashes(asked), found.data(), values.data());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto expected = model.value(asked[i]);
    std::uint32_t value = 9;
    ASSERT_EQ(made.find(Hash{asked[i]}, value), expected.has_value());
    ASSERT_EQ(value, expected.value_or(0));
    ASSERT_EQ(made.matches(Hash{asked[i]}), expected.has_value());
    ASSERT_EQ(matches[i], expected.has_value() ? 1 : 0);
    ASSERT_EQ(found[i], matches[i]);
    ASSERT_EQ(values[i], value);
    if (i < present.size()) {
      ASSERT_TRUE(expected.has_value()) << "key " << i << " of " << present.size();
      ASSERT_EQ(value, value_for(asked[i], shape.value_bits));
    }
  }
}

void expect_round_trip(const Retrieval& made) {
  const Bytes bytes = payload_of(made);
  EXPECT_EQ(made.validate(), Status::kOk);
  const auto again = read(bytes, made.shape(), made.count());
  ASSERT_TRUE(again.ok()) << code(again.status());
  EXPECT_EQ(payload_of(*again), bytes);
  const auto copy = made.clone();
  ASSERT_TRUE(copy.ok());
  EXPECT_EQ(payload_of(*copy), bytes);
  EXPECT_EQ(copy->count(), made.count());
  std::uint64_t asked = 0;
  for (const std::uint64_t hash : hashes_of_set(7, 200)) {
    std::uint32_t value, other;
    const bool is_found = made.find(Hash{hash}, value);
    ASSERT_EQ(copy->find(Hash{hash}, other), is_found);
    ASSERT_EQ(other, value);
    ASSERT_EQ(again->find(Hash{hash}, other), is_found);
    ASSERT_EQ(other, value);
    asked += is_found ? 1 : 0;
  }
  EXPECT_TRUE(asked == 200 || made.shape().check_bits > 0 || made.count() == 0);
}

TEST(RibbonPlaces, TheRowsOfTheFormat) {
  const auto rows = format_table("| seed | level | a | h | m | i | c | check |");
  ASSERT_GT(rows.size(), 3u);
  for (const auto& row : rows) {
    ASSERT_EQ(row.size(), 8u);
    const auto level = static_cast<std::uint32_t>(decimal(row[1]));
    const auto attempt = static_cast<std::uint32_t>(decimal(row[2]));
    const std::uint64_t g =
        fmix64(hexadecimal(row[3]) + attempt_seed(hexadecimal(row[0]), level, attempt));
    const detail::RibbonPlaces places(static_cast<std::uint32_t>(decimal(row[4])));
    EXPECT_EQ(places.start(g), decimal(row[5]));
    EXPECT_EQ(places.coefficients(g), hexadecimal(row[6]));
    EXPECT_EQ(detail::RibbonPlaces::check(g), hexadecimal(row[7]));
  }
}

TEST(Retrieval, EveryWidth) {
  const auto absent_keys = hashes_of_set(1, 300);
  for (std::uint32_t width = 1; width <= 64; ++width) {
    for (const std::uint32_t check_bits : {0u, 1u, width / 2, width - 1, width}) {
      if (check_bits > 32 || width - check_bits > 32) continue;
      for (const std::uint64_t count : {1u, 63u, 130u, 257u}) {
        const auto keys = hashes_of_set(0, count);
        const Retrieval made =
            build(entries_of(keys, width - check_bits), {width - check_bits, check_bits});
        ASSERT_EQ(made.count(), count);
        ASSERT_NO_FATAL_FAILURE(expect_like_model(made, keys, absent_keys))
            << width << ", " << check_bits;
        ASSERT_NO_FATAL_FAILURE(expect_round_trip(made));
      }
    }
  }
}

TEST(Retrieval, Levels) {
  const auto absent_keys = hashes_of_set(1, 2'000);
  for (const auto& [count, levels] :
       {std::pair{4'095u, 1u}, {4'096u, 2u}, {4'097u, 2u}, {20'000u, 2u}, {70'000u, 3u}}) {
    const auto keys = hashes_of_set(0, count);
    for (const Shape shape : {Shape{0, 7}, Shape{0, 8}, Shape{1, 0}, Shape{5, 6}, Shape{32, 32}}) {
      const Retrieval made = build(entries_of(keys, shape.value_bits), shape);
      ASSERT_EQ(made.levels(), levels) << count;
      ASSERT_NO_FATAL_FAILURE(expect_like_model(made, keys, absent_keys));
      ASSERT_NO_FATAL_FAILURE(expect_round_trip(made));
      EXPECT_LT(made.slots(), count * 1.016) << count;
    }
    const RetrievalModel model(payload_of(build(keys, 8)), {0, 8}, count, kSeed, kPart);
    std::vector<std::uint64_t> held(levels);
    for (const std::uint64_t key : keys) ++held[model.level_of(key)];
    for (std::size_t i = 0; i + 1 < levels; ++i) EXPECT_GT(held[i], held[i + 1] * 7);
  }
}

// The hashes alone, and entries without a value, give the same.
TEST(Retrieval, HashesAreEntriesWithoutValues) {
  for (const std::uint64_t count : {0u, 1u, 100u, 9'000u}) {
    const auto keys = hashes_of_set(0, count);
    EXPECT_EQ(payload_of(build(keys, 9)), payload_of(build(entries_of(keys, 0), {0, 9})));
  }
}

TEST(Retrieval, NothingStored) {
  for (const Shape shape : {Shape{0, 1}, Shape{0, 8}, Shape{32, 0}, Shape{3, 10}}) {
    const Retrieval made = build(std::vector<Entry>(), shape);
    EXPECT_EQ(made.count(), 0u);
    EXPECT_EQ(made.payload_bytes(), 8u);
    EXPECT_EQ(made.size_bytes(), 0u);
    ASSERT_NO_FATAL_FAILURE(expect_like_model(made, {}, hashes_of_set(1, 500)));
    expect_round_trip(made);
    for (const std::uint64_t hash : hashes_of_set(1, 500)) EXPECT_FALSE(made.matches(Hash{hash}));
  }
  const Retrieval made;
  std::uint32_t value;
  EXPECT_FALSE(made.matches(Hash{1}));
  EXPECT_FALSE(made.find(Hash{1}, value));
  EXPECT_EQ(made.validate(), Status::kOk);
}

TEST(Retrieval, TheDistinctHashesStandInFront) {
  for (const std::uint64_t count : {10u, 5'000u, 70'000u}) {
    const auto keys = hashes_of_set(0, count);
    auto scratch = keys;
    scratch.insert(scratch.end(), keys.begin(), keys.begin() + 10);
    const auto made = try_build(scratch, {0, 8});
    ASSERT_TRUE(made.ok() && made->count() == count);
    scratch.resize(count);
    auto sorted = keys;
    std::ranges::sort(sorted);
    std::ranges::sort(scratch);
    EXPECT_EQ(scratch, sorted);
  }
}

TEST(Retrieval, SeedsAndPartsDiffer) {
  const auto entries = entries_of(hashes_of_set(0, 100), 8);
  const Bytes bytes = payload_of(build(entries, {8, 8}));
  EXPECT_NE(payload_of(build(entries, {8, 8}, kSeed + 1)), bytes);
  EXPECT_NE(payload_of(build(entries, {8, 8}, kSeed, kPart + 1)), bytes);
}

// The numbers of attempts begin far from those of the next seed. Otherwise the second attempt of a
// seed would be the first of the next. Then filters that settle on the same attempt's rows would
// have the same false positives.
TEST(Retrieval, NeighbouringSeedsHaveNothingInCommon) {
  const auto keys = hashes_of_set(0, 1'000);
  const auto absent_keys = hashes_of_set(9, 20'000);
  std::vector<std::vector<std::uint64_t>> hits;
  for (const std::uint64_t seed :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1} << 32}) {
    std::vector<std::uint64_t> scratch = keys;
    std::uint64_t conflicts;
    const auto made = Retrieval::build(detail::HashRecords(scratch), {0, 5}, seed, 0, conflicts);
    ASSERT_TRUE(made.ok());
    hits.emplace_back();
    for (const std::uint64_t absent_key : absent_keys) {
      if (made->matches(Hash{absent_key})) hits.back().push_back(absent_key);
    }
    EXPECT_GT(hits.back().size(), 400u);
  }
  for (std::size_t i = 0; i < hits.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      std::vector<std::uint64_t> both;
      std::ranges::sort(hits[i]);
      std::ranges::sort(hits[j]);
      std::ranges::set_intersection(hits[i], hits[j], std::back_inserter(both));
      // One in 32 of 625 by chance, and not three times that.
      EXPECT_LT(both.size(), 60u) << i << ", " << j;
    }
  }
}

TEST(Retrieval, RefusesShapes) {
  std::vector<Entry> entries = entries_of(hashes_of_set(0, 3), 1);
  std::vector<std::uint64_t> hashes = hashes_of_set(0, 3);
  std::uint64_t conflicts;
  for (const Shape shape :
       {Shape{0, 0}, Shape{33, 0}, Shape{0, 33}, Shape{1, ~0u}, Shape{~0u, 1}}) {
    EXPECT_EQ(try_build(entries, shape, 0, 0, conflicts).status(), Status::kInvalidOption);
    EXPECT_EQ(try_build(hashes, shape).status(), Status::kInvalidOption);
  }
}

// The h whose g at attempt 0 of the first level is this.
std::uint64_t hash_of_g(std::uint64_t g) { return unfmix64(g) - attempt_seed(kSeed, kPart, 0); }
std::uint64_t coefficients_of(std::uint64_t g) {
  const std::uint64_t product = g * 0x9e3779b97f4a7c15;
  return (product ^ product >> 32) | 1;
}
// The g that has the same coefficients: its product differs in the lowest bit. The two are so far
// apart that they have one start only if there are few.
std::uint64_t twin_of(std::uint64_t g) {
  constexpr std::uint64_t kInverse = 0xf1de83e19937733d;  // of 0x9e3779b97f4a7c15 modulo 2^64
  return ((g * 0x9e3779b97f4a7c15) ^ 1) * kInverse;
}

// The attempt of the first level of these hashes' structure.
std::uint32_t expect_built(const std::vector<std::uint64_t>& hashes) {
  const Retrieval made = build(hashes, 8);
  EXPECT_EQ(made.count(), hashes.size());
  for (const std::uint64_t hash : hashes) EXPECT_TRUE(made.matches(Hash{hash}));
  return detail::load_le32(payload_of(made).data() + 4) & 0xffff;
}

TEST(Retrieval, TwinsInOneLevel) {
  std::vector<std::uint64_t> hashes;
  for (std::uint64_t i = 0; i < 15; ++i) {
    const std::uint64_t g = splitmix64(i);
    ASSERT_EQ(coefficients_of(twin_of(g)), coefficients_of(g));
    hashes.insert(hashes.end(), {hash_of_g(g), hash_of_g(twin_of(g))});
  }
  EXPECT_GT(expect_built(hashes), 0u) << "twins have one equation and two check bytes";
}

// All at one start, in one bucket, in few buckets: another attempt.
TEST(Retrieval, ChosenStarts) {
  for (const std::uint64_t range : {1u, 1u << 10, 1u << 25, 1u << 29}) {
    for (const std::uint64_t count : {50u, 3'000u, 20'000u}) {
      std::vector<std::uint64_t> hashes;
      for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t g = splitmix64(i);
        hashes.push_back(
            hash_of_g(((g >> 32) % range + (std::uint64_t{1} << 30)) << 32 | (g & 0xffffffff)));
      }
      const std::uint32_t attempt = expect_built(hashes);
      EXPECT_TRUE(attempt > 0 || count == 50) << range << ", " << count;
    }
  }
}

}  // namespace
}  // namespace tamis::test
