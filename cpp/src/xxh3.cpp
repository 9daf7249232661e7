// XXH3-64 of long keys, apart from hash.cpp: its loops would be unrolled there into a third of the wasm.

#include <tamis/hash.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tamis {

std::uint64_t xxh3_64_long(Key key, std::uint64_t seed) noexcept {
  return XXH3_64bits_withSeed(key.data(), key.size(), seed);
}

}  // namespace tamis
