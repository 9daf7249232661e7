// tamis/hash/foreign_schemes.hpp - one row for each scheme that needs the key itself.
//
// FORMAT.md describes each scheme and names its source.
#pragma once

#include <tamis/hash/bloom_scheme.hpp>

namespace tamis::detail {

#define TAMIS_BLOOM_SCHEME(name, ...) extern const BloomScheme name;
#include <tamis/hashes.def>

// XXH64 with the seed 0, for split blocks.
[[nodiscard]] std::uint64_t hash_parquet(Key key) noexcept;

}  // namespace tamis::detail
