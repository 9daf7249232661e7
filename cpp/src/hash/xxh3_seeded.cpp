// XXH3-64 with a seed. It is separate from hash.cpp, whose code is smaller without a seed.

#include <tamis/hash.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tamis {

std::uint64_t xxh3_64(Key key, std::uint64_t seed) noexcept {
  return XXH3_64bits_withSeed(key.data(), key.size(), seed);
}

}  // namespace tamis
