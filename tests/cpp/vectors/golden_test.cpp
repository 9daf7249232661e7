// The golden files of tests/vectors/v1 and v1/url, read natively: valid ones give their bytes back
// and hold what the manifest says, damaged ones give the code that it names. The digests are
// checked elsewhere.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tamis/url/url_delta.hpp>
#include <tamis/url/url_list.hpp>

#include "support/golden.hpp"
#include "support/samples.hpp"

namespace tamis::test {
namespace {

template <Sketch F>
bool lists_as_added(const F& sketch, const Bytes& key) {
  const auto difference = sketch.decode();
  if (!difference.ok() || !difference->complete || key.size() != sketch.key_bytes()) return false;
  for (std::uint64_t i = 0; i < difference->added_count; ++i) {
    const Key list = difference->added.span();
    if (std::ranges::equal(list.subspan(static_cast<std::size_t>(i) * key.size(), key.size()), key))
      return true;
  }
  return false;
}

template <class F>
bool holds(const F& structure, const std::string& element) {
  if constexpr (Filter<F>) {
    return structure.may_contain(from_hex(element));
  } else if constexpr (std::is_same_v<F, url::UrlList>) {
    return structure.contains(HeapCopy(from_hex(element)).span().data());
  } else if constexpr (std::is_same_v<F, url::UrlDelta>) {
    return false;  // it answers for nothing, and is given nothing
  } else if constexpr (Sketch<F>) {
    return lists_as_added(structure, from_hex(element));
  } else {
    const auto is_set = structure.test(std::stoull(element));
    EXPECT_TRUE(is_set.ok()) << element;
    return is_set.ok() && *is_set;
  }
}

template <class F>
void expect_as_stated(const Golden& golden) {
  const HeapCopy bytes(read_file(golden.file));
  const auto decoded = decode<F>(bytes.span(), {.key = golden.key ? &*golden.key : nullptr});
  EXPECT_STREQ(code(decoded.status()), golden.error.empty() ? "OK" : golden.error.c_str());
  if (!decoded.ok()) return;
  EXPECT_EQ(decoded->validate(), Status::kOk);
  EXPECT_TRUE(std::ranges::equal(wire_bytes(*decoded), bytes.span()));
  for (const std::string& element : golden.present) {
    EXPECT_TRUE(holds(*decoded, element)) << element;
    if constexpr (StaticMap<F>) {
      // make_vectors gives a key the low bits of its length.
      const Bytes key = from_hex(element);
      const std::uint32_t mask = ~std::uint32_t{0} >> (32 - decoded->value_bits());
      EXPECT_EQ(decoded->get(key), key.size() & mask) << element;
    }
  }
  std::string answers;
  for (const std::string& element : golden.absent) answers += holds(*decoded, element) ? '1' : '0';
  EXPECT_EQ(answers, golden.answers);
}

TEST(GoldenFiles, AreReadAsTheManifestSays) {
  const std::vector<Golden> all = golden_files("v1/");
  std::set<std::string> types, valid_types;
  for (const Golden& golden : all) {
    SCOPED_TRACE(golden.file);
    types.insert(golden.type);
    if (golden.error.empty()) valid_types.insert(golden.type);
    for_each_type([&]<class F>() {
      if (golden.type == info_of(F::kType).slug) expect_as_stated<F>(golden);
    });
  }
  for_each_type([&]<class F>() {
    if (!Structure<F>) return;
    const char* slug = info_of(F::kType).slug;
    EXPECT_TRUE(valid_types.contains(slug)) << slug << " has no golden file";
    types.erase(slug);
  });
  EXPECT_TRUE(types.empty()) << *types.begin() << " is in the manifest, and not in structures.def";
}

TEST(GoldenFiles, ListsAndDeltas) {
  std::vector<url::UrlList> lists;
  std::vector<url::UrlDelta> deltas;
  std::set<std::string> types;
  for (const Golden& golden : golden_files("v1/url/")) {
    SCOPED_TRACE(golden.file);
    types.insert(golden.type);
    if (golden.type == "url-list") expect_as_stated<url::UrlList>(golden);
    if (golden.type == "url-delta") expect_as_stated<url::UrlDelta>(golden);
    if (!golden.error.empty()) continue;
    const HeapCopy bytes(read_file(golden.file));
    if (golden.type == "url-list") lists.push_back(std::move(*decode<url::UrlList>(bytes.span())));
    if (golden.type == "url-delta") {
      deltas.push_back(std::move(*decode<url::UrlDelta>(bytes.span())));
    }
  }
  EXPECT_EQ(types, (std::set<std::string>{"url-delta", "url-list"}));
  // Each delta leads from one of the lists, and from no other, to one of them.
  for (const url::UrlDelta& delta : deltas) {
    int bases = 0;
    for (const url::UrlList& list : lists) {
      const auto next = url::apply(list, delta);
      if (next.status() == Status::kIncompatible) continue;
      ++bases;
      ASSERT_TRUE(next.ok());
      EXPECT_TRUE(std::ranges::any_of(
          lists, [&](const url::UrlList& other) { return other.identity() == next->identity(); }));
    }
    EXPECT_EQ(bases, 1);
  }
}

}  // namespace
}  // namespace tamis::test
