// tamis/hash/foreign_schemes.hpp - the rows of the schemes that need the key itself.
//
// FORMAT.md has each with its source.
#pragma once

#include <tamis/hash/bloom_scheme.hpp>

namespace tamis::detail {

extern const BloomScheme kSeeds, kDigest, kMurmur2aFnv1a, kGuava64, kGuava32, kSparkV1, kSparkV2,
    kGo, kRedisBloom, kDataSketches, kNpmBloomFilters, kNpmBloomfilter;

// XXH64 with the seed 0, for split blocks.
[[nodiscard]] std::uint64_t hash_parquet(Key key) noexcept;

}  // namespace tamis::detail
