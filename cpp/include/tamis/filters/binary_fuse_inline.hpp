// tamis/filters/binary_fuse_inline.hpp - functions for callers to inline (TAMIS_INLINE).
#pragma once

#include <tamis/detail/portability.hpp>
#include <tamis/filters/binary_fuse.hpp>

namespace tamis {

template <std::uint32_t kWidth>
inline bool BinaryFuseFilter::holds(std::uint64_t g) const noexcept {
  const FusePlaces::Slots slots = places_.slots(g);
  const auto load = [this](std::uint64_t slot) {
    const std::uint32_t width = kWidth == 0 ? slots_.width() : kWidth;
    return static_cast<std::uint32_t>(slots_.load(slot * width));
  };
  std::uint32_t sum = FusePlaces::fingerprint(g) ^ load(slots[0]) ^ load(slots[1]) ^ load(slots[2]);
  if (arity_ == 4) sum ^= load(slots[3]);
  constexpr auto kMask = static_cast<std::uint32_t>((std::uint64_t{1} << kWidth) - 1);
  return (sum & (kWidth == 0 ? slots_.max() : kMask)) == 0;
}

TAMIS_INLINE bool BinaryFuseFilter::may_contain(Hash hash) const noexcept {
  if (count_ == 0) return false;
  const std::uint64_t g = hasher_.mix(hash);
  return slots_.width() == 8 ? holds<8>(g) : holds_any(g);
}

}  // namespace tamis
