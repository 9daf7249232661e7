// XXH3-64 of long keys. It is apart from hash.cpp, so that each file holds the half that it runs.

#include <tamis/hash.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tamis {

// It is flattened, as in hash.cpp, to omit the part of short keys. The secret is an argument, since
// else each of the two files would hold one.
[[gnu::flatten]] std::uint64_t xxh3_64_long(Key key, const std::uint8_t* secret) noexcept {
  if (key.size() <= XXH3_MIDSIZE_MAX) __builtin_unreachable();
  return XXH3_64bits_withSecret(key.data(), key.size(), secret, XXH_SECRET_DEFAULT_SIZE);
}

}  // namespace tamis
