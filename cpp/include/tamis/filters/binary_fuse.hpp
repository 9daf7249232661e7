// tamis/filters/binary_fuse.hpp - binary fuse filter: a static filter with fast look-ups.
//
// Choose it if speed matters most. RibbonFilter is smaller, with slower look-ups.
//
//   memory     for each fingerprint bit, 1.08 bits a key from 10^6 keys on, 1.13 with arity 3.
//              Below 10^5 keys the default arity is 3: 1.2 bits at 10^4, 1.35 at 10^3, 1.6 at 100
//   build      reorders the hashes in place, and uses 12 bytes a slot while it runs
//   query      reads as many slots as the arity (3 or 4), each in its own cache line, without a
//              branch between them. Fingerprints of 8, 16 and 32 bits are the fastest
//   never      reports a key of the list as absent
//   undefined  no call. The rate with r fingerprint bits is 2^-r; without keys it is 0
//   wire       type id 10, FORMAT.md "binary-fuse"
//
// Graf and Lemire, ACM J. Exp. Algorithmics 27, 2022.
#pragma once

#include <array>

#include <tamis/concepts.hpp>
#include <tamis/detail/packed_array.hpp>
#include <tamis/sizing/binary_fuse.hpp>

namespace tamis {

// Computes the fingerprint and the slots of a key. Slot 0 can be in any segment but the last
// `arity` - 1, and slot i is in the i-th segment after that of slot 0. The class does not need a
// filter, so that tests can use the largest tables.
class FusePlaces {
 public:
  using Slots = std::array<std::uint32_t, 4>;

  FusePlaces(sizing::FuseShape shape) noexcept
      : first_slots_(shape.segments << shape.segment_log),
        segment_slots_(1u << shape.segment_log) {}

  [[nodiscard]] static std::uint32_t fingerprint(std::uint64_t g) noexcept {
    return static_cast<std::uint32_t>(g ^ (g >> 32));
  }
  // Returns the slots in the first `arity` entries. Slot 0 comes from the highest bits of g, but g
  // has too few bits for all slots. The others come from bits of a product, so that slot 0 and the
  // fingerprint do not determine them.
  [[nodiscard]] Slots slots(std::uint64_t g) const noexcept {
    const auto first = static_cast<std::uint32_t>(((g >> 32) * first_slots_) >> 32);
    const std::uint64_t spread = g * 0x9e3779b97f4a7c15;
    const auto field = [&](unsigned shift) {
      return static_cast<std::uint32_t>(spread >> shift) & (segment_slots_ - 1);
    };
    return {first, (first + segment_slots_) ^ field(46), (first + 2 * segment_slots_) ^ field(28),
            (first + 3 * segment_slots_) ^ field(10)};
  }

  friend bool operator==(const FusePlaces&, const FusePlaces&) noexcept = default;

 private:
  std::uint32_t first_slots_;
  std::uint32_t segment_slots_;
};

class BinaryFuseFilter : public Keyed<BinaryFuseFilter> {
 public:
  static constexpr FilterType kType = FilterType::kBinaryFuseFilter;
  using Keyed::may_contain;

  // Options: either fpr or fingerprint_bits. build() counts the distinct keys.
  struct Config {
    std::uint64_t capacity = 0;  // only size_for() uses it
    double fpr = 0.01;
    std::uint32_t fingerprint_bits = 0;  // 1 to 32; if set, fpr is ignored
    std::uint32_t arity = 0;             // 3 or 4; 0 chooses by the number of keys
    Hasher hasher{};

    auto fields() noexcept { return std::tie(capacity, fpr, fingerprint_bits, arity); }
  };

  // Builds the filter from these hashes. Returns kInvalidOption (also for a rate that needs more
  // than 32 bits), kTooLarge, kOutOfMemory or kBuildFailed.
  [[nodiscard]] static Result<BinaryFuseFilter> build(const Config& config,
                                                      std::span<std::uint64_t> hashes) noexcept;
  // The bytes of the slots for `capacity` distinct keys. With a few seeds, build() needs a larger
  // table. Returns kInvalidOption or kTooLarge.
  [[nodiscard]] static Result<std::uint64_t> size_for(const Config& config) noexcept;

  [[nodiscard]] bool may_contain(Hash hash) const noexcept;
  void may_contain(std::span<const Hash> hashes, std::uint8_t* answers) const noexcept;

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint64_t capacity() const noexcept { return count_; }
  [[nodiscard]] std::uint32_t fingerprint_bits() const noexcept { return slots_.width(); }
  [[nodiscard]] std::uint32_t arity() const noexcept { return arity_; }
  [[nodiscard]] sizing::FuseShape shape() const noexcept { return shape_; }
  // The hasher, with the seed that the build found.
  [[nodiscard]] const Hasher& hasher() const noexcept { return hasher_; }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return slots_.size_bytes(); }

  [[nodiscard]] double fpr() const noexcept;
  [[nodiscard]] double estimated_fpr() const noexcept { return count_ == 0 ? 0 : fpr(); }

  [[nodiscard]] Result<BinaryFuseFilter> clone() const noexcept;
  // Returns kCorrupt if more slots are used than there are keys, or if a bit past the end is set.
  [[nodiscard]] Status validate() const noexcept;

  [[nodiscard]] Header header() const noexcept;
  void write(ByteWriter& out) const noexcept;
  [[nodiscard]] static Result<BinaryFuseFilter> read(Container& from) noexcept;
  friend bool operator==(const BinaryFuseFilter&, const BinaryFuseFilter&) noexcept = default;

 private:
  BinaryFuseFilter(detail::PackedArray&& slots, sizing::FuseShape shape, std::uint32_t arity,
                   std::uint64_t count, const Hasher& hasher) noexcept
      : slots_(std::move(slots)),
        places_(shape),
        shape_(shape),
        arity_(arity),
        count_(count),
        hasher_(hasher) {}

  // The number of bits of a fingerprint. Fails if any option is invalid.
  [[nodiscard]] static Result<std::uint32_t> bits_of(const Config& config) noexcept;
  // Returns kBuildFailed if the hasher's seed does not work, or if hashes repeat. If they repeat,
  // sets `mixed` to the distinct hashes.
  [[nodiscard]] static Result<BinaryFuseFilter> build_once(std::span<std::uint64_t>& mixed,
                                                           sizing::FuseShape shape,
                                                           std::uint32_t arity, std::uint32_t bits,
                                                           const Hasher& hasher) noexcept;
  // Looks up a key in slots of kWidth bits, or of any width if kWidth is 0.
  template <std::uint32_t kWidth>
  [[nodiscard]] bool holds(std::uint64_t g) const noexcept;
  // Looks up a key in slots of the filter's width. It is not inlined, because the code for all
  // widths would make the look-up in 8-bit slots slower.
  [[nodiscard]] bool holds_any(std::uint64_t g) const noexcept;
  template <std::uint32_t kWidth>
  void look_up(std::span<const Hash> hashes, std::uint8_t* answers) const noexcept;
  // True if the filter contains all of these hashes, which are already mixed.
  [[nodiscard]] bool contains(std::span<const std::uint64_t> mixed) const noexcept;

  detail::PackedArray slots_;
  FusePlaces places_;
  sizing::FuseShape shape_;
  std::uint32_t arity_;
  std::uint64_t count_;
  Hasher hasher_;
};

static_assert(StaticFilter<BinaryFuseFilter>);

}  // namespace tamis

#ifndef __wasm__
#include <tamis/filters/binary_fuse_inline.hpp>
#endif
