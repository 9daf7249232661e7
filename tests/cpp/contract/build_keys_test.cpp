// A filter of keys that are in hand (build.hpp), and keys that are strings: the same bytes and the
// same answers as by hashes and by bytes.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tamis/build.hpp>
#include "support/samples.hpp"

namespace tamis::test {
namespace {

using namespace std::string_literals;

template <class T>
struct IsStaticFilter : std::bool_constant<StaticFilter<T>> {};
using StaticFilters = Select<IsStaticFilter, AllStructures>::List;

// Strings that a cast or a C string gets wrong among them.
std::vector<std::string> make_texts(std::size_t keys) {
  std::vector<std::string> texts = {
      ""s, "\0"s, "a"s, "a\0b"s, "a\0c"s, "\xff"s, "\xc3\xa9t\xc3\xa9"s, std::string(300, 'x')};
  while (texts.size() < keys)
    texts.push_back("https://example.com/" + std::to_string(texts.size()));
  texts.resize(keys);
  return texts;
}

// The same texts without the empty key, which one scheme refuses.
std::vector<std::string> make_texts_for(const Hasher& hasher, std::size_t keys) {
  auto texts = make_texts(keys);
  if (hasher.id() == HashId::kDataSketches && keys > 0) texts.front() = "not empty";
  return texts;
}

Hashes hashes_of(const std::vector<std::string>& texts, const Hasher& hasher) {
  Hashes hashes;
  for (const auto& text : texts) {
    hashes.push_back(static_cast<std::uint64_t>(hasher(bytes_of(text))));
  }
  return hashes;
}

template <class F>
Bytes bytes_of_made(const Result<F>& made) {
  EXPECT_TRUE(made.ok()) << code(made.status());
  return made.ok() ? wire_bytes(*made) : Bytes();
}

// Any range of the same keys gives the same bytes.
template <class F>
void expect_same_of_all_ranges(const std::vector<std::string>& texts,
                               const typename F::Config& config, const Bytes& expected) {
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  std::vector<Bytes> keys;
  for (const auto& text : texts) keys.emplace_back(bytes_of(text).begin(), bytes_of(text).end());
  EXPECT_EQ(bytes_of_made(tamis::build<F>(texts, config)), expected);
  EXPECT_EQ(bytes_of_made(tamis::build<F>(views, config)), expected);
  EXPECT_EQ(bytes_of_made(tamis::build<F>(std::span(views), config)), expected);
  EXPECT_EQ(bytes_of_made(tamis::build<F>(std::vector(texts), config)), expected);
  EXPECT_EQ(bytes_of_made(tamis::build<F>(std::list(texts.begin(), texts.end()), config)),
            expected);
  EXPECT_EQ(bytes_of_made(tamis::build<F>(keys, config)), expected);
  EXPECT_EQ(bytes_of_made(tamis::build<F>(std::vector<Key>(keys.begin(), keys.end()), config)),
            expected);
}

template <class F>
class BuildOfKeysOnce : public ::testing::Test {};
TYPED_TEST_SUITE(BuildOfKeysOnce, StaticFilters);

TYPED_TEST(BuildOfKeysOnce, GivesTheBytesOfTheHashes) {
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    for (const std::size_t keys : {0u, 1u, 8u, 1'000u}) {
      const auto texts = make_texts(keys);
      auto config = config_for<TypeParam>(0, hasher);
      Hashes hashes = hashes_of(texts, hasher);
      const Bytes expected = bytes_of_made(TypeParam::build(config, hashes));
      expect_same_of_all_ranges<TypeParam>(texts, config, expected);
      config.fpr = 0.5;
      EXPECT_NE(bytes_of_made(tamis::build<TypeParam>(texts, config)), expected);
    }
  }
}

TYPED_TEST(BuildOfKeysOnce, TakesKeysInBraces) {
  const auto filter = tamis::build<TypeParam>({"ann", "bob"}, {.fpr = 1e-6});
  ASSERT_TRUE(filter.ok());
  EXPECT_EQ(filter->count(), 2u);
  EXPECT_TRUE(filter->may_contain("ann") && filter->may_contain("bob"));
  EXPECT_FALSE(filter->may_contain("eve"));
  EXPECT_EQ(wire_bytes(*filter),
            bytes_of_made(tamis::build<TypeParam>(std::array{"bob", "ann", "ann"}, {.fpr = 1e-6})));
}

TYPED_TEST(BuildOfKeysOnce, RefusesWhatBuildRefuses) {
  for (const Hasher& hasher : {Hasher(HashId::kNone), Hasher(HashId::kGuava),
                               Hasher(HashId::kSipHash), Hasher(HashId::kSha256Prefix)}) {
    EXPECT_EQ(tamis::build<TypeParam>({"ann"}, {.hasher = hasher}).status(),
              Status::kInvalidOption);
  }
  EXPECT_EQ(tamis::build<TypeParam>({"ann"}, {.fpr = 0}).status(), Status::kInvalidOption);
}

template <class F>
class BuildOfKeys : public ::testing::Test {};
TYPED_TEST_SUITE(BuildOfKeys, MutableFilters);

TYPED_TEST(BuildOfKeys, GivesTheBytesOfInsertedKeys) {
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    for (const std::size_t keys : {0u, 1u, 8u, 500u}) {
      const auto texts = make_texts_for(hasher, keys);
      for (const std::uint64_t capacity : {0u, 700u}) {
        auto expected = make_empty<TypeParam>(
            capacity == 0 ? std::max<std::size_t>(keys, 1) : static_cast<std::size_t>(capacity),
            hasher);
        for (const auto& text : texts) ASSERT_TRUE(is_ok(expected.insert(bytes_of(text))));
        expect_same_of_all_ranges<TypeParam>(texts, config_for<TypeParam>(capacity, hasher),
                                             wire_bytes(expected));
      }
    }
  }
}

TYPED_TEST(BuildOfKeys, TakesMoreKeysAfterwards) {
  auto filter = tamis::build<TypeParam>({"ann", "bob"}, {.capacity = 10, .fpr = 1e-4});
  ASSERT_TRUE(filter.ok());
  EXPECT_FALSE(filter->may_contain("eve"));
  ASSERT_TRUE(is_ok(filter->insert("eve")));
  EXPECT_TRUE(filter->may_contain("ann") && filter->may_contain("eve"));
  EXPECT_EQ(filter->count(), 3u);
}

TYPED_TEST(BuildOfKeys, SaysWhyAKeyIsRefused) {
  EXPECT_EQ(tamis::build<TypeParam>({"ann"}, {.fpr = 0}).status(), Status::kInvalidOption);
  if constexpr (has_trait<TypeParam>(kBounded)) {
    EXPECT_EQ(tamis::build<TypeParam>(make_texts(1'000), {.capacity = 1}).status(), Status::kFull);
  }
}

TYPED_TEST(BuildOfKeys, AStringIsItsBytes) {
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    const auto texts = make_texts_for(hasher, 60);
    auto by_text = make_empty<TypeParam>(60, hasher);
    auto by_bytes = make_empty<TypeParam>(60, hasher);
    for (const std::string& text : texts) {
      const Result<bool> added = by_text.insert(text), expected = by_bytes.insert(bytes_of(text));
      ASSERT_TRUE(added.ok() && expected.ok());
      EXPECT_EQ(*added, *expected);
      EXPECT_TRUE(by_text.may_contain(text));
      if constexpr (Counted<TypeParam>) {
        EXPECT_EQ(by_text.count_of(text), by_bytes.count_of(bytes_of(text)));
        EXPECT_GE(by_text.count_of(text), 1u);
      }
      if constexpr (requires { by_text.is_deletable(text); }) {
        EXPECT_EQ(by_text.is_deletable(text), by_bytes.is_deletable(bytes_of(text)));
      }
    }
    EXPECT_EQ(wire_bytes(by_text), wire_bytes(by_bytes)) << name_of(hasher);
    if constexpr (DeletableFilter<TypeParam>) {
      for (const std::string& text : texts) {
        const Result<bool> erased = by_text.erase(text), expected = by_bytes.erase(bytes_of(text));
        EXPECT_EQ(erased.status(), expected.status());
      }
      EXPECT_EQ(wire_bytes(by_text), wire_bytes(by_bytes)) << name_of(hasher);
    }
  }
}

TEST(BuildOfKeysBloom, KeepsAGeometryThatIsGiven) {
  auto expected = BloomFilter::create({.bits = 1'000, .hashes = 3});
  ASSERT_TRUE(expected.ok() && is_ok(expected->insert("ann")));
  const auto filter = tamis::build<BloomFilter>({"ann"}, {.bits = 1'000, .hashes = 3});
  EXPECT_EQ(bytes_of_made(filter), wire_bytes(*expected));
}

TEST(BuildOfKeysCuckoo, AStringThatIsInIsNotPutInAgain) {
  auto filter = tamis::build<CuckooFilter>({"ann"}, {.capacity = 10});
  ASSERT_TRUE(filter.ok());
  const Result<bool> again = filter->insert_if_absent("ann"),
                     first = filter->insert_if_absent("bob");
  ASSERT_TRUE(again.ok() && first.ok());
  EXPECT_FALSE(*again);
  EXPECT_TRUE(*first);
  EXPECT_EQ(filter->count(), 2u);
}

TEST(BuildOfKeysExact, OfTwoListsOfStrings) {
  for (const Hasher& hasher : hashers_of<ExactFilter>()) {
    const auto texts = make_texts(900);
    const std::vector<std::string> include(texts.begin(), texts.begin() + 200);
    const std::vector<std::string_view> exclude(texts.begin() + 200, texts.end());
    const ExactFilter::Config config{.hasher = hasher};
    const auto filter = tamis::build<ExactFilter>(include, exclude, config);
    ASSERT_TRUE(filter.ok()) << code(filter.status());
    for (const auto& text : include) EXPECT_TRUE(filter->may_contain(text));
    for (const auto text : exclude) EXPECT_FALSE(filter->may_contain(text));

    Hashes in = hashes_of(include, hasher);
    Hashes out = hashes_of({texts.begin() + 200, texts.end()}, hasher);
    std::uint64_t conflicts = 0;
    EXPECT_EQ(wire_bytes(*filter), bytes_of_made(ExactFilter::build(config, in, out, conflicts)));
    EXPECT_EQ(tamis::build<ExactFilter>(include, texts, config).status(), Status::kConflict);
  }
  EXPECT_TRUE(tamis::build<ExactFilter>({"ann"}, {"bob", "eve"}).ok());
  EXPECT_EQ(tamis::build<ExactFilter>({"ann"}, {"bob"}, {.hasher = Hasher(HashId::kGo)}).status(),
            Status::kInvalidOption);
}

TEST(BuildOfKeysMap, OfStringsAndValues) {
  for (const Hasher& hasher : hashers_of<BloomierMap>()) {
    std::map<std::string, std::uint32_t> ranks;
    for (const auto& text : make_texts(700)) {
      ranks.emplace(text, static_cast<std::uint32_t>(ranks.size() % 1'000));
    }
    const BloomierMap::Config config{.value_bits = 10, .hasher = hasher};
    const auto map = tamis::build<BloomierMap>(ranks, config);
    ASSERT_TRUE(map.ok()) << code(map.status());
    for (const auto& [text, rank] : ranks) {
      EXPECT_EQ(map->get(text), rank);
      EXPECT_TRUE(map->may_contain(text));
    }

    Hashes hashes;
    std::vector<std::uint32_t> values;
    for (const auto& [text, rank] : ranks) {
      hashes.push_back(static_cast<std::uint64_t>(hasher(text)));
      values.push_back(rank);
    }
    std::uint64_t conflicts = 0;
    EXPECT_EQ(wire_bytes(*map),
              bytes_of_made(BloomierMap::build(config, hashes, values, conflicts)));
  }
}

TEST(BuildOfKeysMap, RefusesValuesThatDoNotFit) {
  using Entries = std::vector<std::pair<std::string, std::int64_t>>;
  const auto status = [](std::int64_t value, std::uint32_t bits) {
    return tamis::build<BloomierMap>(Entries{{"ann", value}}, {.value_bits = bits}).status();
  };
  EXPECT_EQ(status(7, 3), Status::kOk);
  EXPECT_EQ(status(8, 3), Status::kInvalidOption);
  EXPECT_EQ(status(0xffffffff, 32), Status::kOk);
  EXPECT_EQ(status(0x100000000, 32), Status::kInvalidOption);
  EXPECT_EQ(status(-1, 32), Status::kInvalidOption);
  EXPECT_EQ(tamis::build<BloomierMap>({{"ann", 1}, {"ann", 2}}, {.value_bits = 2}).status(),
            Status::kConflict);
  EXPECT_EQ(tamis::build<BloomierMap>({{"ann", 1}}, {}).status(), Status::kInvalidOption);
  EXPECT_EQ(
      tamis::build<BloomierMap>({{"ann", 1}}, {.value_bits = 1, .hasher = Hasher(HashId::kNone)})
          .status(),
      Status::kInvalidOption);
}

TEST(BuildOfKeysSketch, AStringIsItsBytes) {
  auto table = InvertibleBloomTable::create({.differences = 5, .key_bytes = 4});
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->insert("user"), Status::kOk);
  EXPECT_EQ(table->insert("users"), Status::kInvalidKey);
  EXPECT_EQ(table->erase("role"), Status::kOk);
  const auto difference = table->decode();
  ASSERT_TRUE(difference.ok() && difference->complete);
  EXPECT_EQ(hex(difference->added.span()), hex(bytes_of("user")));
  EXPECT_EQ(hex(difference->removed.span()), hex(bytes_of("role")));
}

TEST(BuildOfKeysMemory, FailsWhereMemoryIsRefused) {
  const auto texts = make_texts(100);
  const std::vector<std::string> others = {"one", "two"};
  const std::map<std::string, int> values = {{"one", 1}, {"two", 2}};
  fail_each_allocation([&] { return tamis::build<BinaryFuseFilter>(texts).status(); });
  fail_each_allocation([&] { return tamis::build<RibbonFilter>(texts).status(); });
  fail_each_allocation([&] { return tamis::build<BloomFilter>(texts).status(); });
  fail_each_allocation([&] { return tamis::build<ExactFilter>(texts, others).status(); });
  fail_each_allocation(
      [&] { return tamis::build<BloomierMap>(values, {.value_bits = 2}).status(); });
}

}  // namespace
}  // namespace tamis::test
