// Binary fuse filters of every number of keys and either arity. They take some minutes, so they
// need TAMIS_LONG (npm run test:long).

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>

#include "filters/binary_fuse_samples.hpp"

namespace tamis::test {
namespace {

void builds(std::uint64_t keys, std::uint32_t arity, std::uint64_t set) {
  const auto filter = fuse(fuse_hashes(keys, set), fuse_config(8, arity));
  ASSERT_EQ(filter.count(), keys);
  // The chance to fail falls with each attempt: so many say that none fails all of them.
  ASSERT_LT(attempt_of(filter), 24u) << keys << " keys, arity " << arity << ", set " << set;
}

TEST(LongBinaryFuse, EveryNumberOfKeysTo20000) {
  if (std::getenv("TAMIS_LONG") == nullptr) GTEST_SKIP() << "takes minutes: runs with TAMIS_LONG";
  for (const std::uint32_t arity : {3u, 4u}) {
    for (std::uint64_t keys = 0; keys <= 20'000; ++keys) builds(keys, arity, keys);
  }
}

TEST(LongBinaryFuse, TwentySetsOfEach) {
  if (std::getenv("TAMIS_LONG") == nullptr) GTEST_SKIP() << "takes minutes: runs with TAMIS_LONG";
  for (const std::uint32_t arity : {3u, 4u}) {
    for (std::uint64_t set = 0; set < 20; ++set) {
      for (std::uint64_t keys = 0; keys <= 2'000; ++keys) builds(keys, arity, set);
      for (std::uint64_t keys = 11'190; keys <= 11'550; keys += 10) builds(keys, arity, set);
      for (const std::uint64_t keys : {37'453u, 100'000u, 1'000'000u}) builds(keys, arity, set);
    }
  }
}

}  // namespace
}  // namespace tamis::test
