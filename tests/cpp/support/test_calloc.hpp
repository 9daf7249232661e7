// The allocator of the tests, which fails on request. The core allocates by calloc alone (detail/buffer.hpp).
#pragma once

#include <gtest/gtest.h>

#include <cstddef>

#include <tamis/status.hpp>

// The allocation with this number (1 is the next one) fails, and all after it; 0: none fails.
void tamis_fail_allocation(std::size_t number) noexcept;

// The number of allocations since the last call of tamis_fail_allocation.
std::size_t tamis_allocations() noexcept;

namespace tamis::test {

// Runs `act`, which gives a Status and must allocate. Then it fails its first, its second, and each
// further allocation.
template <class Act>
void fail_each_allocation(Act act) {
  tamis_fail_allocation(0);
  ASSERT_EQ(act(), Status::kOk);
  const std::size_t allocations = tamis_allocations();
  ASSERT_GT(allocations, 0u);
  for (std::size_t number = 1; number <= allocations; ++number) {
    tamis_fail_allocation(number);
    EXPECT_EQ(act(), Status::kOutOfMemory) << number << " of " << allocations;
  }
  tamis_fail_allocation(0);
}

}  // namespace tamis::test
