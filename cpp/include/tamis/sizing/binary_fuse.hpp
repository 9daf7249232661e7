// tamis/sizing/binary_fuse.hpp - the tables of binary fuse filters.
//
//   n   distinct keys      C   segments that a key's first slot is in      s   log2 of a segment's slots
//   a   arity, 3 or 4      r   bits of a fingerprint                       slots (C + a - 1) 2^s
#pragma once

#include <cstdint>

#include <tamis/sizing.hpp>

namespace tamis::sizing {

inline constexpr std::uint32_t kMaxFuseBits = 32;
inline constexpr std::uint32_t kMaxFuseSegmentLog = 18;
inline constexpr std::uint64_t kMaxFuseSlots = 0xffffffff;
// A build that fails with so many seeds is given up.
inline constexpr std::uint32_t kFuseAttempts = 64;

// The fewest bits that keep the rate, 2^-r <= p; more than kMaxFuseBits where they do not.
[[nodiscard]] constexpr std::uint32_t fuse_bits(double fpr) noexcept {
  std::uint32_t bits = 1;
  for (double rate = 0.5; rate > fpr && bits <= kMaxFuseBits; rate /= 2) ++bits;
  return bits;
}

// Four slots a key make a smaller table; in a small one three are as good, and one load less.
[[nodiscard]] constexpr std::uint32_t fuse_arity(std::uint64_t keys) noexcept { return keys < 100'000 ? 3 : 4; }

struct FuseShape {
  std::uint32_t segments;
  std::uint32_t segment_log;

  [[nodiscard]] constexpr std::uint64_t slots(std::uint32_t arity) const noexcept {
    return (std::uint64_t{segments} + arity - 1) << segment_log;
  }
};

// The table for n >= 1 keys; no segments where it would have more than kMaxFuseSlots.
[[nodiscard]] constexpr FuseShape fuse_shape(std::uint64_t keys, std::uint32_t arity,
                                             std::uint32_t attempt) noexcept {
  if (keys > kMaxFuseSlots) return {0, 0};
  const double n = static_cast<double>(keys);
  const double log = log2(n < 2 ? 2 : n);
  const double length = arity == 3 ? log / log2(3.33) + 2.25 : log / log2(2.91) - 0.5;
  const double factor = arity == 3 ? 0.875 + 0.25 * log2(1e6) / log : 0.77 + 0.305 * log2(6e5) / log;
  const double least = arity == 3 ? 1.125 : 1.075;
  std::uint32_t segment_log = length < 0 ? 0 : static_cast<std::uint32_t>(length);
  if (segment_log > kMaxFuseSegmentLog) segment_log = kMaxFuseSegmentLog;
  const double growth = 1 + 0.125 * (attempt / 16);
  const std::uint64_t wanted = ceil_to_integer(n * (factor > least ? factor : least) * growth);
  const std::uint64_t rounded = ((wanted - 1) >> segment_log) + 1;
  std::uint64_t segments = rounded > arity ? rounded - (arity - 1) : 1;
  if (attempt % 4 == 3 && segment_log > 0) {
    --segment_log;
    segments = 2 * segments + arity - 1;
  }
  if ((segments + arity - 1) << segment_log > kMaxFuseSlots) return {0, 0};
  return {static_cast<std::uint32_t>(segments), segment_log};
}

}  // namespace tamis::sizing
