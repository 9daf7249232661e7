// Bloom filters of a given geometry, and the positions that they give a key.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "support/samples.hpp"

namespace tamis::test {

inline BloomFilter bloom(std::uint64_t bits, std::uint32_t hashes,
                         const Hasher& hasher = Hasher()) {
  auto made = BloomFilter::create({.bits = bits, .hashes = hashes, .hasher = hasher});
  EXPECT_TRUE(made.ok()) << bits << " bits, " << hashes << " hashes: " << code(made.status());
  return std::move(*made);
}

inline std::vector<std::uint64_t> positions_of(const BloomFilter& filter, Key key) {
  BloomFilter::Positions all;
  filter.find_positions(key, all);
  return {all.begin(), all.begin() + filter.hashes()};
}

}  // namespace tamis::test
