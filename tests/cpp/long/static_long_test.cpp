// Every type of structures.def that is built once, by numbers of keys that the sanitizers have no
// time for: built optimised and without them. TAMIS_LONG=1 in the environment (npm run test:long)
// runs all of it, else as much as takes a minute.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>

#include "contract/static_sweeps.hpp"

namespace tamis::test {
namespace {

bool is_long() { return std::getenv("TAMIS_LONG") != nullptr; }

template <class F>
class StaticLong : public ::testing::Test {
 protected:
  // There are many seeds for types with their own build. Types of two lists are built of the same
  // parts, and take several times as long.
  static std::uint64_t seeds() {
    if (is_long()) return 40;
    return StaticFilter<F> ? 8 : 2;
  }
};
TYPED_TEST_SUITE(StaticLong, BuiltOnceTypes);

TYPED_TEST(StaticLong, EveryNumberOfKeysTo2000) { sweep<TypeParam>(0, 2'000, 1, this->seeds()); }

TYPED_TEST(StaticLong, EveryNumberOfKeysTo20000) {
  sweep<TypeParam>(2'001, 20'000, is_long() ? 1 : 197, 1);
}

TYPED_TEST(StaticLong, ThePlateauEdges) { sweep_plateau_edges<TypeParam>(10, this->seeds()); }

TYPED_TEST(StaticLong, AMillionKeys) {
  sweep<TypeParam>(1'000'000, 1'000'000, 1, is_long() ? 20 : 3);
}

TYPED_TEST(StaticLong, TenMillionKeys) {
  if (is_long()) sweep<TypeParam>(10'000'000, 10'000'000, 1, 2);
}

// Here 10^7 absent keys meet some hundred keys at 2^-16, and a handful at 2^-20. The rate of an
// exact set follows from its lists, and is never so low.
TYPED_TEST(StaticLong, TheRatesOfWideFingerprints) {
  if constexpr (!ExactSet<TypeParam>) {
    const std::uint64_t absent_keys = is_long() ? 100'000'000 : 10'000'000;
    for (const std::uint32_t bits : {16u, 17u, 20u, 24u, 32u}) {
      sweep_rates<TypeParam>(100'000, bits, bits, absent_keys);
    }
  }
}

TYPED_TEST(StaticLong, TheRatesOfNarrowFingerprints) {
  for (const std::uint64_t keys : {1u, 3u, 20u, 100u, 1'000u, 12'000u, 300'000u}) {
    sweep_rates<TypeParam>(keys, 1, 12, is_long() ? 10'000'000 : 300'000);
  }
}

}  // namespace
}  // namespace tamis::test
