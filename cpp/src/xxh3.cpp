// XXH3-64 of long keys, apart from hash.cpp, so that each holds the half that it runs.

#include <tamis/hash.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tamis {

// Flattened, as in hash.cpp, to leave the short keys' part out.
[[gnu::flatten]] std::uint64_t xxh3_64_long(Key key) noexcept {
  if (key.size() <= XXH3_MIDSIZE_MAX) __builtin_unreachable();
  return XXH3_64bits(key.data(), key.size());
}

}  // namespace tamis
