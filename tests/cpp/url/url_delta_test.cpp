// Deltas between lists of URLs: histories, deltas of another list, and damaged ones.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>

#include <tamis/url/rice.hpp>
#include <tamis/url/url_delta.hpp>

#include "support/support.hpp"
#include "support/test_calloc.hpp"
#include "url/url_list_samples.hpp"

namespace tamis::test {
namespace {

using url::UrlDelta;
using url::UrlList;

constexpr std::size_t kBaseAt = 16, kResultAt = 64, kPrefixBytesAt = 68, kRemovalsParameterAt = 69,
                      kAdditionsParameterAt = 70, kShapesAt = 71, kListsAt = 72;

UrlDelta delta_of(const UrlList& older, const UrlList& newer) {
  auto delta = url::diff(older, newer);
  EXPECT_TRUE(delta.ok());
  return std::move(*delta);
}

Status status_of_apply(const UrlList& list, const Bytes& delta) {
  const auto decoded = decode_copy<UrlDelta>(delta);
  return decoded.ok() ? url::apply(list, *decoded).status() : decoded.status();
}

// Some entries go and some come, and now and then all or none.
PrefixModel changed(const PrefixModel& model, std::size_t width, std::mt19937_64& random) {
  PrefixModel next = model;
  if (random() % 8 == 0) return next;
  const std::uint64_t one_in = random() % 50 == 0 ? 1 : 5 + random() % 40;
  std::erase_if(next, [&](const Bytes&) { return random() % one_in == 0; });
  const PrefixModel added = random_prefixes(random, width, random() % 40, random() % 3);
  next.insert(added.begin(), added.end());
  return next;
}

class UrlDeltas : public testing::TestWithParam<std::size_t> {};

TEST_P(UrlDeltas, History) {
  const std::size_t width = GetParam();
  std::mt19937_64 random(width);
  PrefixModel model, skipped_model;
  UrlList list = list_of({}, width), skipped = list_of({}, width);
  for (int step = 0; step < 200; ++step) {
    const PrefixModel next = changed(model, width, random);
    const auto shapes = next.empty() ? 0 : static_cast<url::Shapes>(1 + random() % 63);
    const UrlList target = list_of(next, width, "labels5", shapes);
    const UrlDelta delta = delta_of(list, target);
    ASSERT_EQ(delta.shapes(), shapes);
    const Bytes bytes = wire_bytes(delta), before = wire_bytes(list);
    const auto decoded = decode_copy<UrlDelta>(bytes);
    ASSERT_TRUE(decoded.ok()) << step;
    ASSERT_EQ(wire_bytes(*decoded), bytes);
    ASSERT_EQ(wire_bytes(*decoded->clone()), bytes);
    Bytes used(bytes.size(), std::byte{0xff});  // into memory that is not zero
    ASSERT_EQ(encode_into(delta, used), Status::kOk);
    ASSERT_EQ(used, bytes);
    ASSERT_EQ(decoded->validate(), Status::kOk);
    ASSERT_EQ(decoded->removals() + next.size(), model.size() + decoded->additions());
    ASSERT_EQ(decoded->count(), decoded->removals() + decoded->additions());
    auto result = url::apply(list, *decoded);
    ASSERT_TRUE(result.ok()) << step;
    ASSERT_EQ(wire_bytes(*result), wire_bytes(target)) << "as the full build";
    ASSERT_EQ(result->checksum(), detail::sha256(joined(next)));
    ASSERT_EQ(wire_bytes(list), before) << "the old list is not touched";
    list = std::move(*result);
    model = next;
    // A client that missed some versions.
    if (random() % 5 == 0) {
      const auto jumped = url::apply(skipped, delta_of(skipped, list));
      ASSERT_TRUE(jumped.ok());
      ASSERT_EQ(wire_bytes(*jumped), wire_bytes(list));
      skipped = std::move(*list.clone());
    }
  }
}

TEST_P(UrlDeltas, AnotherListIsIncompatible) {
  const std::size_t width = GetParam();
  std::mt19937_64 random(1);
  const PrefixModel model = random_prefixes(random, width, 60);
  const PrefixModel next = random_prefixes(random, width, 50);
  const UrlList older = list_of(model, width), newer = list_of(next, width);
  const UrlDelta delta = delta_of(older, newer);
  EXPECT_TRUE(url::apply(older, delta).ok());
  EXPECT_EQ(url::apply(newer, delta).status(), Status::kIncompatible);
  EXPECT_EQ(url::apply(list_of({}, width), delta).status(), Status::kIncompatible);
  EXPECT_EQ(url::apply(list_of(model, width, "labels6"), delta).status(), Status::kIncompatible);
  PrefixModel other = model;
  other.erase(other.begin());
  EXPECT_EQ(url::apply(list_of(other, width), delta).status(), Status::kIncompatible);
  EXPECT_EQ(url::diff(older, list_of(next, width, "labels6")).status(), Status::kIncompatible);
  for (const std::size_t others : {4u, 8u, 16u, 32u}) {
    if (others == width) continue;
    const UrlList list = list_of(random_prefixes(random, others, 60), others);
    EXPECT_EQ(url::apply(list, delta).status(), Status::kIncompatible);
    EXPECT_EQ(url::diff(older, list).status(), Status::kIncompatible);
    EXPECT_EQ(url::diff(list, older).status(), Status::kIncompatible);
    // Only their width tells these apart.
    EXPECT_EQ(url::apply(list_of({}, others), delta_of(list_of({}, width), newer)).status(),
              Status::kIncompatible);
  }
}

// A delta that names the list, but was made for another: by the rules of updates, or by the result.
TEST_P(UrlDeltas, AForgedBaseIsCorrupt) {
  const std::size_t width = GetParam();
  std::mt19937_64 random(2);
  const PrefixModel model = random_prefixes(random, width, 60);
  const UrlList list = list_of(model, width);
  const auto status_for_list = [&](const PrefixModel& from, const PrefixModel& to) {
    Bytes bytes = wire_bytes(delta_of(list_of(from, width), list_of(to, width)));
    std::copy_n(list.identity().data(), 8, bytes.data() + kBaseAt);
    repair_crcs(bytes);
    return status_of_apply(list, bytes);
  };
  const PrefixModel longer = random_prefixes(random, width, 61);
  PrefixModel shorter = longer;
  shorter.erase(std::prev(shorter.end()));
  EXPECT_EQ(status_for_list(longer, shorter), Status::kCorrupt) << "an index outside";
  EXPECT_EQ(status_for_list({}, {*model.begin()}), Status::kCorrupt) << "an addition that is there";
  EXPECT_EQ(status_for_list({}, {*model.rbegin()}), Status::kCorrupt);
  EXPECT_EQ(status_for_list({}, longer), Status::kCorrupt) << "another result";
  EXPECT_EQ(status_for_list(model, longer), Status::kOk);
  EXPECT_EQ(status_for_list(shorter, shorter), Status::kCorrupt) << "no change of another list";
  for (const std::size_t others : {4u, 8u, 16u, 32u}) {
    if (others == width) continue;
    const UrlList one = list_of(random_prefixes(random, others, 3), others);
    Bytes bytes = wire_bytes(delta_of(list_of({}, others), one));
    std::copy_n(list.identity().data(), 8, bytes.data() + kBaseAt);
    repair_crcs(bytes);
    EXPECT_EQ(status_of_apply(list, bytes), Status::kIncompatible) << "prefixes of another length";
  }
}

// The shapes are of the result: a list cannot lose all of them and keep entries.
TEST_P(UrlDeltas, ShapesGoWithTheResult) {
  const std::size_t width = GetParam();
  std::mt19937_64 random(9);
  const PrefixModel model = random_prefixes(random, width, 20);
  PrefixModel less = model;
  less.erase(less.begin());
  const UrlList list = list_of(model, width, "labels5", 0b010001);
  const UrlList hosts = list_of(less, width, "labels5", 0b000001);
  const UrlList other = list_of(model, width, "labels5", 0b100000);
  const auto next = url::apply(list, delta_of(list, hosts));
  ASSERT_TRUE(next.ok());
  EXPECT_EQ(wire_bytes(*next), wire_bytes(hosts));
  const auto same = url::apply(list, delta_of(list, other));
  ASSERT_TRUE(same.ok()) << "no entry changes, but their shapes";
  EXPECT_EQ(wire_bytes(*same), wire_bytes(other));
  EXPECT_EQ(url::apply(other, delta_of(list, hosts)).status(), Status::kIncompatible);
  Bytes none = wire_bytes(delta_of(list, hosts));
  none[kShapesAt] = std::byte{0};
  repair_crcs(none);
  EXPECT_EQ(status_of_apply(list, none), Status::kCorrupt);
}

TEST_P(UrlDeltas, AnotherResultIsCorrupt) {
  const std::size_t width = GetParam();
  std::mt19937_64 random(3);
  const UrlList older = list_of(random_prefixes(random, width, 30), width);
  const UrlList newer = list_of(random_prefixes(random, width, 30), width);
  const Bytes bytes = wire_bytes(delta_of(older, newer));
  EXPECT_TRUE(
      std::equal(bytes.data() + kBaseAt, bytes.data() + kBaseAt + 8, older.identity().data()));
  EXPECT_TRUE(
      std::equal(bytes.data() + kResultAt, bytes.data() + kResultAt + 4, newer.identity().data()));
  const auto status_with = [&](std::size_t bit) {
    Bytes damaged = bytes;
    damaged[bit / 8] ^= std::byte{1} << (bit % 8);
    repair_crcs(damaged);
    return status_of_apply(older, damaged);
  };
  for (std::size_t bit = 8 * kResultAt; bit < 8 * kPrefixBytesAt; ++bit) {
    EXPECT_EQ(status_with(bit), Status::kCorrupt) << bit;
  }
  for (std::size_t bit = 8 * kBaseAt; bit < 8 * (kBaseAt + 8); ++bit) {
    EXPECT_EQ(status_with(bit), Status::kIncompatible) << bit;
  }
  for (std::size_t bit = 8 * kCapacityAt; bit < 8 * bytes.size(); ++bit) {
    const Status status = status_with(bit);
    EXPECT_TRUE(bit / 8 >= 56 && bit / 8 < kHeaderBytes
                    ? status == Status::kOk  // checksums, which are repaired
                    : status == Status::kCorrupt || status == Status::kTooLarge ||
                          status == Status::kTruncated)
        << bit << " " << code(status);
  }
}

// Damage that is accepted gives another delta in its one encoding, which no longer fits the list.
TEST_P(UrlDeltas, EveryRepairedByteOfThePayload) {
  const std::size_t width = GetParam();
  std::mt19937_64 random(4);
  for (const std::size_t count : {0u, 1u, 2u, 9u}) {
    const PrefixModel model = random_prefixes(random, width, count);
    for (const std::size_t next : {0u, 1u, 7u}) {
      const UrlList older = list_of(model, width);
      const UrlList newer = list_of(random_prefixes(random, width, next), width);
      const Bytes bytes = wire_bytes(delta_of(older, newer));
      for (std::size_t at = kHeaderBytes; at < bytes.size(); ++at) {
        for (int change = 1; change < 256; change = next < 7 ? change + 1 : 2 * change) {
          Bytes damaged = bytes;
          damaged[at] ^= static_cast<std::byte>(change);
          repair_crcs(damaged);
          const auto decoded = decode_copy<UrlDelta>(damaged);
          if (!decoded.ok()) {
            ASSERT_EQ(decoded.status(), Status::kCorrupt) << at;
            continue;
          }
          ASSERT_EQ(decoded->validate(), Status::kOk);
          ASSERT_EQ(wire_bytes(*decoded), damaged);
          const Status status = url::apply(older, *decoded).status();
          ASSERT_EQ(status,
                    decoded->prefix_bytes() == width ? Status::kCorrupt : Status::kIncompatible);
        }
      }
    }
  }
}

TEST_P(UrlDeltas, TruncationsAndExtensions) {
  const std::size_t width = GetParam();
  std::mt19937_64 random(5);
  const UrlList empty = list_of({}, width);
  const UrlList one = list_of(random_prefixes(random, width, 30), width);
  const UrlList two = list_of(random_prefixes(random, width, 40), width);
  for (const auto& delta :
       {delta_of(empty, empty), delta_of(empty, one), delta_of(one, empty), delta_of(one, two)}) {
    expect_other_sizes_refused<UrlDelta>(wire_bytes(delta));
  }
}

TEST_P(UrlDeltas, FieldsThatCannotBe) {
  const std::size_t width = GetParam();
  std::mt19937_64 random(6);
  const UrlList one = list_of(random_prefixes(random, width, 30), width);
  const UrlList two = list_of(random_prefixes(random, width, 40), width);
  const Bytes bytes = wire_bytes(delta_of(one, two));
  const DeepCheck<UrlDelta> check(bytes);
  for (unsigned value = 0; value < 256; ++value) {
    for (const std::size_t at : {kPrefixBytesAt, kRemovalsParameterAt, kAdditionsParameterAt}) {
      if (bytes[at] == std::byte(value)) continue;
      EXPECT_EQ(check.with(at, value, 1), Status::kCorrupt) << at << " " << value;
    }
    EXPECT_EQ(check.with(kShapesAt, value, 1),
              value != 0 && value < 64 ? Status::kOk : Status::kCorrupt)
        << "shapes " << value;
  }
  for (const std::size_t at : {kCapacityAt, kCountAt}) {
    for (const std::uint64_t value :
         {std::uint64_t{0}, std::uint64_t{1} << 32, (std::uint64_t{1} << 53) - 1}) {
      tamis_fail_allocation(0);
      EXPECT_EQ(check.with(at, value, 8), Status::kCorrupt);
      EXPECT_LE(tamis_allocations(), 1u) << "for the removals, which stand before";
    }
    EXPECT_EQ(check.with(at, std::uint64_t{1} << 53, 8), Status::kTooLarge);
  }
  const SipKey key{};
  EXPECT_EQ(decode_copy<UrlDelta>(bytes, {.key = &key}).status(), Status::kWrongKey);
  EXPECT_EQ(decode_copy<UrlList>(bytes).status(), Status::kWrongType);
  EXPECT_EQ(decode_copy<UrlDelta>(wire_bytes(one)).status(), Status::kWrongType);
}

// The bytes follow from FORMAT.md, without UrlDelta.
TEST_P(UrlDeltas, AreWrittenAsTheFormatSays) {
  const std::size_t width = GetParam();
  const auto bits = static_cast<std::uint32_t>(8 * width);
  const auto prefix = [&](int first) { return Bytes(width, static_cast<std::byte>(first)); };
  const UrlList older = list_of({prefix(1), prefix(3), prefix(5), prefix(7)}, width);
  const UrlList newer = list_of({prefix(3), prefix(6), prefix(9)}, width, "labels5", 0b101001);
  const Bytes removals = from_hex("000000000000000200000003");
  Bytes additions = prefix(6);
  put(additions, prefix(9));
  const auto removed = url::rice_encode(removals, 4), added = url::rice_encode(additions, bits / 8);
  Bytes payload;
  const auto old_id = older.identity(), new_id = newer.identity();
  put(payload, std::span(new_id).first(4));
  put32(payload, bits / 8 | removed->parameter << 8 | added->parameter << 16 | 0b101001u << 24);
  put(payload, std::span(removals).first(4));
  put(payload, removed->data.span());
  put(payload, prefix(6));
  put(payload, added->data.span());
  const Header header{FilterType::kUrlDelta,
                      HashId::kSha256Prefix,
                      detail::load_le64(older.identity().data()),
                      0,
                      3,
                      2,
                      0};
  const UrlDelta delta = delta_of(older, newer);
  EXPECT_EQ(hex(wire_bytes(delta)), hex(container_with(header, payload)));
  EXPECT_EQ(delta.removals(), 3u);
  EXPECT_EQ(delta.additions(), 2u);
  EXPECT_EQ(delta.count(), 5u);
  // A delta without a change has only the record, with the least parameters.
  Bytes nothing(old_id.begin(), old_id.begin() + 4);
  put32(nothing, bits / 8 | 3 << 8 | (bits - 29) << 16 | 63u << 24);
  EXPECT_EQ(hex(wire_bytes(delta_of(older, older))),
            hex(container_with(
                {FilterType::kUrlDelta, HashId::kSha256Prefix, header.seed, 0, 0, 0, 0}, nothing)));
  EXPECT_EQ(wire_bytes(delta_of(older, older)).size(), kListsAt);
}

TEST_P(UrlDeltas, OutOfMemory) {
  const std::size_t width = GetParam();
  std::mt19937_64 random(7);
  const UrlList older = list_of(random_prefixes(random, width, 300), width);
  const UrlList newer = list_of(random_prefixes(random, width, 300), width);
  const UrlDelta delta = delta_of(older, newer);
  const Bytes bytes = wire_bytes(delta), before = wire_bytes(older);
  fail_each_allocation([&] { return url::diff(older, newer).status(); });
  fail_each_allocation([&] { return url::apply(older, delta).status(); });
  fail_each_allocation([&] { return delta.clone().status(); });
  fail_each_allocation([&] { return decode<UrlDelta>(bytes).status(); });
  fail_each_allocation([&] { return encode(delta).status(); });
  EXPECT_EQ(wire_bytes(older), before);
  EXPECT_EQ(wire_bytes(*delta.clone()), bytes);
}

INSTANTIATE_TEST_SUITE_P(Widths, UrlDeltas, testing::Values(4, 8, 16, 32));

// An update has 72 bytes beside its Rice lists, for any number of entries.
TEST(UrlDelta, BytesOfADay) {
  std::mt19937_64 random(8);
  const PrefixModel model = random_prefixes(random, 4, 50'000);
  PrefixModel next = model;
  const PrefixModel added = random_prefixes(random, 4, 54);
  next.insert(added.begin(), added.end());
  next.erase(next.begin());
  const UrlDelta delta = delta_of(list_of(model, 4), list_of(next, 4));
  const std::size_t data = url::rice_encode(joined(added), 4)->data.size();
  EXPECT_EQ(wire_bytes(delta).size(), kHeaderBytes + 8 + 4 + 4 + data);
}

}  // namespace
}  // namespace tamis::test
