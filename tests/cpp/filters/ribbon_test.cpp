// The sizes of ribbon filters are close to the least possible.

#include <gtest/gtest.h>

#include <cstdint>

#include "contract/static_sweeps.hpp"

namespace tamis::test {
namespace {

// The whole payload, records too, over n r / 8 bytes.
TEST(Ribbon, SizesNearTheLeast) {
  const auto overhead = [](std::uint64_t count, std::uint32_t bits, std::uint64_t set) {
    const auto filter = build<RibbonFilter>({.fingerprint_bits = bits}, even_hashes(count, set));
    EXPECT_TRUE(filter.ok());
    return 8 * static_cast<double>(filter->header().payload_bytes) /
           static_cast<double>(count * bits);
  };
  for (const std::uint32_t bits : {7u, 8u, 10u, 16u}) {
    for (std::uint64_t set = 0; set < 5; ++set) EXPECT_LE(overhead(100, bits, set), 1.10);
    for (const std::uint64_t count :
         {1'000u, 1'500u, 3'000u, 4'095u, 4'096u, 4'600u, 7'000u, 15'000u, 30'000u}) {
      for (std::uint64_t set = 0; set < 2; ++set)
        EXPECT_LE(overhead(count, bits, set), 1.03) << count;
    }
  }
  EXPECT_LE(overhead(100'000, 8, 0), 1.01);
}

}  // namespace
}  // namespace tamis::test
