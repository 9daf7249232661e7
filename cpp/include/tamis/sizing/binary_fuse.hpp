// tamis/sizing/binary_fuse.hpp - the sizes of the tables of binary fuse filters.
//
//   n   distinct keys
//   a   arity, 3 or 4
//   r   bits of a fingerprint
//   s   log2 of a segment's slots
//   C   segments that a key's first slot can be in; the table has (C + a - 1) 2^s slots
#pragma once

#include <cstdint>

#include <tamis/sizing/math.hpp>

namespace tamis::sizing {

inline constexpr std::uint32_t kMaxFuseSegmentLog = 18;
inline constexpr std::uint64_t kMaxFuseSlots = 0xffffffff;
inline constexpr std::uint64_t kMaxFuseKeys = 0x7fffffff;  // the most keys that one slot can count
// A build fails after this number of seeds.
inline constexpr std::uint32_t kFuseAttempts = 64;

// With 4 slots a key, a table is 4 % smaller from 10^4 keys on, but hardly smaller below 10^3. With
// 3 slots a key, a look-up needs one load less.
[[nodiscard]] constexpr std::uint32_t fuse_arity(std::uint64_t keys) noexcept {
  return keys < 100'000 ? 3 : 4;
}

struct FuseShape {
  std::uint32_t segments;
  std::uint32_t segment_log;

  [[nodiscard]] constexpr std::uint64_t slots(std::uint32_t arity) const noexcept {
    return (std::uint64_t{segments} + arity - 1) << segment_log;
  }
  friend bool operator==(const FuseShape&, const FuseShape&) noexcept = default;
};

// The table that a build tries for n >= 1 keys. It has no segments if it would need more than
// kMaxFuseSlots slots, or if there are more than kMaxFuseKeys keys.
//
// Segments have n^(5/8) slots: longer ones waste more slots at the ends of the table, and shorter
// ones leave too few choices. `factor` is such that about every second seed works; we found it by
// building tables of 1 to 200,000 keys with segments of all lengths. From 640,000 keys on (with
// arity 3, from 1,300,000), `limit`, by Graf and Lemire, is larger, and almost every seed works.
// After every third attempt the table grows.
[[nodiscard]] constexpr FuseShape fuse_shape(std::uint64_t keys, std::uint32_t arity,
                                             std::uint32_t attempt) noexcept {
  if (keys > kMaxFuseKeys) return {0, 0};
  const double n = static_cast<double>(keys);
  const double log = log2(n < 2 ? 2 : n);
  auto segment_log = static_cast<std::uint32_t>(0.625 * log);
  if (segment_log > kMaxFuseSegmentLog) segment_log = kMaxFuseSegmentLog;
  const double factor = arity == 3 ? 0.97 + 3.15 / log : 0.865 + 4.05 / log;
  const double limit = arity == 3 ? 1.125 : 1.075;
  const std::uint64_t wanted = ceil_to_integer(n * (factor > limit ? factor : limit));
  const std::uint64_t whole = ((wanted - 1) >> segment_log) + 1;
  std::uint64_t segments = whole > arity ? whole - (arity - 1) : 1;
  segments += attempt / 3 * (segments < 64 ? 1 : segments / 64);
  if ((segments + arity - 1) << segment_log > kMaxFuseSlots) return {0, 0};
  return {static_cast<std::uint32_t>(segments), segment_log};
}

}  // namespace tamis::sizing
