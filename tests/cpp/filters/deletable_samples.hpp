// Deletable Bloom filters with a given geometry, and functions whose results need no unwrapping.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "support/samples.hpp"

namespace tamis::test {

inline DeletableBloomFilter deletable(std::uint64_t capacity, double fpr = 0.01,
                                      std::uint64_t regions = 0, const Hasher& hasher = Hasher()) {
  auto made = DeletableBloomFilter::create(
      {.capacity = capacity, .fpr = fpr, .regions = regions, .hasher = hasher});
  EXPECT_TRUE(made.ok()) << code(made.status());
  return std::move(*made);
}

// The number of regions of `width` bits, for a capacity and a rate; 0 stands for one region.
inline std::uint64_t regions_of_width(std::uint64_t capacity, double fpr, std::uint64_t width) {
  const std::uint64_t bits = sizing::bloom_size(capacity, fpr).bits;
  return width == 0 ? 1 : (bits + width - 1) / width;
}

inline Bytes key_number(std::uint64_t number) { return make_key(KeyFamily::kIntegers, 0, number); }

// Inserts a key, which must succeed, and returns the result.
inline bool insert(DeletableBloomFilter& filter, Key key) {
  const Result<bool> added = filter.insert(key);
  EXPECT_TRUE(added.ok());
  return *added;
}

// Erases the key if that is allowed: kOk if it is gone, kNotDeletable, or nothing if it was absent.
inline std::optional<Status> erase(DeletableBloomFilter& filter, Key key) {
  const Result<bool> erased = filter.erase(key);
  if (!erased.ok()) return erased.status();
  return *erased ? std::optional(Status::kOk) : std::nullopt;
}

}  // namespace tamis::test
