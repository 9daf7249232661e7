// The container of a list of URLs: one encoding, and every other one refused.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <tamis/filters/bloom.hpp>
#include <tamis/url/rice.hpp>
#include <tamis/url/url_list.hpp>

#include "support/support.hpp"
#include "support/test_calloc.hpp"
#include "url/url_list_samples.hpp"

namespace tamis::test {
namespace {

using url::UrlList;

// The record in the payload, and the beginning of the list.
constexpr std::size_t kPrefixBytesAt = 64, kParameterAt = 68, kRuleBytesAt = 72, kShapesAt = 76,
                      kRuleAt = 80, kListAt = 144;

void expect_equal(const UrlList& list, const PrefixModel& model, std::size_t width,
                  std::string_view rule) {
  ASSERT_EQ(list.count(), model.size());
  ASSERT_EQ(list.prefix_bytes(), width);
  ASSERT_EQ(list.rule(), rule);
  ASSERT_EQ(list.validate(), Status::kOk);
  ASSERT_EQ(list.checksum(), detail::sha256(joined(model)));
  for (Bytes hash : model) {
    hash.resize(url::kHashBytes, std::byte{0xa5});
    ASSERT_TRUE(list.contains(hash.data()));
  }
}

class UrlLists : public testing::TestWithParam<std::size_t> {};

TEST_P(UrlLists, ComeBackAsTheyWere) {
  const std::size_t width = GetParam();
  std::mt19937_64 random(width);
  const std::string longest(64, '~');
  for (const std::size_t count : {0u, 1u, 2u, 3u, 37u, 1000u}) {
    for (const std::size_t same : {std::size_t{0}, std::size_t{2}}) {
      for (const std::string& rule : {std::string("labels5"), std::string(" "), longest}) {
        SCOPED_TRACE(testing::Message() << count << " " << same << " " << rule);
        const PrefixModel model = random_prefixes(random, width, count, same);
        const auto shapes = static_cast<url::Shapes>(1 + random() % url::kAllShapes);
        const UrlList list = list_of(model, width, rule, shapes);
        ASSERT_EQ(list.shapes(), shapes);
        ASSERT_NO_FATAL_FAILURE(expect_equal(list, model, width, rule));
        const Bytes bytes = wire_bytes(list);
        const auto decoded = decode_copy<UrlList>(bytes);
        ASSERT_TRUE(decoded.ok());
        ASSERT_NO_FATAL_FAILURE(expect_equal(*decoded, model, width, rule));
        ASSERT_EQ(wire_bytes(*decoded), bytes);
        ASSERT_EQ(decoded->shapes(), shapes);
        ASSERT_EQ(decoded->identity(), list.identity());
        const auto copy = decoded->clone();
        ASSERT_TRUE(copy.ok());
        ASSERT_EQ(copy->shapes(), shapes);
        ASSERT_EQ(wire_bytes(*copy), bytes);
        // Into memory that is not zero.
        Bytes used(bytes.size(), std::byte{0xff});
        ASSERT_EQ(encode_into(list, used), Status::kOk);
        ASSERT_EQ(used, bytes);
        ASSERT_EQ(encode_into(list, std::span(used).first(used.size() - 1)),
                  Status::kInvalidOption);
      }
    }
  }
}

// The bytes follow from FORMAT.md, without UrlList.
TEST_P(UrlLists, AreWrittenAsTheFormatSays) {
  const std::size_t width = GetParam();
  std::mt19937_64 random(width);
  for (const std::size_t count : {0u, 1u, 2u, 300u}) {
    const Bytes values = joined(random_prefixes(random, width, count));
    PrefixModel model;
    for (std::size_t at = 0; at < values.size(); at += width) {
      model.emplace(values.begin() + static_cast<std::ptrdiff_t>(at),
                    values.begin() + static_cast<std::ptrdiff_t>(at + width));
    }
    const auto bits = static_cast<std::uint32_t>(8 * width);
    auto encoded = count == 0 ? url::RiceEncoded{bits - 29, 0, {}}
                              : std::move(*url::rice_encode(values, bits / 8));
    Bytes payload;
    put32(payload, bits / 8);
    put32(payload, encoded.parameter);
    put32(payload, 7);
    put32(payload, 0b010001);  // hosts and pages
    put(payload, bytes_of("labels5"));
    payload.resize(80);
    put(payload, std::span(values).first(std::min(values.size(), width)));
    put(payload, encoded.data.span());
    const Header header{FilterType::kUrlList, HashId::kSha256Prefix, 0, 0, count, count, 0};
    EXPECT_EQ(hex(wire_bytes(list_of(model, width, "labels5", 0b010001))),
              hex(container_with(header, payload)));
  }
}

TEST_P(UrlLists, TruncationsAndExtensions) {
  const std::size_t width = GetParam();
  std::mt19937_64 random(1);
  for (const std::size_t count : {0u, 1u, 2u, 40u}) {
    expect_other_sizes_refused<UrlList>(
        wire_bytes(list_of(random_prefixes(random, width, count), width)));
  }
}

// Damage that is accepted gives another list in its one encoding.
TEST_P(UrlLists, EveryRepairedByteOfThePayload) {
  const std::size_t width = GetParam();
  std::mt19937_64 random(2);
  for (const std::size_t count : {0u, 1u, 2u, 20u}) {
    const UrlList list = list_of(random_prefixes(random, width, count), width);
    const Bytes bytes = wire_bytes(list);
    std::size_t accepted = 0;
    for (std::size_t at = kHeaderBytes; at < bytes.size(); ++at) {
      // The longest file gets single bits alone. The rest finds no more, and takes a minute.
      for (int change = 1; change < 256; change = count < 20 ? change + 1 : 2 * change) {
        Bytes damaged = bytes;
        damaged[at] ^= static_cast<std::byte>(change);
        if (change == 1) ASSERT_EQ(decode_copy<UrlList>(damaged).status(), Status::kCorrupt);
        repair_crcs(damaged);
        const auto decoded = decode_copy<UrlList>(damaged);
        if (!decoded.ok()) {
          ASSERT_EQ(decoded.status(), Status::kCorrupt) << at;
          continue;
        }
        ++accepted;
        ASSERT_EQ(decoded->validate(), Status::kOk);
        ASSERT_EQ(wire_bytes(*decoded), damaged);
        ASSERT_NE(decoded->identity(), list.identity());
      }
    }
    EXPECT_GT(accepted, 40u) << "the rule and the prefixes may be others";
  }
}

TEST_P(UrlLists, OutOfMemory) {
  const std::size_t width = GetParam();
  std::mt19937_64 random(3);
  const UrlList list = list_of(random_prefixes(random, width, 500), width);
  const Bytes bytes = wire_bytes(list);
  fail_each_allocation([&] { return decode<UrlList>(bytes).status(); });
  fail_each_allocation([&] { return list.clone().status(); });
  fail_each_allocation([&] { return encode(list).status(); });
}

// The list of `values` with that parameter.
Bytes rice_list(const Bytes& values, std::size_t width, std::uint32_t parameter) {
  Bytes data(100 * values.size());
  const auto bytes = static_cast<std::uint32_t>(width);
  url::RiceWriter writer(data, parameter, bytes);
  for (std::size_t at = 0; at < values.size(); at += width) writer.add(values.data() + at);
  while (!data.empty() && data.back() == std::byte{0}) data.pop_back();
  Bytes list(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(width));
  put(list, data);
  return list;
}

TEST_P(UrlLists, AnotherParameterIsCorrupt) {
  const std::size_t width = GetParam();
  const auto bits = static_cast<std::uint32_t>(8 * width);
  std::mt19937_64 random(4);
  const Bytes values = joined(random_prefixes(random, width, 100));
  const std::uint32_t best = url::rice_encode(values, bits / 8)->parameter;
  for (std::uint32_t parameter = std::max(best - 6, bits - 29); parameter <= bits - 2;
       ++parameter) {
    Bytes payload;
    for (const std::uint32_t field : {bits / 8, parameter, 1u, 1u}) put32(payload, field);
    put(payload, bytes_of("r"));
    payload.resize(80);
    const Bytes list = rice_list(values, width, parameter);
    put(payload, list);
    Status status = Status::kCorrupt;
    // The stream's last bytes may be zeros.
    for (std::size_t zeros = 0; zeros <= width; ++zeros) {
      const Header header{FilterType::kUrlList, HashId::kSha256Prefix, 0, 0, 100, 100, 0};
      const Status one = decode_copy<UrlList>(container_with(header, payload)).status();
      if (one == Status::kOk) status = one;
      payload.push_back(std::byte{0});
    }
    EXPECT_EQ(status, parameter == best ? Status::kOk : Status::kCorrupt) << parameter;
  }
}

TEST_P(UrlLists, FieldsThatCannotBe) {
  const std::size_t width = GetParam();
  std::mt19937_64 random(5);
  for (const std::size_t count : {0u, 1u, 2u, 9u}) {
    const Bytes bytes = wire_bytes(list_of(random_prefixes(random, width, count), width));
    const DeepCheck<UrlList> check(bytes);
    const auto status_with = [&](std::size_t at, std::uint64_t value, std::size_t size) {
      tamis_fail_allocation(0);
      const Status status = check.with(at, value, size);
      EXPECT_EQ(tamis_allocations(), 0u) << at << " " << value;
      return status;
    };
    for (const std::uint32_t other : {0u, 1u, 3u, 5u, 12u, 31u, 33u, 64u, ~0u}) {
      EXPECT_EQ(status_with(kPrefixBytesAt, other, 4), Status::kCorrupt) << other;
    }
    for (const std::uint32_t size : {0u, 6u, 8u, 65u, ~0u}) {
      EXPECT_EQ(status_with(kRuleBytesAt, size, 4), Status::kCorrupt) << size;
    }
    for (const unsigned no : {0u, 9u, 10u, 31u, 127u, 128u, 255u}) {
      EXPECT_EQ(status_with(kRuleAt + 3, no, 1), Status::kCorrupt) << "in the rule";
    }
    for (std::uint32_t shapes = 0; shapes < 256; ++shapes) {
      const bool is_one = shapes < 64 && (shapes != 0 || count == 0);
      EXPECT_EQ(check.with32(kShapesAt, shapes), is_one ? Status::kOk : Status::kCorrupt) << shapes;
    }
    for (std::uint32_t bit = 6; bit < 32; ++bit) {
      EXPECT_EQ(check.with32(kShapesAt, 1u << bit), Status::kCorrupt) << bit;
      EXPECT_EQ(check.with32(kShapesAt, 1u << bit | 1), Status::kCorrupt) << bit;
    }
    for (const std::size_t at : {kRuleAt + 7, kRuleAt + 63}) {
      EXPECT_EQ(status_with(at, 1, 1), Status::kCorrupt) << "a zero at " << at;
    }
    for (const std::size_t at : {kCapacityAt, kCountAt}) {
      EXPECT_EQ(status_with(at, count + 1, 8), Status::kCorrupt) << "not the other";
      EXPECT_EQ(status_with(at, std::uint64_t{1} << 53, 8), Status::kTooLarge);
    }
    // Counts that the bytes cannot hold, before any memory is taken for them.
    for (const std::uint64_t more :
         {std::uint64_t{1'000}, std::uint64_t{1} << 32, (std::uint64_t{1} << 53) - 1}) {
      Bytes changed = bytes;
      set64(changed, kCapacityAt, more);
      set64(changed, kCountAt, more);
      repair_crcs(changed);
      tamis_fail_allocation(0);
      EXPECT_EQ(decode_copy<UrlList>(changed).status(), Status::kCorrupt);
      EXPECT_EQ(tamis_allocations(), 0u);
    }
    const SipKey key{};
    EXPECT_EQ(decode_copy<UrlList>(bytes, {.key = &key}).status(), Status::kWrongKey);
    EXPECT_EQ(decode_copy<UrlList>(bytes, {.max_bytes = bytes.size() - 1}).status(),
              Status::kTooLarge);
    EXPECT_EQ(decode_copy<BloomFilter>(bytes).status(), Status::kWrongType);
  }
}

// Fewer than two prefixes leave the parameter without a meaning, but not without a value.
TEST_P(UrlLists, TheParameterOfNothing) {
  const std::size_t width = GetParam();
  std::mt19937_64 random(6);
  for (const std::size_t count : {0u, 1u}) {
    Bytes bytes = wire_bytes(list_of(random_prefixes(random, width, count), width));
    ASSERT_EQ(bytes.size(), kListAt + count * width);
    for (std::uint32_t parameter = 0; parameter < 300; ++parameter) {
      set32(bytes, kParameterAt, parameter);
      repair_crcs(bytes);
      EXPECT_EQ(decode_copy<UrlList>(bytes).status(),
                parameter == 8 * width - 29 ? Status::kOk : Status::kCorrupt)
          << parameter;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Widths, UrlLists, testing::Values(4, 8, 16, 32));

TEST(UrlList, RulesThatAreRefused) {
  for (const std::string& rule :
       {std::string(), std::string(65, 'a'), std::string("a\0b", 3), std::string("\n"),
        std::string("\x7f"), std::string("r\xc3\xa8gle"), std::string("a\x1f")}) {
    auto set = url::PrefixSet::build({}, 4);
    EXPECT_EQ(UrlList::of(std::move(*set), rule).status(), Status::kInvalidOption) << rule;
  }
}

TEST(UrlList, ShapesThatAreRefused) {
  for (const std::size_t count : {0u, 1u}) {
    for (const url::Shapes shapes : {0u, 1u, 63u, 64u, 65u, ~0u}) {
      auto set = url::PrefixSet::build(Bytes(4 * count), 4);
      const bool is_one = shapes < 64 && (shapes != 0 || count == 0);
      EXPECT_EQ(UrlList::of(std::move(*set), "labels5", shapes).status(),
                is_one ? Status::kOk : Status::kInvalidOption)
          << count << " " << shapes;
    }
  }
  auto set = url::PrefixSet::build({}, 4);
  EXPECT_EQ(UrlList::of(std::move(*set), "labels5")->shapes(), url::kAllShapes);
}

TEST(UrlList, OneRuleHasParents) {
  const std::string longest(url::ListRule::kMaxBytes, 'r');
  for (const std::string rule :
       {"parents", "labels5", "parent", "parents ", "Parents", longest.c_str()}) {
    EXPECT_EQ(list_of({}, 4, rule).has_parents(), rule == "parents") << rule;
  }
}

TEST(UrlList, IdentityIsRuleAndWidthAndShapesAndEntries) {
  std::set<std::string> seen;
  for (const std::size_t width : {4u, 8u, 16u, 32u}) {
    for (const char* rule : {"labels5", "labels", "psl-icann+private@2026-11"}) {
      // The checksum of each empty list is the same.
      const PrefixModel one = {Bytes(width, std::byte{1})};
      for (const PrefixModel& model : {PrefixModel(), one}) {
        for (const url::Shapes shapes : {1u, 3u, url::kAllShapes}) {
          EXPECT_TRUE(seen.insert(hex(list_of(model, width, rule, shapes).identity())).second);
        }
      }
    }
  }
  // Computed by hand: the rule, a zero, the width, the shapes, and the SHA-256 of nothing.
  Bytes text(bytes_of("labels5").begin(), bytes_of("labels5").end());
  put(text, from_hex("00043fe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
  EXPECT_EQ(list_of({}, 4).identity(), detail::sha256(text));
}

// The example of FORMAT.md, 5.18.
TEST(UrlList, ExampleOfTheFormat) {
  const PrefixModel model = {from_hex("00000005"), from_hex("100003f3"), from_hex("100003f4")};
  const Bytes bytes = wire_bytes(list_of(model, 4));
  EXPECT_EQ(detail::load_le32(bytes.data() + kParameterAt), 26u);
  EXPECT_EQ(hex(std::span(bytes).subspan(kListAt)), "00000005cf7d000001000000");
}

// The bounds of 190,215 hosts: on the wire, and in memory.
TEST(UrlList, BytesOfALargeList) {
  std::mt19937_64 random(7);
  const PrefixModel model = random_prefixes(random, 4, 190'215);
  const UrlList list = list_of(model, 4);
  const Bytes bytes = wire_bytes(list);
  EXPECT_LE(bytes.size(), 380'000u);
  EXPECT_LE(list.size_bytes(), 460'000u);
  const auto decoded = decode_copy<UrlList>(bytes);
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->checksum(), detail::sha256(joined(model)));
}

}  // namespace
}  // namespace tamis::test
