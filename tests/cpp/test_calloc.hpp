// An allocator that fails on request: put in front of every source by the build, so that
// TAMIS_CALLOC (detail/buffer.hpp) is declared wherever it is used.
#pragma once

#include <cstddef>

void* tamis_test_calloc(std::size_t count, std::size_t size) noexcept;

// The allocation with this number (1 is the next one) fails, and all after it; 0: none fails.
void tamis_fail_allocation(std::size_t number) noexcept;

// Allocations asked for since the last call of tamis_fail_allocation.
std::size_t tamis_allocations() noexcept;
