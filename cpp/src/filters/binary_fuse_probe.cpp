// What runs for each key, compiled for speed (bindings/CMakeLists.txt).

#include <tamis/filters/binary_fuse.hpp>

#include <algorithm>

#include <tamis/detail/batch.hpp>

namespace tamis {
namespace {

struct Place {
  FusePlaces::Slots slots;
  std::uint32_t fingerprint;
};

Place place_of(const FusePlaces& places, std::uint64_t g) noexcept {
  return {places.slots(g), FusePlaces::fingerprint(g)};
}

// How slots of kWidth bits are loaded or, for 0, of any width.
template <std::uint32_t kWidth>
struct Layout {
  static bool is_in(const detail::PackedArray& slots, std::uint32_t arity,
                    const Place& place) noexcept {
    const FusePlaces::Slots& at = place.slots;
    std::uint32_t sum =
        place.fingerprint ^ load(slots, at[0]) ^ load(slots, at[1]) ^ load(slots, at[2]);
    if (arity == 4) sum ^= load(slots, at[3]);
    return (sum & slots.max()) == 0;
  }

 private:
  static std::uint32_t load(const detail::PackedArray& slots, std::uint64_t slot) noexcept {
    if constexpr (kWidth == 0) return static_cast<std::uint32_t>(slots.load(slot * slots.width()));
    // These become aligned loads of 1, 2 or 4 bytes, which are never in two lines.
    constexpr auto kMask = static_cast<std::uint32_t>((std::uint64_t{1} << kWidth) - 1);
    return static_cast<std::uint32_t>(slots.load(slot * kWidth)) & kMask;
  }
};

}  // namespace

template <class Probe>
inline auto BinaryFuseFilter::with_layout(Probe probe) const noexcept {
  switch (slots_.width()) {
    case 8:
      return probe(Layout<8>());
    case 16:
      return probe(Layout<16>());
    case 32:
      return probe(Layout<32>());
    default:
      return probe(Layout<0>());
  }
}

bool BinaryFuseFilter::may_contain(Hash hash) const noexcept {
  if (count_ == 0) return false;
  const Place place = place_of(places_, hasher_.mix(hash));
  return with_layout([&](auto layout) { return layout.is_in(slots_, arity_, place); });
}

void BinaryFuseFilter::may_contain(std::span<const std::uint64_t> hashes,
                                   std::uint8_t* answers) const noexcept {
  if (count_ == 0) {
    std::fill_n(answers, hashes.size(), std::uint8_t{0});
    return;
  }
  with_layout([&](auto layout) {
    detail::probe_in_batches(
        hashes, answers, [&](Hash hash) { return place_of(places_, hasher_.mix(hash)); },
        [&](const Place& place) { return layout.is_in(slots_, arity_, place); });
  });
}

// In the order of the keys' first slots memory is fast, and one way to load for all widths will do.
bool BinaryFuseFilter::contains(std::span<const std::uint64_t> mixed) const noexcept {
  bool has_all = true;
  for (const std::uint64_t g : mixed)
    has_all &= Layout<0>::is_in(slots_, arity_, place_of(places_, g));
  return has_all;
}

Status BinaryFuseFilter::validate() const noexcept {
  const bool is_valid =
      slots_.is_valid() && slots_.count_nonzero() <= count_ && count_ <= slots_.size();
  return is_valid ? Status::kOk : Status::kCorrupt;
}

}  // namespace tamis
