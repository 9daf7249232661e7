#include "support/test_calloc.hpp"

#include <cstdlib>

// Every calloc of the program comes here: the linker's --wrap=calloc.
extern "C" void* __real_calloc(std::size_t count, std::size_t size) noexcept;
extern "C" void* __wrap_calloc(std::size_t count, std::size_t size) noexcept;

namespace {
std::size_t failing = 0;
std::size_t asked = 0;
}  // namespace

void* __wrap_calloc(std::size_t count, std::size_t size) noexcept {
  ++asked;
  if (failing != 0 && asked >= failing) return nullptr;
  return __real_calloc(count, size);
}

void tamis_fail_allocation(std::size_t number) noexcept {
  failing = number;
  asked = 0;
}

std::size_t tamis_allocations() noexcept { return asked; }
