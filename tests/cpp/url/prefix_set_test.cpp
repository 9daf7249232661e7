// The packed prefix list against std::set.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <tamis/detail/endian.hpp>
#include <tamis/hash/sha2.hpp>
#include <tamis/url/prefix_set.hpp>

#include "support/support.hpp"
#include "support/test_calloc.hpp"
#include "url/url_samples.hpp"

namespace tamis::test {
namespace {

using url::PrefixReader;
using url::PrefixSet;

PrefixSet set_of(const PrefixModel& model, std::size_t width) {
  auto set = PrefixSet::build(HeapCopy(joined(model)).span(), static_cast<std::uint32_t>(width));
  EXPECT_TRUE(set.ok());
  return std::move(*set);
}

// Looks up an exact copy of a hash that begins with these bytes.
std::uint64_t index_of(const PrefixSet& set, const Bytes& prefix) {
  const HeapCopy copy(prefix);
  EXPECT_EQ(set.contains(copy.span().data()), set.index_of(copy.span().data()) != PrefixSet::kNone);
  return set.index_of(copy.span().data());
}

void expect_equal(const PrefixSet& set, const PrefixModel& model, std::size_t width) {
  ASSERT_EQ(set.size(), model.size());
  ASSERT_EQ(set.prefix_bytes(), width);
  const Bytes all = joined(model);
  Bytes unpacked(all.size());
  set.copy_to(0, set.size(), unpacked.data());
  ASSERT_EQ(unpacked, all);
  ASSERT_EQ(set.checksum(), detail::sha256(all));
  std::uint64_t index = 0;
  for (const Bytes& entry : model) {
    ASSERT_EQ(index_of(set, entry), index);
    Bytes one(width);
    set.copy_to(index, 1, one.data());
    ASSERT_EQ(one, entry);
    ++index;
  }
}

// Hashes near the entries, and others anywhere, are in the set only if the model has them.
void expect_others_absent(const PrefixSet& set, const PrefixModel& model, std::size_t width,
                          std::mt19937_64& random) {
  const auto expect_as_model = [&](const Bytes& hash) {
    ASSERT_EQ(index_of(set, hash) != PrefixSet::kNone, model.contains(hash)) << hex(hash);
  };
  for (const Bytes& entry : model) {
    Bytes near = entry;
    near[random() % width] ^= std::byte{1} << (random() % 8);
    ASSERT_NO_FATAL_FAILURE(expect_as_model(near));
    near = entry;
    near[width - 1] = static_cast<std::byte>(std::to_integer<int>(near[width - 1]) + 1);
    ASSERT_NO_FATAL_FAILURE(expect_as_model(near));
  }
  for (int i = 0; i < 300; ++i) {
    ASSERT_NO_FATAL_FAILURE(expect_as_model(random_bytes(random, width)));
  }
  ASSERT_NO_FATAL_FAILURE(expect_as_model(Bytes(width, std::byte{0})));
  ASSERT_NO_FATAL_FAILURE(expect_as_model(Bytes(width, std::byte{0xff})));
}

class PrefixSets : public testing::TestWithParam<std::size_t> {};

TEST_P(PrefixSets, AsTheModel) {
  const std::size_t width = GetParam();
  std::mt19937_64 random(width);
  const auto check = [&](const PrefixModel& model) {
    const PrefixSet set = set_of(model, width);
    ASSERT_NO_FATAL_FAILURE(expect_equal(set, model, width));
    ASSERT_NO_FATAL_FAILURE(expect_others_absent(set, model, width, random));
  };
  for (const std::size_t count :
       {0u, 1u, 2u, 3u, 4u, 5u, 63u, 64u, 65u, 128u, 129u, 1000u, 4096u, 9001u}) {
    SCOPED_TRACE(count);
    ASSERT_NO_FATAL_FAILURE(check(random_prefixes(random, width, count)));
    // Clusters: all within 2^24 and 2^16, which is one bucket; longer ones with one head.
    ASSERT_NO_FATAL_FAILURE(check(random_prefixes(random, width, count, 1)));
    ASSERT_NO_FATAL_FAILURE(check(random_prefixes(random, width, count, 2)));
    if (width > 4) ASSERT_NO_FATAL_FAILURE(check(random_prefixes(random, width, count, 4)));
    // The ends, with a cluster or with a spread list between them.
    for (const std::size_t same : {0u, 2u}) {
      PrefixModel model = random_prefixes(random, width, count, same);
      model.insert(Bytes(width, std::byte{0}));
      model.insert(Bytes(width, std::byte{0xff}));
      ASSERT_NO_FATAL_FAILURE(check(model));
    }
    // All high bits set.
    PrefixModel high;
    for (Bytes entry : random_prefixes(random, width, count)) {
      entry[0] = std::byte{0xff};
      entry[1] |= std::byte{0xf0};
      high.insert(entry);
    }
    ASSERT_NO_FATAL_FAILURE(check(high));
  }
  ASSERT_NO_FATAL_FAILURE(check({Bytes(width, std::byte{0})}));
  ASSERT_NO_FATAL_FAILURE(check({Bytes(width, std::byte{0xff})}));
}

TEST_P(PrefixSets, AnyPartAndInChunks) {
  const std::size_t width = GetParam();
  std::mt19937_64 random(1);
  for (const std::size_t count : {0u, 1u, 128u, 3000u}) {
    const PrefixModel model = random_prefixes(random, width, count, count == 128 ? 2 : 0);
    const PrefixSet set = set_of(model, width);
    const Bytes all = joined(model);
    for (int i = 0; i < 200; ++i) {
      const std::size_t from = random() % (count + 1), part = random() % (count - from + 1);
      Bytes unpacked(part * width);
      set.copy_to(from, part, unpacked.data());
      ASSERT_TRUE(std::ranges::equal(unpacked, std::span(all).subspan(from * width, part * width)));
    }
    Bytes by_chunk, by_entry;
    for (PrefixReader in(set); !in.is_at_end(); in.skip_chunk()) {
      by_chunk.insert(by_chunk.end(), in.chunk().begin(), in.chunk().end());
    }
    for (PrefixReader in(set); !in.is_at_end(); in.skip()) {
      by_entry.insert(by_entry.end(), in.entry(), in.entry() + width);
    }
    EXPECT_EQ(by_chunk, all);
    EXPECT_EQ(by_entry, all);
  }
}

TEST_P(PrefixSets, BuildRefuses) {
  const std::size_t width = GetParam();
  const auto build = [&](const Bytes& bytes) {
    return PrefixSet::build(bytes, static_cast<std::uint32_t>(width)).status();
  };
  Bytes two(2 * width);
  EXPECT_EQ(build(two), Status::kInvalidOption);
  two[width - 1] = std::byte{1};
  EXPECT_EQ(build(two), Status::kInvalidOption);
  std::swap(two[width - 1], two[2 * width - 1]);
  EXPECT_EQ(build(two), Status::kOk);
  EXPECT_EQ(build(Bytes(width + 1)), Status::kInvalidOption);
}

TEST_P(PrefixSets, CloneAndOutOfMemory) {
  const std::size_t width = GetParam();
  std::mt19937_64 random(3);
  const PrefixModel model = random_prefixes(random, width, 500);
  const Bytes bytes = joined(model);
  const PrefixSet set = set_of(model, width);
  auto copy = set.clone();
  ASSERT_TRUE(copy.ok());
  ASSERT_NO_FATAL_FAILURE(expect_equal(*copy, model, width));
  EXPECT_EQ(copy->size_bytes(), set.size_bytes());
  fail_each_allocation(
      [&] { return PrefixSet::build(bytes, static_cast<std::uint32_t>(width)).status(); });
  fail_each_allocation([&] { return set.clone().status(); });
}

INSTANTIATE_TEST_SUITE_P(Widths, PrefixSets, testing::Values(4, 8, 16, 32));

TEST(PrefixSet, OtherLengthsAreRefused) {
  for (const std::uint32_t width : {0u, 1u, 3u, 5u, 12u, 31u, 33u, 64u}) {
    EXPECT_EQ(PrefixSet::build({}, width).status(), Status::kInvalidOption) << width;
  }
  EXPECT_EQ(PrefixSet::Builder::create(PrefixSet::kMaxSize + 1, 4).status(), Status::kTooLarge);
}

TEST(PrefixSet, BuilderTakesNoMoreThanItsSize) {
  for (const std::uint64_t size : {0u, 1u, 2u, 64u}) {
    auto builder = PrefixSet::Builder::create(size, 4);
    ASSERT_TRUE(builder.ok());
    std::byte entry[4] = {};
    for (std::uint64_t i = 0; i < size + 3; ++i) {
      entry[1] = static_cast<std::byte>(i);
      EXPECT_EQ(builder->push(entry), i < size);
    }
    EXPECT_EQ(std::move(*builder).finish().size(), size);
  }
}

// In a chosen list all entries begin alike, so that they are in one bucket. To step over them one
// by one takes some hundred times as long as for a list of hashes.
TEST(PrefixSet, AClusterIsPassedInTime) {
  constexpr std::uint64_t kCount = 1 << 20, kBucket = std::uint64_t{1} << (64 - 20);
  const auto list_with = [](std::uint64_t first, std::uint64_t step) {
    Bytes bytes(8 * kCount);
    for (std::uint64_t i = 0; i < kCount; ++i) {
      detail::store_be64(bytes.data() + 8 * i, first + i * step);
    }
    return std::move(*PrefixSet::build(bytes, 8));
  };
  const PrefixSet spread = list_with(0, kBucket), cluster = list_with(3 * kBucket, 1);
  // In the buckets behind the cluster.
  std::vector<Bytes> hashes;
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    hashes.emplace_back(8);
    detail::store_be64(hashes.back().data(), (5 + i % 16) * kBucket + 1);
  }
  const auto time_to_ask = [&](const PrefixSet& set) {
    return time_of([&] {
      for (const Bytes& hash : hashes) EXPECT_FALSE(set.contains(hash.data()));
    });
  };
  // A clock may tick a hundred times a second.
  EXPECT_LE(time_to_ask(cluster), 16 * time_to_ask(spread) + CLOCKS_PER_SEC / 20);
}

TEST(PrefixSet, BytesAnEntry) {
  std::mt19937_64 random(4);
  const PrefixModel model = random_prefixes(random, 4, 190'215);
  const PrefixSet set = set_of(model, 4);
  EXPECT_LE(static_cast<double>(set.size_bytes()) / 190'215, 2.4);
  std::uint64_t index = 0;
  for (const Bytes& entry : model) ASSERT_EQ(set.index_of(entry.data()), index++);
}

}  // namespace
}  // namespace tamis::test
