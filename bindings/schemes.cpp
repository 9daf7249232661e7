// bindings/schemes.cpp - the schemes of Bloom filters, each of which is a part of the wasm. This
// file replaces cpp/src/hash/scheme_table.cpp, which contains all schemes at once.

#include <tamis/hash/foreign_schemes.hpp>

#include <array>

#include "part.hpp"

namespace tamis::detail {
namespace {

// The loaded schemes, indexed by wire id.
constinit std::array<const BloomScheme*, kHashIds> schemes{};
// An array, and marked as used: the optimizer would turn a pointer that is only ever set to one
// function into a flag, and that function would then move to the base.
[[gnu::used]] constinit std::array<std::uint64_t (*)(Key) noexcept, 1> block_hashes{};

void put(HashId id, const BloomScheme& scheme) noexcept {
  schemes[static_cast<std::size_t>(id)] = &scheme;
}

}  // namespace

#define TAMIS_BLOOM_SCHEME(name, slug, ...) \
  TAMIS_PART(slug, load_##name) { put(HashId::name, name); }
#include <tamis/hashes.def>
TAMIS_PART("parquet", load_parquet) { block_hashes[0] = &hash_parquet; }

const BloomScheme* find_bloom_scheme(HashId id) noexcept {
  static constexpr BloomScheme kMcg{};
  if (is_hash_once(id)) return &kMcg;
  const auto index = static_cast<std::size_t>(id);
  return index < schemes.size() ? schemes[index] : nullptr;
}

std::uint64_t hash_of_block(Key key) noexcept { return block_hashes[0](key); }

}  // namespace tamis::detail
