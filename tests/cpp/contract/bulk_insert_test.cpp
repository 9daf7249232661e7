// Types that insert many hashes at once do what as many single inserts do.

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <vector>

#include <tamis/build.hpp>
#include "support/samples.hpp"

namespace tamis::test {
namespace {

template <class F>
struct InsertsMany : std::bool_constant<detail::BulkInserter<F>> {};
template <class F>
class BulkInsert : public ::testing::Test {};
using BulkInserters = Select<InsertsMany, AllStructures>::List;
TYPED_TEST_SUITE(BulkInsert, BulkInserters);

// Every third hash is there twice.
std::vector<Hash> make_hashes(std::uint64_t size) {
  std::vector<Hash> hashes;
  for (std::uint64_t i = 0; i < size; ++i) hashes.push_back(Hash{fmix64(i - (i % 3 == 2 ? 1 : 0))});
  return hashes;
}

TYPED_TEST(BulkInsert, GivesTheBytesOfSingleInserts) {
  const auto hashes = make_hashes(1'000);
  auto many = std::move(*TypeParam::create(config_for<TypeParam>(1'000, Hasher(HashId::kXxh3, 7))));
  auto single =
      std::move(*TypeParam::create(config_for<TypeParam>(1'000, Hasher(HashId::kXxh3, 7))));
  std::size_t at = 0;
  for (const std::size_t size : {0u, 1u, 31u, 32u, 33u, 255u, 256u, 392u}) {
    const auto some = std::span(hashes).subspan(at, size);
    std::uint64_t fresh = 0;
    for (const Hash hash : some) fresh += *single.insert(hash) ? 1 : 0;
    const auto result = many.insert(some);
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(*result, fresh) << size;
    EXPECT_EQ(wire_bytes(many), wire_bytes(single)) << size;
    at += size;
  }
  EXPECT_EQ(at, hashes.size());
}

TYPED_TEST(BulkInsert, KeepsTheKeysBeforeTheFirstThatIsRefused) {
  if constexpr (has_trait<TypeParam>(kBounded)) {
    const auto hashes = make_hashes(1'000);
    auto many = std::move(*TypeParam::create(config_for<TypeParam>(100, Hasher())));
    auto single = std::move(*TypeParam::create(config_for<TypeParam>(100, Hasher())));
    EXPECT_EQ(many.insert(hashes).status(), Status::kFull);
    for (std::size_t i = 0; single.insert(hashes[i]).ok(); ++i) {
    }
    EXPECT_GE(many.count(), 100u);
    EXPECT_EQ(wire_bytes(many), wire_bytes(single));
  }
}

TYPED_TEST(BulkInsert, RefusesASchemeThatNeedsTheKey) {
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    if (is_hash_once(hasher.id())) continue;
    auto filter = std::move(*TypeParam::create(config_for<TypeParam>(100, hasher)));
    const Bytes before = wire_bytes(filter);
    EXPECT_EQ(filter.insert(make_hashes(10)).status(), Status::kUnsupported) << name_of(hasher);
    EXPECT_EQ(wire_bytes(filter), before);
  }
}

}  // namespace
}  // namespace tamis::test
