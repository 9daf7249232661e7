// What the fuzz targets share: a check that stays in every build, and the type list of filters.def.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include <tamis/tamis.hpp>

// Ends the program, and with it the fuzzer's run, where a promise is broken.
#define FUZZ_CHECK(condition)                                                      \
  do {                                                                             \
    if (!(condition)) {                                                            \
      std::fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                \
    }                                                                              \
  } while (false)

namespace tamis::fuzz {

using Bytes = std::vector<std::byte>;

// The SipHash key of keyed structures: 00 01 .. 0f, that of the golden files.
inline SipKey sip_key() {
  SipKey key;
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::byte>(i);
  return key;
}

// Takes `structure` as it is on the wire.
template <class F>
Bytes encoded(const F& structure) {
  const auto bytes = encode(structure);
  FUZZ_CHECK(bytes.ok());
  return {bytes->span().begin(), bytes->span().end()};
}

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
