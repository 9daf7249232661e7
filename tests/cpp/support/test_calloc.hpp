// The allocator of the tests, which fails on request. The core allocates by calloc alone (detail/buffer.hpp).
#pragma once

#include <cstddef>

// The allocation with this number (1 is the next one) fails, and all after it; 0: none fails.
void tamis_fail_allocation(std::size_t number) noexcept;

// The number of allocations since the last call of tamis_fail_allocation.
std::size_t tamis_allocations() noexcept;
