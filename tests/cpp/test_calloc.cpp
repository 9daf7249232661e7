#include "test_calloc.hpp"

#include <cstdlib>

namespace {
std::size_t failing = 0;
std::size_t asked = 0;
}  // namespace

void* tamis_test_calloc(std::size_t count, std::size_t size) noexcept {
  ++asked;
  if (failing != 0 && asked >= failing) return nullptr;
  return std::calloc(count, size);
}

void tamis_fail_allocation(std::size_t number) noexcept {
  failing = number;
  asked = 0;
}

std::size_t tamis_allocations() noexcept { return asked; }
