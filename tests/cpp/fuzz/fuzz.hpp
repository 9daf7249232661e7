// Helpers for the fuzz targets: a check in every build, and the types in structures.def.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <tamis/registry.hpp>
#include "contract/traits.hpp"

// By default, AddressSanitizer keeps 256 MiB of freed memory, more than half of a run's limit.
extern "C" inline const char* __asan_default_options() { return "quarantine_size_mb=64"; }

namespace tamis::test {

// Ends the program, and so the fuzzer's run, if a MUST is not true.
[[noreturn]] inline void broken(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "%s:%d: broken: %s\n", file, line, condition);
  std::abort();
}

}  // namespace tamis::test

namespace tamis::fuzz {

// Calls run.template operator()<F>() for the type with number `which`, modulo the number of types.
// The types of url/ have their own target.
template <class Run>
void with_type_at(std::size_t which, Run run) {
  std::size_t types = 0;
  for_each_type([&]<class F>() { types += Structure<F>; });
  which %= types;
  for_each_type([&]<class F>() {
    if constexpr (Structure<F>) {
      if (which-- == 0) run.template operator()<F>();
    }
  });
}

}  // namespace tamis::fuzz
