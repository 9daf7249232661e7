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
concept BulkInserter = requires(F& filter, std::span<const Hash> hashes) { filter.insert(hashes); };
template <class F>
struct InsertsMany : std::bool_constant<BulkInserter<F>> {};
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
    for (const Hash hash : some) fresh += *Result<bool>(single.insert(hash)) ? 1 : 0;
    const Result<std::uint64_t> result = many.insert(some);
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
    EXPECT_EQ(Result<std::uint64_t>(many.insert(hashes)).status(), Status::kFull);
    for (std::size_t i = 0; is_ok(single.insert(hashes[i])); ++i) {
    }
    EXPECT_GE(many.count(), 100u);
    EXPECT_EQ(wire_bytes(many), wire_bytes(single));
  }
}

// A build names the fault. A call that cannot fail asserts it, and adds nothing.
TYPED_TEST(BulkInsert, TakesNoHashForASchemeThatNeedsTheKey) {
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    if (is_hash_once(hasher.id())) continue;
    const auto hashes = make_hashes(10);
    const auto config = config_for<TypeParam>(100, hasher);
    EXPECT_EQ(tamis::build<TypeParam>(hashes, config).status(), Status::kUnsupported);
    auto filter = std::move(*TypeParam::create(config));
    const Bytes before = wire_bytes(filter);
    EXPECT_DEBUG_DEATH((void)filter.insert(hashes), "is_hash_once") << name_of(hasher);
    EXPECT_EQ(wire_bytes(filter), before);
  }
}

}  // namespace
}  // namespace tamis::test
