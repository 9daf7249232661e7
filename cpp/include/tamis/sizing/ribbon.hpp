// tamis/sizing/ribbon.hpp - the numbers of slots and bytes in bumped ribbon retrieval.
//
//   n   keys of a level       m   its slots       w   bits of a slot (value and check bits)
#pragma once

#include <cstdint>

#include <tamis/limits.hpp>

namespace tamis::sizing {

inline constexpr std::uint32_t kRibbonWidth = 64;    // the number of slots that one key touches
inline constexpr std::uint32_t kRibbonBucket = 128;  // the number of starts that share a threshold
inline constexpr std::uint32_t kMaxRibbonLevels = 8;
inline constexpr std::uint64_t kMaxRibbonSlots = 0xffffffff;

// From this number of keys on, a level bumps some of its keys to the next level. With fewer keys, a
// level that tries seeds until it bumps no key is about as small (measured for 600 to 100,000).
inline constexpr std::uint64_t kRibbonBumps = 4096;

// The number of slots of a level that bumps keys: a sixteenth (4 / kRibbonWidth) fewer than keys,
// so that nearly every slot is used (Dillinger, Huebschle-Schneider, Sanders and Walzer 2022).
[[nodiscard]] constexpr std::uint64_t ribbon_bumping_slots(std::uint64_t keys) noexcept {
  return keys - keys / 16;
}

// The number of attempts to build a last level. Each attempt uses other hashes.
inline constexpr std::uint32_t kRibbonAttempts = 512;

// The number of slots of a last level at this attempt. Each of the first 64 attempts succeeds about
// one time in ten: in simulations of 1 to 8,000 keys, from one in three for the fewest keys down to
// one in sixteen. If all 64 fail, the level gets more slots.
[[nodiscard]] constexpr std::uint64_t ribbon_last_slots(std::uint64_t keys,
                                                        std::uint32_t attempt) noexcept {
  return keys + (6 * keys + keys * keys / 1000) / 900 + attempt / 64 * (1 + keys / 256);
}

// An upper bound on the slots of any structure with this number of keys.
[[nodiscard]] constexpr std::uint64_t ribbon_most_slots(std::uint64_t keys) noexcept {
  return 2 * keys + kRibbonWidth;
}

// The number of possible starts for a row of 64 coefficients. With fewer than 64 slots, every row
// begins at the first slot.
[[nodiscard]] constexpr std::uint64_t ribbon_starts(std::uint64_t slots) noexcept {
  return slots < kRibbonWidth ? 1 : slots - (kRibbonWidth - 1);
}

[[nodiscard]] constexpr std::uint64_t ribbon_threshold_bytes(std::uint64_t slots) noexcept {
  const std::uint64_t buckets = (ribbon_starts(slots) + kRibbonBucket - 1) / kRibbonBucket;
  return (buckets + 3) / 4;
}

// True if the rows for this number of keys fit into one array.
[[nodiscard]] constexpr bool ribbon_fits(std::uint64_t keys, std::uint32_t width) noexcept {
  return keys <= kMaxRibbonSlots && keys <= kMaxBits / width;
}

// The size of one level.
[[nodiscard]] constexpr std::uint64_t ribbon_level_bytes(std::uint64_t slots, std::uint32_t width,
                                                         bool bumps) noexcept {
  return (bumps ? ribbon_threshold_bytes(slots) : 0) + (slots * width + 7) / 8;
}

// The expected size of all levels.
[[nodiscard]] constexpr std::uint64_t ribbon_bytes(std::uint64_t keys,
                                                   std::uint32_t width) noexcept {
  std::uint64_t bytes = 0;
  for (; keys >= kRibbonBumps; keys = keys / 16 + keys / 5000) {
    bytes += ribbon_level_bytes(ribbon_bumping_slots(keys), width, true);
  }
  return bytes + ribbon_level_bytes(ribbon_last_slots(keys, 0), width, false);
}

}  // namespace tamis::sizing
