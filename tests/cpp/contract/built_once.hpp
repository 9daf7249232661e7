// Builds static types from hashes alone, for the tests and the fuzz targets. The values of a map
// and the excluded keys of an exact set are computed from the hashes, so a list of hashes is
// enough.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "contract/traits.hpp"

namespace tamis::test {

using Hashes = std::vector<std::uint64_t>;

// A set built from two lists: it contains all keys of the first, and certainly none of the second.
template <class F>
concept ExactSet = Filter<F> && BuiltOfTwo<F, std::uint64_t>;
// A map built from keys and their values.
template <class F>
concept StaticMap = Filter<F> && BuiltOfTwo<F, std::uint32_t>;
template <class F>
concept BuiltOnce = StaticFilter<F> || ExactSet<F> || StaticMap<F>;

inline std::uint32_t value_of(std::uint64_t hash, std::uint32_t bits) {
  return static_cast<std::uint32_t>(splitmix64(hash) >> (64 - bits));
}

// Up to seven keys that an exact set excludes if it includes this one.
inline Hashes excluded_beside(std::uint64_t hash) {
  Hashes excluded(splitmix64(~hash) % 8);
  for (std::uint64_t& other : excluded) other = hash = fmix64(hash + 0x5851f42d4c957f2d);
  return excluded;
}

// The lists have exactly their size, so that AddressSanitizer detects an access outside.
template <BuiltOnce F>
Result<F> build(const typename F::Config& config, Hashes hashes) {
  hashes.shrink_to_fit();
  if constexpr (StaticFilter<F>) {
    return F::build(config, hashes);
  } else {
    std::uint64_t conflicts = ~std::uint64_t{0};
    const auto built = [&](auto others) {
      others.shrink_to_fit();
      auto made = F::build(config, hashes, others, conflicts);
      MUST(made.status() != Status::kConflict && conflicts == 0);
      return made;
    };
    if constexpr (ExactSet<F>) {
      Hashes excluded;
      for (const std::uint64_t hash : hashes) {
        const Hashes others = excluded_beside(hash);
        excluded.insert(excluded.end(), others.begin(), others.end());
      }
      return built(std::move(excluded));
    } else {
      std::vector<std::uint32_t> values;
      values.reserve(hashes.size());
      for (const std::uint64_t hash : hashes) values.push_back(value_of(hash, config.value_bits));
      return built(std::move(values));
    }
  }
}

// True if the structure reports the key as present.
template <BuiltOnce F>
bool claims(const F& structure, std::uint64_t hash) {
  return structure.may_contain(Hash{hash});
}

// True if a single look-up gives the right answer for a key of the structure.
template <BuiltOnce F>
bool holds(const F& structure, std::uint64_t hash) {
  if constexpr (StaticMap<F>) {
    const auto value = structure.get(Hash{hash});
    return value.has_value() && *value == value_of(hash, structure.value_bits());
  } else if constexpr (ExactSet<F>) {
    return claims(structure, hash) &&
           std::ranges::none_of(excluded_beside(hash),
                                [&](std::uint64_t other) { return claims(structure, other); });
  } else {
    return claims(structure, hash);
  }
}

// Checks that a batch look-up gives the same answers as single look-ups.
template <BuiltOnce F>
void ask_batch(const F& structure, const Hashes& hashes) {
  std::vector<std::uint8_t> answers(hashes.size(), 0xa5);
  structure.may_contain(to_hashes(hashes), answers.data());
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    MUST(answers[i] == (claims(structure, hashes[i]) ? 1 : 0));
  }
}

// True if the structure contains all keys. The first few hundred are also looked up as a batch.
template <BuiltOnce F>
bool holds_all(const F& structure, const Hashes& hashes) {
  constexpr std::size_t kBatch = 300;
  ask_batch(structure, Hashes(hashes.begin(), hashes.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                   hashes.size(), kBatch))));
  return std::ranges::all_of(hashes, [&](std::uint64_t hash) { return holds(structure, hash); });
}

}  // namespace tamis::test
