// All schemes. A build that wants fewer leaves this file out and has the two functions of its own.

#include <tamis/hash/foreign_schemes.hpp>

#include <array>

namespace tamis::detail {

const BloomScheme* find_bloom_scheme(HashId id) noexcept {
  static constexpr BloomScheme kMcg{};
  static constexpr auto kSchemes = [] {
    std::array<const BloomScheme*, kHashIds> schemes{};
    const auto put = [&schemes](HashId hash, const BloomScheme& scheme) {
      schemes[static_cast<std::size_t>(hash)] = &scheme;
    };
    put(HashId::kSeeds, kSeeds);
    put(HashId::kDigest, kDigest);
    put(HashId::kMurmur2aFnv1a, kMurmur2aFnv1a);
    put(HashId::kGuava, kGuava64);
    put(HashId::kGuava32, kGuava32);
    put(HashId::kSparkV1, kSparkV1);
    put(HashId::kSparkV2, kSparkV2);
    put(HashId::kGo, kGo);
    put(HashId::kRedisBloom, kRedisBloom);
    put(HashId::kDataSketches, kDataSketches);
    put(HashId::kNpmBloomFilters, kNpmBloomFilters);
    put(HashId::kNpmBloomfilter, kNpmBloomfilter);
    return schemes;
  }();
  if (is_hash_once(id)) return &kMcg;
  const auto index = static_cast<std::size_t>(id);
  return index < kSchemes.size() ? kSchemes[index] : nullptr;
}

std::uint64_t hash_of_block(Key key) noexcept { return hash_parquet(key); }

}  // namespace tamis::detail
