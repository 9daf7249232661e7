// The tests' allocator, which can fail on request (detail/buffer.hpp).
#pragma once

#include <gtest/gtest.h>

#include <cstddef>

#include <tamis/status.hpp>

// Makes allocations from this number on fail (1 is the next one); 0 makes none fail.
void tamis_fail_allocation(std::size_t number) noexcept;

// The number of allocations since the last call of tamis_fail_allocation.
std::size_t tamis_allocations() noexcept;

namespace tamis::test {

// Runs `act`, which returns a Status and must allocate. Then runs it again with its first
// allocation failing, its second, and so on.
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
