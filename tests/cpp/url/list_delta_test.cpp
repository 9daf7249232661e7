// Updates of a prefix list: the rules as vectors, and random steps against std::set.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>

#include <tamis/url/rice.hpp>
#include <tamis/url/url_delta.hpp>

#include "support/support.hpp"
#include "support/test_calloc.hpp"
#include "url/url_samples.hpp"

namespace tamis::test {
namespace {

using url::apply_delta;
using url::PrefixSet;

PrefixSet set_of(const Bytes& bytes, std::size_t width) {
  auto set = PrefixSet::build(bytes, static_cast<std::uint32_t>(width));
  EXPECT_TRUE(set.ok());
  return std::move(*set);
}

Bytes bytes_of_set(const PrefixSet& set) {
  Bytes bytes(static_cast<std::size_t>(set.size()) * set.prefix_bytes());
  set.copy_to(0, set.size(), bytes.data());
  return bytes;
}

TEST(ListDelta, Rules) {
  const auto lines = vector_lines("url/updates.txt");
  ASSERT_GT(lines.size(), 12u);
  for (const std::string& line : lines) {
    const auto w = words(line);
    const PrefixSet old = set_of(from_hex(w[0]), 4);
    const HeapCopy removals(from_hex(w[1])), additions(from_hex(w[2]));
    const auto next = apply_delta(old, removals.span(), additions.span());
    if (w[3] == "corrupt") {
      EXPECT_EQ(next.status(), Status::kCorrupt) << line;
      continue;
    }
    ASSERT_TRUE(next.ok()) << line;
    EXPECT_EQ(hex(bytes_of_set(*next)), w[3]);
    EXPECT_EQ(hex(next->checksum()), w[4]) << line;
    const auto delta = url::diff(old, *next);
    ASSERT_TRUE(delta.ok());
    EXPECT_EQ(hex(delta->removals.span()), w[1]);
    EXPECT_EQ(hex(delta->additions.span()), w[2]);
  }
}

// Through the coding of the wire.
Bytes over_the_wire(std::span<const std::byte> values, std::uint32_t width) {
  if (values.empty()) return {};
  const auto encoded = url::rice_encode(values, width);
  EXPECT_TRUE(encoded.ok());
  const auto decoded = url::rice_decode(
      {values.first(width), encoded->parameter, encoded->entries_count, encoded->data.span()});
  EXPECT_TRUE(decoded.ok());
  return Bytes(decoded->span().begin(), decoded->span().end());
}

TEST(ListDelta, RandomSteps) {
  std::mt19937_64 random(1);
  for (const std::uint32_t width : {4u, 8u, 16u, 32u}) {
    PrefixModel model;
    PrefixSet set = set_of({}, width);
    for (int step = 0; step < 500; ++step) {
      PrefixModel next = model;
      // Half of the additions within a cluster; now and then all goes.
      const PrefixModel added = random_prefixes(random, width, random() % 30, random() % 2);
      next.insert(added.begin(), added.end());
      const std::uint64_t one_in = step % 97 == 96 ? 1 : 20 + random() % 20;
      std::erase_if(next, [&](const Bytes&) { return random() % one_in == 0; });

      PrefixSet target = set_of(joined(next), width);
      const auto delta = url::diff(set, target);
      ASSERT_TRUE(delta.ok());
      auto result = apply_delta(set, over_the_wire(delta->removals.span(), 4),
                                over_the_wire(delta->additions.span(), width));
      ASSERT_TRUE(result.ok()) << width << " " << step;
      ASSERT_EQ(bytes_of_set(*result), joined(next));
      ASSERT_EQ(result->checksum(), target.checksum());
      set = std::move(*result);
      model = std::move(next);
    }
  }
}

// Removals that are not in the list leave more entries than the new list was made for.
TEST(ListDelta, RemovalsThatAreNotThere) {
  std::mt19937_64 random(3);
  for (const std::size_t width : {4u, 32u}) {
    for (std::size_t count = 0; count <= 300; count += 1 + count / 4) {
      const PrefixSet old = set_of(joined(random_prefixes(random, width, count)), width);
      for (std::size_t removed = 1; removed <= count + 1; removed += 1 + removed / 4) {
        // All 0xffffffff, or all the first index.
        for (const std::byte byte : {std::byte{0xff}, std::byte{0}}) {
          if (removed == 1 && count != 0 && byte == std::byte{0}) continue;
          const HeapCopy removals(Bytes(4 * removed, byte));
          ASSERT_EQ(apply_delta(old, removals.span(), {}).status(), Status::kCorrupt)
              << count << " " << removed;
        }
      }
    }
  }
}

TEST(ListDelta, RefusesAndFails) {
  std::mt19937_64 random(2);
  const PrefixSet four = set_of(joined(random_prefixes(random, 4, 50)), 4);
  const PrefixSet eight = set_of(joined(random_prefixes(random, 8, 50)), 8);
  EXPECT_EQ(url::diff(four, eight).status(), Status::kIncompatible);
  const PrefixSet other = set_of(joined(random_prefixes(random, 4, 50)), 4);
  fail_each_allocation([&] { return url::diff(four, other).status(); });
  fail_each_allocation([&] { return apply_delta(four, {}, {}).status(); });
}

}  // namespace
}  // namespace tamis::test
