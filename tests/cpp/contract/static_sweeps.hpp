// Tests what every static type promises, for many numbers and kinds of keys. The sanitizers run a
// part of these tests (static_contract_test.cpp), and the long tests run all.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/samples.hpp"

namespace tamis::test {

// Distinct hashes that are spread like those of keys. Other sets have other hashes.
inline Hashes even_hashes(std::uint64_t keys, std::uint64_t set) {
  Hashes hashes(keys);
  for (std::uint64_t i = 0; i < keys; ++i) hashes[i] = splitmix64(fmix64(set) + i);
  return hashes;
}

inline std::uint64_t bits_reversed(std::uint64_t i) {
  std::uint64_t reversed = 0;
  for (int bit = 0; bit < 64; ++bit) reversed |= (i >> bit & 1) << (63 - bit);
  return reversed;
}

// Writes a structure and reads it back.
template <BuiltOnce F>
F read_back(const F& structure) {
  const Bytes bytes = wire_bytes(structure);
  auto again = decode<F>(bytes, {.key = key_for(bytes)});
  EXPECT_TRUE(again.ok()) << code(again.status());
  EXPECT_EQ(wire_bytes(*again), bytes);
  return std::move(*again);
}

// The configurations of a type. Consecutive values of `width` go through all widths.
template <BuiltOnce F>
std::vector<typename F::Config> variants(const Hasher& hasher, std::uint32_t width) {
  typename F::Config config;
  config.hasher = hasher;
  if constexpr (requires { config.fingerprint_bits; }) config.fingerprint_bits = 1 + width % 32;
  if constexpr (requires { config.value_bits; }) config.value_bits = 1 + width % 32;
  if constexpr (requires { config.check_bits; }) config.check_bits = (width / 3) % 33;
  if constexpr (requires { config.arity; }) {
    std::vector<typename F::Config> both(2, config);
    both[0].arity = 3;
    both[1].arity = 4;
    return both;
  } else {
    return {config};
  }
}

// Builds each variant of `keys` and looks up every key.
template <BuiltOnce F>
void expect_builds(const Hashes& keys, const Hasher& hasher, std::uint32_t width,
                   const std::string& what) {
  for (const auto& config : variants<F>(hasher, width)) {
    const auto built = build<F>(config, keys);
    ASSERT_TRUE(built.ok()) << code(built.status()) << ": " << what;
    ASSERT_TRUE(holds_all(*built, keys)) << what;
    ASSERT_EQ(built->count(), keys.size()) << what;
    ASSERT_EQ(built->validate(), Status::kOk) << what;
  }
}

// Builds for `keys` from `from` to `to` in steps, each with `seeds` seeds and sets of keys.
template <BuiltOnce F>
void sweep(std::uint64_t from, std::uint64_t to, std::uint64_t step, std::uint64_t seeds) {
  for (std::uint64_t keys = from; keys <= to; keys += step) {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      const std::string what = std::to_string(keys) + " keys, seed " + std::to_string(seed);
      expect_builds<F>(even_hashes(keys, keys * 64 + seed), Hasher(HashId::kXxh3, seed),
                       static_cast<std::uint32_t>(keys + 5 * seed), what);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

// Tests the sizes at which published tables fail, and those at which the way of building changes.
template <BuiltOnce F>
void sweep_plateau_edges(std::uint64_t step, std::uint64_t seeds) {
  sweep<F>(11'190, 11'550, step, seeds);
  sweep<F>(37'453, 37'453, 1, seeds);
  sweep<F>(100'000, 100'000, 1, seeds);
}

// Checks that absent keys are reported at the stated rate, by exact binomial tails.
template <BuiltOnce F>
void expect_rate(const typename F::Config& config, std::uint64_t keys, std::uint64_t absent_keys,
                 const std::string& what) {
  const auto built = build<F>(config, even_hashes(keys, 1));
  ASSERT_TRUE(built.ok()) << code(built.status()) << ": " << what;
  std::uint64_t hits = 0;
  for (std::uint64_t i = 0; i < absent_keys; ++i) hits += claims(*built, fmix64(i + 1)) ? 1u : 0u;
  EXPECT_TRUE(is_plausible(hits, absent_keys, built->estimated_fpr()))
      << what << ": " << hits << " of " << absent_keys << " at " << built->estimated_fpr();
}

// Checks the rate of every width from `from` to `to`, or of the options of a type without widths.
template <BuiltOnce F>
void sweep_rates(std::uint64_t keys, std::uint32_t from, std::uint32_t to,
                 std::uint64_t absent_keys) {
  for (std::uint32_t bits = from; bits <= to; ++bits) {
    for (auto config : variants<F>(Hasher(HashId::kXxh3, bits), bits - 1)) {
      if constexpr (requires { config.check_bits; }) config.check_bits = bits;
      const std::string what = std::to_string(keys) + " keys, " + std::to_string(bits) + " bits";
      expect_rate<F>(config, keys, absent_keys, what);
      if (::testing::Test::HasFatalFailure()) return;
    }
    if constexpr (ExactSet<F>) return;
  }
}

}  // namespace tamis::test
