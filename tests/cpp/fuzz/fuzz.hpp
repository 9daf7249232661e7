// What the fuzz targets share: a check that stays in every build, and the type list of filters.def.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <tamis/tamis.hpp>
#include "contract/traits.hpp"

// AddressSanitizer keeps 256 MiB of what was freed apart, more than half of what a run may take.
extern "C" inline const char* __asan_default_options() { return "quarantine_size_mb=64"; }

namespace tamis::test {

// Ends the program, and with it the fuzzer's run, where a promise is broken (MUST).
[[noreturn]] inline void broken(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "%s:%d: broken: %s\n", file, line, condition);
  std::abort();
}

}  // namespace tamis::test

namespace tamis::fuzz {

// Calls run.template operator()<F>() for type number `which` (modulo their number) of filters.def.
template <class Run>
void with_type(std::size_t which, Run run) {
  std::size_t types = 0;
#define TAMIS_FILTER(Type, slug, id, kind, traits) ++types;
#include <tamis/filters.def>
#undef TAMIS_FILTER
  which %= types;
#define TAMIS_FILTER(Type, slug, id, kind, traits) \
  if (which-- == 0) return run.template operator()<Type>();
#include <tamis/filters.def>
#undef TAMIS_FILTER
}

}  // namespace tamis::fuzz
