// What runs for each key, compiled for speed (bindings/CMakeLists.txt).

#include <tamis/detail/retrieval.hpp>

#include <algorithm>
#include <bit>

#include <tamis/detail/batch.hpp>
#include <tamis/detail/masked_xor.hpp>

namespace tamis::detail {
namespace {

// The XOR of the slots that the coefficients name, in the first `used` bit planes. `step`: bytes to
// the same planes of the next 64 slots.
std::uint32_t fold_bits(const std::byte* words, std::uint32_t step, std::uint32_t used,
                        std::uint32_t start, std::uint64_t coefficients) noexcept {
  const unsigned shift = start % 64;
  const std::uint64_t low = coefficients << shift, high = (coefficients >> 1) >> (63 - shift);
  std::uint32_t bits = 0;
  for (std::uint32_t i = 0; i < used; ++i, words += 8) {
    const std::uint64_t word = (load_le64(words) & low) ^ (load_le64(words + step) & high);
    bits |= (static_cast<std::uint32_t>(std::popcount(word)) & 1) << i;
  }
  return bits;
}

}  // namespace

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
    // Bytes first: where a later one is needed, all but one in 256 absent keys are gone.
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
  while (!found.level->find_place(hash, found.place)) ++found.level;  // the last level bumps none
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

bool Retrieval::matches(Hash hash) const noexcept {
  return count_ != 0 && matches(find_place(hash));
}

bool Retrieval::find(Hash hash, std::uint32_t& value) const noexcept {
  value = 0;
  return count_ != 0 && find(find_place(hash), value);
}

void Retrieval::matches(std::span<const std::uint64_t> hashes,
                        std::uint8_t* answers) const noexcept {
  if (count_ == 0) {
    std::fill_n(answers, hashes.size(), std::uint8_t{0});
    return;
  }
  probe_in_batches(
      hashes, answers, [this](Hash hash) { return find_place(hash); },
      [this](const Found& found) { return matches(found); });
}

void Retrieval::find(std::span<const std::uint64_t> hashes, std::uint8_t* answers,
                     std::uint32_t* values) const noexcept {
  if (count_ == 0) {
    std::fill_n(answers, hashes.size(), std::uint8_t{0});
    std::fill_n(values, hashes.size(), std::uint32_t{0});
    return;
  }
  probe_in_batches(
      hashes, answers, [this](Hash hash) { return find_place(hash); },
      [this, &values](const Found& found) { return find(found, *values++); });
}

}  // namespace tamis::detail
