// bindings/schemes.cpp - the schemes of Bloom filters, each a part of the wasm. In the place of
// cpp/src/hash/scheme_table.cpp, which has all of them at once.

#include <tamis/hash/foreign_schemes.hpp>

#include <array>

#include "part.hpp"

namespace tamis::detail {
namespace {

// By wire id, of the schemes that are loaded.
constinit std::array<const BloomScheme*, kHashIds> schemes{};
// In an array, and used for what the optimizer can see. Of a pointer that is only ever set to one function it
// makes a flag, and the function becomes the base's.
[[gnu::used]] constinit std::array<std::uint64_t (*)(Key) noexcept, 1> block_hashes{};

void put(HashId id, const BloomScheme& scheme) noexcept {
  schemes[static_cast<std::size_t>(id)] = &scheme;
}

}  // namespace

TAMIS_PART("seeds", load_seeds) { put(HashId::kSeeds, kSeeds); }
TAMIS_PART("digest", load_digest) { put(HashId::kDigest, kDigest); }
TAMIS_PART("murmur2a-fnv1a", load_murmur2a_fnv1a) { put(HashId::kMurmur2aFnv1a, kMurmur2aFnv1a); }
TAMIS_PART("guava64", load_guava64) { put(HashId::kGuava, kGuava64); }
TAMIS_PART("guava-32", load_guava_32) { put(HashId::kGuava32, kGuava32); }
TAMIS_PART("spark-v1", load_spark_v1) { put(HashId::kSparkV1, kSparkV1); }
TAMIS_PART("spark-v2", load_spark_v2) { put(HashId::kSparkV2, kSparkV2); }
TAMIS_PART("go", load_go) { put(HashId::kGo, kGo); }
TAMIS_PART("redisbloom", load_redisbloom) { put(HashId::kRedisBloom, kRedisBloom); }
TAMIS_PART("datasketches", load_datasketches) { put(HashId::kDataSketches, kDataSketches); }
TAMIS_PART("npm-bloom-filters", load_npm_bloom_filters) {
  put(HashId::kNpmBloomFilters, kNpmBloomFilters);
}
TAMIS_PART("npm-bloomfilter", load_npm_bloomfilter) {
  put(HashId::kNpmBloomfilter, kNpmBloomfilter);
}
TAMIS_PART("parquet", load_parquet) { block_hashes[0] = &hash_parquet; }

const BloomScheme* find_bloom_scheme(HashId id) noexcept {
  static constexpr BloomScheme kMcg{};
  if (is_hash_once(id)) return &kMcg;
  const auto index = static_cast<std::size_t>(id);
  return index < schemes.size() ? schemes[index] : nullptr;
}

std::uint64_t hash_of_block(Key key) noexcept { return block_hashes[0](key); }

}  // namespace tamis::detail
