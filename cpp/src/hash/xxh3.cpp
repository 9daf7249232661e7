// XXH3-64 of long keys. hash.cpp is for short keys: each of the two files contains only the half of
// the code that it needs.

#include <tamis/hash.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tamis {

// Flattened, as in hash.cpp, to omit the code for short keys. The secret is an argument, because
// otherwise both files would contain a copy of it.
[[gnu::flatten]] std::uint64_t xxh3_64_long(Key key, const std::uint8_t* secret) noexcept {
  if (key.size() <= XXH3_MIDSIZE_MAX) __builtin_unreachable();
  return XXH3_64bits_withSecret(key.data(), key.size(), secret, XXH_SECRET_DEFAULT_SIZE);
}

}  // namespace tamis
