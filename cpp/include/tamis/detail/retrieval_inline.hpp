// tamis/detail/retrieval_inline.hpp - look-ups for callers to inline (TAMIS_INLINE).
#pragma once

#include <tamis/detail/masked_xor.hpp>
#include <tamis/detail/portability.hpp>
#include <tamis/detail/retrieval.hpp>

namespace tamis::detail {

inline bool Retrieval::Level::find_place(Hash hash, Place& place) const noexcept {
  const std::uint64_t g = fmix64(static_cast<std::uint64_t>(hash) + seed);
  place.start = places.start(g);
  place.check = RibbonPlaces::check(g);
  place.coefficients = places.coefficients(g);
  if (!bumps) return true;
  const std::uint32_t bucket = place.start / sizing::kRibbonBucket;
  const auto four = std::to_integer<std::uint32_t>(memory[thresholds_at + bucket / 4]);
  return place.start % sizing::kRibbonBucket >= first_kept((four >> (bucket % 4 * 2)) & 3);
}

inline bool Retrieval::Level::matches(const Place& place, std::uint32_t check_bits) const noexcept {
  std::uint32_t wanted = place.check, left = check_bits;
  if (byte_planes() != 0) {
    // The byte planes come first: after one of them, only one in 256 absent keys remains.
    const ByteMask mask(place.coefficients);
    const std::byte* plane = memory.data() + place.start;
    for (std::uint32_t i = byte_planes(); i > 0; --i, plane += slots, wanted >>= 8, left -= 8) {
      const std::uint32_t difference = (mask.fold(plane) ^ wanted) & 0xff;
      if (left <= 8) return (difference & ((1u << left) - 1)) == 0;
      if (difference != 0) return false;
    }
  }
  const std::uint32_t bits =
      fold_bits(block(place.start / 64), bit_planes() * 8, left, place.start, place.coefficients);
  return ((bits ^ wanted) & ((1u << left) - 1)) == 0;
}

inline std::uint64_t Retrieval::Level::row(const Place& place) const noexcept {
  const std::uint32_t bytes = byte_planes();
  std::uint64_t row = 0;
  if (bytes != 0) {
    const ByteMask mask(place.coefficients);
    const std::byte* plane = memory.data() + place.start;
    for (std::uint32_t i = 0; i < bytes; ++i, plane += slots)
      row |= std::uint64_t{mask.fold(plane)} << (8 * i);
  }
  if (bit_planes() == 0) return row;
  const std::uint32_t bits = fold_bits(block(place.start / 64), bit_planes() * 8, bit_planes(),
                                       place.start, place.coefficients);
  return row | std::uint64_t{bits} << (8 * bytes);
}

inline Retrieval::Found Retrieval::find_place(Hash hash) const noexcept {
  Found found;
  found.level = level_.data();
  while (!found.level->find_place(hash, found.place)) ++found.level;  // the last level bumps no key
  return found;
}

inline bool Retrieval::matches(const Found& found) const noexcept {
  return found.level->matches(found.place, shape_.check_bits);
}

inline bool Retrieval::find(const Found& found, std::uint32_t& value) const noexcept {
  const std::uint64_t row = found.level->row(found.place);
  const std::uint64_t check = (std::uint64_t{1} << shape_.check_bits) - 1;
  const bool is_found = ((row ^ found.place.check) & check) == 0;
  value = is_found ? static_cast<std::uint32_t>(row >> shape_.check_bits) : 0;
  return is_found;
}

TAMIS_INLINE bool Retrieval::matches(Hash hash) const noexcept {
  return count_ != 0 && matches(find_place(hash));
}

TAMIS_INLINE bool Retrieval::find(Hash hash, std::uint32_t& value) const noexcept {
  value = 0;
  return count_ != 0 && find(find_place(hash), value);
}

}  // namespace tamis::detail
