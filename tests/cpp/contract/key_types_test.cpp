// A key of any type is its bytes, one at a time and in ranges, and JavaScript finds it.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include <tamis/build.hpp>
#include "support/samples.hpp"

namespace tamis::test {
namespace {

struct Point {
  std::int32_t x;
  std::int32_t y;
};
Bytes tamis_key(const Point& point) {
  Bytes bytes(8);
  detail::store_le32(bytes.data(), static_cast<std::uint32_t>(point.x));
  detail::store_le32(bytes.data() + 4, static_cast<std::uint32_t>(point.y));
  return bytes;
}
struct Hashed {
  Hash hash;
};
Hash tamis_key(const Hashed& one) { return one.hash; }

enum class Colour : std::uint8_t { kRed };
enum Plain { kPlain };

template <class F, class K>
concept Inserts = requires(F& filter, const K& key) { filter.insert(key); };
template <class F, class K>
concept Asks = requires(const F& filter, const K& key) { filter.may_contain(key); };
template <class F, class K>
concept Erases = requires(F& filter, const K& key) { filter.erase(key); };

template <class F, class... K>
constexpr bool kTakes = ((Inserts<F, K> && Asks<F, K>) && ...);
template <class F, class... K>
constexpr bool kRefuses = ((!Inserts<F, K> && !Asks<F, K>) && ...);

static_assert(kTakes<BloomFilter, signed char, unsigned char, short, int, unsigned, long, long long,
                     unsigned long long, std::string, std::u8string_view, const char*,
                     std::vector<std::byte>, std::vector<std::uint8_t>, std::array<std::byte, 16>,
                     std::span<const std::uint8_t>, Key, Hash, Point, Hashed>);
static_assert(kRefuses<BloomFilter, bool, char, wchar_t, char8_t, char32_t, float, double, Colour,
                       Plain, std::vector<int>, std::wstring, int*, std::nullptr_t>);
static_assert(kRefuses<CuckooFilter, bool, char, double>);
static_assert(noexcept(std::declval<BloomFilter&>().insert(std::string_view())) &&
              noexcept(std::declval<const CuckooFilter&>().may_contain(std::string_view())));
// A filter has no call that its type lacks.
static_assert(Erases<CuckooFilter, int> && Erases<CuckooFilter, Hash> &&
              !Erases<BloomFilter, int> && !Erases<BloomFilter, Hash> &&
              !Inserts<BinaryFuseFilter, int>);

template <class F>
class KeyTypes : public ::testing::Test {};
TYPED_TEST_SUITE(KeyTypes, MutableFilters);

constexpr std::array<std::byte, 8> kSeven{std::byte{7}};

// Adds a key in one type, and looks it up as bytes, and the reverse.
template <class F, class K>
void expect_key(const Hasher& hasher, const K& key, std::span<const std::byte> bytes) {
  auto one = make_empty<F>(4, hasher), other = make_empty<F>(4, hasher);
  EXPECT_TRUE(*Result<bool>(one.insert(key)));
  EXPECT_TRUE(*Result<bool>(other.insert(bytes)));
  EXPECT_EQ(one, other);
  EXPECT_TRUE(one.may_contain(bytes) && other.may_contain(key));
  if constexpr (Counted<F>) EXPECT_EQ(one.count_of(key), 1u);
  if constexpr (DeletableFilter<F>) {
    EXPECT_TRUE(*Result<bool>(one.erase(key)) && *Result<bool>(other.erase(bytes)));
    EXPECT_EQ(one, other);
  }
}

TYPED_TEST(KeyTypes, AreTheirBytes) {
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    const auto expect = [&](const auto& key, std::span<const std::byte> bytes) {
      expect_key<TypeParam>(hasher, key, bytes);
    };
    expect(7, kSeven);
    expect(std::int8_t{7}, kSeven);
    expect(std::uint16_t{7}, kSeven);
    expect(7LL, kSeven);
    expect(std::uint64_t{7}, kSeven);
    expect(-1, Bytes(8, std::byte{0xff}));
    expect(~std::uint64_t{0}, Bytes(8, std::byte{0xff}));
    expect(~std::uint32_t{0}, from_hex("ffffffff00000000"));
    expect(int32_key(-2), from_hex("feffffff"));
    expect("ada", bytes_of("ada"));
    const char without_zero[] = {'a', 'd', 'a'};
    expect(without_zero, bytes_of("ada"));
    expect(std::string("a\0b", 3), bytes_of(std::string_view("a\0b", 3)));
    expect(u8"\u00e9", bytes_of("\xc3\xa9"));
    expect(std::vector<std::uint8_t>{1, 255}, from_hex("01ff"));
    expect(std::array<std::uint8_t, 2>{1, 255}, from_hex("01ff"));
    expect(Point{1, -1}, from_hex("01000000ffffffff"));
    if (is_hash_once(hasher.id())) {
      expect(hasher(kSeven), kSeven);
      expect(Hashed{hasher(kSeven)}, kSeven);
      EXPECT_EQ(make_empty<TypeParam>(4, hasher).hash_of(7), hasher(kSeven));
    }
  }
}

// insert() can only say that the key is not new.
TEST(KeyTypesScheme, ADroppedKeyIsNamedByTheBuild) {
  for (const Hasher& hasher : hashers_of<BloomFilter>()) {
    if (hasher.id() != HashId::kDataSketches) continue;
    auto filter = make_empty<BloomFilter>(4, hasher);
    EXPECT_EQ(filter.insert_by_scheme(Key()).status(), Status::kInvalidKey);
    EXPECT_FALSE(filter.insert("") || filter.may_contain(""));
    const auto config = config_for<BloomFilter>(4, hasher);
    EXPECT_EQ(tamis::build<BloomFilter>({"ada", ""}, config).status(), Status::kInvalidKey);
    return;
  }
  FAIL() << "no such hasher";
}

// A range does what a call for each key does.
TYPED_TEST(KeyTypes, InRangesAreTheSame) {
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    for (const std::size_t size : {0u, 1u, 255u, 256u, 600u}) {
      std::vector<std::uint64_t> keys;
      for (std::uint64_t i = 0; i < size; ++i) keys.push_back(fmix64(i % 500));
      auto single = make_empty<TypeParam>(700, hasher), many = make_empty<TypeParam>(700, hasher);
      std::uint64_t fresh = 0;
      for (const std::uint64_t key : keys) fresh += *Result<bool>(single.insert(key)) ? 1 : 0;
      EXPECT_EQ(*Result<std::uint64_t>(many.insert_range(std::list(keys.begin(), keys.end()))),
                fresh);
      EXPECT_EQ(many, single);
      EXPECT_EQ(*tamis::build<TypeParam>(keys, config_for<TypeParam>(700, hasher)), single);
      keys.insert(keys.end(), {1, 2, 3});
      std::vector<std::uint8_t> answers(keys.size(), 9);
      many.may_contain(keys, answers.data());
      for (std::size_t i = 0; i < keys.size(); ++i)
        EXPECT_EQ(answers[i], many.may_contain(keys[i]) ? 1 : 0);
    }
  }
}

TYPED_TEST(KeyTypes, ARangeEndsAtTheFirstKeyThatIsRefused) {
  if constexpr (has_trait<TypeParam>(kBounded)) {
    auto many = make_empty<TypeParam>(10, Hasher()), single = make_empty<TypeParam>(10, Hasher());
    std::vector<int> keys;
    for (int i = 0; i < 1'000; ++i) keys.push_back(i);
    EXPECT_EQ(many.insert_range(keys).status(), Status::kFull);
    for (std::size_t i = 0; is_ok(single.insert(keys[i])); ++i) {
    }
    EXPECT_EQ(many, single);
  }
}

// One of the kinds of keys that tests/js/key-kinds.test.ts has too.
template <class MakeKey>
void expect_kind(const std::string& kind, MakeKey make_key) {
  constexpr std::uint64_t kKeys = 100'000;
  auto filter = make_empty<BloomFilter>(kKeys, Hasher());
  for (std::uint64_t i = 0; i < kKeys; ++i) filter.insert(make_key(splitmix64(i)));
  std::uint64_t missed = 0;
  for (std::uint64_t i = 0; i < kKeys; ++i)
    missed += filter.may_contain(make_key(splitmix64(i))) ? 0 : 1;
  EXPECT_EQ(missed, 0u) << kind;
  const auto lines = vector_lines("key-kinds.tsv");
  const Bytes bytes = wire_bytes(filter);
  const std::string line = kind + "\t" + hex(std::span(bytes).first(kHeaderBytes));
  EXPECT_NE(std::ranges::find(lines, line), lines.end()) << line;
}

// The checksums of a header tell if all bytes are those that JavaScript has for the same keys.
TEST(KeyKinds, GiveTheFilterThatJavaScriptMakes) {
  const auto octets = [](auto octet, std::uint64_t n) {
    std::vector<decltype(octet)> bytes;
    for (std::uint64_t i = 0; i < n % 20; ++i)
      bytes.push_back(static_cast<decltype(octet)>(n >> (8 * (i % 8)) & 0xff));
    return bytes;
  };
  expect_kind("text", [](std::uint64_t n) { return "key-" + std::to_string(n); });
  expect_kind("utf8", [](std::uint64_t n) {
    std::u8string text = u8"cl\u00e9 \u9375 \U0001f511 ";
    for (const char digit : std::to_string(n)) text += static_cast<char8_t>(digit);
    return text;
  });
  expect_kind("bytes", [&](std::uint64_t n) { return octets(std::byte{}, n); });
  expect_kind("octets", [&](std::uint64_t n) { return octets(std::uint8_t{}, n); });
  expect_kind("array", [](std::uint64_t n) {
    std::array<std::byte, 16> bytes;
    detail::store_le64(bytes.data(), n);
    detail::store_le64(bytes.data() + 8, ~n);
    return bytes;
  });
  expect_kind("int16", [](std::uint64_t n) { return static_cast<std::int16_t>(n); });
  expect_kind("int32", [](std::uint64_t n) { return static_cast<std::int32_t>(n); });
  expect_kind("uint32", [](std::uint64_t n) { return static_cast<std::uint32_t>(n); });
  expect_kind("int64", [](std::uint64_t n) { return static_cast<std::int64_t>(n); });
  expect_kind("uint64", [](std::uint64_t n) { return n; });
  expect_kind("int32_key", [](std::uint64_t n) { return int32_key(static_cast<std::int32_t>(n)); });
  expect_kind("struct", [](std::uint64_t n) {
    return Point{static_cast<std::int32_t>(n >> 32), static_cast<std::int32_t>(n)};
  });
  expect_kind("hash", [](std::uint64_t n) { return Hash{n}; });
}

template <class F>
class Equality : public ::testing::Test {};
TYPED_TEST_SUITE(Equality, AllStructures);

TYPED_TEST(Equality, IsThatOfTheBytes) {
  if constexpr (std::equality_comparable<TypeParam>) {
    const auto structure = make_filled<TypeParam>(50, Hasher(HashId::kXxh3, 3));
    EXPECT_EQ(structure, *structure.clone());
    EXPECT_EQ(structure, *decode<TypeParam>(wire_bytes(structure)));
    EXPECT_NE(structure, make_filled<TypeParam>(49, Hasher(HashId::kXxh3, 3)));
    if constexpr (Filter<TypeParam>) {
      EXPECT_NE(structure, make_filled<TypeParam>(50, Hasher(HashId::kXxh3, 4)));
    }
  }
}
// Nothing is stored in the first of its two parts.
TEST(EqualityExact, OfAFilterOfOnePart) {
  const auto filter = tamis::build<ExactFilter>(std::vector{1, 2}, std::vector{3, 4});
  EXPECT_EQ(filter->check_bits(), 0u);
  EXPECT_EQ(*filter, *filter->clone());
}
static_assert(std::equality_comparable<BloomFilter> && std::equality_comparable<ExactFilter> &&
              std::equality_comparable<ScalableBloomFilter> &&
              std::equality_comparable<InvertibleBloomTable>);

}  // namespace
}  // namespace tamis::test
