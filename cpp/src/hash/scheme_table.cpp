// All schemes. A build with fewer schemes omits this file and defines both functions itself.

#include <tamis/hash/foreign_schemes.hpp>

namespace tamis::detail {

const BloomScheme* find_bloom_scheme(HashId id) noexcept {
  static constexpr BloomScheme kMcg{};
  if (is_hash_once(id)) return &kMcg;
  switch (id) {
#define TAMIS_BLOOM_SCHEME(name, ...) \
  case HashId::name:                  \
    return &name;
#include <tamis/hashes.def>
    default:
      return nullptr;
  }
}

std::uint64_t hash_of_block(Key key) noexcept { return hash_parquet(key); }

}  // namespace tamis::detail
