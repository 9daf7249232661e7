// tamis/detail/retrieval.hpp - stores a row of 1 to 64 bits for each of n hashes, without storing
// the hashes. RibbonFilter, BloomierMap and ExactFilter are built on it.
//
// A row is (value << check_bits) | check. The check bits are computed from the hash, so a hash that
// was not stored is detected with probability 1 - 2^-check_bits. The rows are the solution of a
// linear system over GF(2), in which each hash gives one equation of 64 neighbouring slots. The
// system is a bumped ribbon (Dillinger, Huebschle-Schneider, Sanders and Walzer, SEA 2022). The
// last or only level tries seeds until one bumps no key (FORMAT.md "ribbon").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tamis/detail/buffer.hpp>
#include <tamis/detail/isa.hpp>
#include <tamis/hash.hpp>
#include <tamis/hash/hash_records.hpp>
#include <tamis/sizing/ribbon.hpp>
#include <tamis/status.hpp>
#include <tamis/wire.hpp>

namespace tamis::detail {

// The start and the coefficients of a key with hash g, in a level of `slots` slots. The class does
// not need a level, so that tests can use the largest sizes.
class RibbonPlaces {
 public:
  RibbonPlaces() noexcept = default;
  explicit RibbonPlaces(std::uint32_t slots) noexcept
      : existing_(slots < 64 ? (std::uint64_t{1} << slots) - 1 : ~std::uint64_t{0}),
        starts_(static_cast<std::uint32_t>(sizing::ribbon_starts(slots))) {}

  [[nodiscard]] std::uint32_t starts() const noexcept { return starts_; }
  [[nodiscard]] std::uint32_t start(std::uint64_t g) const noexcept {
    return static_cast<std::uint32_t>(((g >> 32) * starts_) >> 32);
  }
  // The product's low half depends on few bits of g, so its high half is XORed in. Bit 0 is the
  // pivot: it is always 1.
  [[nodiscard]] std::uint64_t coefficients(std::uint64_t g) const noexcept {
    const std::uint64_t product = g * 0x9e3779b97f4a7c15;
    return ((product ^ (product >> 32)) | 1) & existing_;
  }
  // The high half of a second product; its low bits are the check bits of g. A check bit must not
  // be a linear function of the coefficients over GF(2), as bit 1 of g is: the slots would encode
  // that function, and would not distinguish keys.
  [[nodiscard]] static std::uint32_t check(std::uint64_t g) noexcept {
    return static_cast<std::uint32_t>((g * 0xd1342543de82ef95) >> 32);
  }

  friend bool operator==(const RibbonPlaces&, const RibbonPlaces&) noexcept = default;

 private:
  std::uint64_t existing_ = 0;  // a mask of the slots that exist, up to 64
  std::uint32_t starts_ = 0;
};

class Retrieval {
 public:
  // The widths of a row's two parts. Each is 0 to 32; at least one is above 0.
  struct Shape {
    std::uint32_t value_bits;
    std::uint32_t check_bits;

    [[nodiscard]] constexpr std::uint32_t width() const noexcept { return value_bits + check_bits; }
    [[nodiscard]] constexpr bool is_valid() const noexcept {
      return value_bits <= 32 && check_bits <= 32 && width() != 0;
    }
    friend bool operator==(const Shape&, const Shape&) noexcept = default;
  };
  static constexpr std::uint32_t kMaxLevels = sizing::kMaxRibbonLevels;
  static constexpr std::uint32_t kRecordBytes = 8;  // per level

  // Builds the rows of the hashes h. Hashes may repeat. Values must be below 2^value_bits unless
  // value_bits is 0. Level j uses the seeds of part first_part + j (attempt_seed). After a success,
  // the count() distinct hashes are at the front of `records`, in another order; after a failure,
  // the content of `records` is undefined. Returns kConflict if a hash has several values, and sets
  // `conflicts` to the number of such hashes; otherwise sets it to 0. Other failures are
  // kBuildFailed, kTooLarge, kOutOfMemory, and kInvalidOption for an invalid shape.
  [[nodiscard]] static Result<Retrieval> build(HashRecords records, Shape shape, std::uint64_t seed,
                                               std::uint32_t first_part,
                                               std::uint64_t& conflicts) noexcept;

  Retrieval() noexcept;  // an empty structure

  // True if the check bits agree: always for a stored hash, and with a probability of 2^-check_bits
  // for other hashes. An empty structure always returns false.
  TAMIS_PER_ISA [[nodiscard]] bool matches(Hash hash) const noexcept;
  // Returns the same as matches(). Sets `value` to the stored value, or to 0 for false.
  TAMIS_PER_ISA [[nodiscard]] bool find(Hash hash, std::uint32_t& value) const noexcept;
  // The same for many hashes; `answers` gets 1 or 0 for each.
  void matches(std::span<const Hash> hashes, std::uint8_t* answers) const noexcept;
  void find(std::span<const Hash> hashes, std::uint8_t* answers,
            std::uint32_t* values) const noexcept;

  [[nodiscard]] Shape shape() const noexcept { return shape_; }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint32_t levels() const noexcept { return levels_; }
  // The number of slots in all levels.
  [[nodiscard]] std::uint64_t slots() const noexcept;
  // The bytes of thresholds and rows; the records of the levels are extra.
  [[nodiscard]] std::uint64_t size_bytes() const noexcept;
  // The bytes in a file: records, thresholds and rows.
  [[nodiscard]] std::uint64_t payload_bytes() const noexcept {
    return kRecordBytes * levels_ + size_bytes();
  }

  [[nodiscard]] Result<Retrieval> clone() const noexcept;
  // Returns kCorrupt if the levels contradict each other, the count or the shape.
  [[nodiscard]] Status validate() const noexcept;
  void write(ByteWriter& out) const noexcept;
  // Reads this structure's part from the front of `in`. Returns kCorrupt or kOutOfMemory.
  [[nodiscard]] static Result<Retrieval> read(ByteReader& in, Shape shape, std::uint64_t count,
                                              std::uint64_t seed,
                                              std::uint32_t first_part) noexcept;
  friend bool operator==(const Retrieval&, const Retrieval&) noexcept = default;

 private:
  class Echelon;
  class Builder;

  // The place of a key's row, which is the XOR of the slots start + i for all set coefficients i.
  struct Place {
    std::uint64_t coefficients;
    std::uint32_t start;
    std::uint32_t check;  // its low bits are the check bits
  };

  struct Level {
    // Byte planes, bit planes and thresholds, in this order. After each kind of planes, 64 zeros
    // ensure that loads of 64 bytes never pass the end.
    Buffer<std::byte> memory;
    std::uint64_t seed = 0;  // the seed from which this level computes g
    RibbonPlaces places;
    std::size_t bits_at = 0;
    std::size_t thresholds_at = 0;
    std::uint32_t slots = 0;
    std::uint32_t width = 0;
    std::uint16_t attempt = 0;
    bool bumps = false;

    [[nodiscard]] static Result<Level> zeroed(std::uint32_t slots, std::uint32_t width,
                                              bool bumps) noexcept;
    void set_seed(std::uint64_t seed, std::uint32_t part, std::uint32_t attempt) noexcept;
    [[nodiscard]] Result<Level> clone() const noexcept;

    [[nodiscard]] std::uint32_t byte_planes() const noexcept { return width / 8; }
    [[nodiscard]] std::uint32_t bit_planes() const noexcept { return width % 8; }
    [[nodiscard]] std::size_t threshold_bytes() const noexcept {
      return bumps ? static_cast<std::size_t>(sizing::ribbon_threshold_bytes(slots)) : 0;
    }
    [[nodiscard]] std::uint64_t data_bytes() const noexcept {
      return sizing::ribbon_level_bytes(slots, width, bumps);
    }
    // The bit planes of 64 slots: one word for each plane.
    [[nodiscard]] std::byte* block(std::size_t i) noexcept {
      return memory.data() + bits_at + i * bit_planes() * 8;
    }
    [[nodiscard]] const std::byte* block(std::size_t i) const noexcept {
      return memory.data() + bits_at + i * bit_planes() * 8;
    }

    // The first start in a bucket that is kept at this threshold. Thresholds 0 to 3 keep no start,
    // all but the first 38, all but the first 17, and all.
    [[nodiscard]] static std::uint32_t first_kept(std::uint32_t threshold) noexcept {
      constexpr std::uint32_t kBytes = 128 | 38 << 8 | 17 << 16;  // a byte per threshold, 0 last
      return (kBytes >> (8 * threshold)) & 0xff;
    }

    // False if the key was bumped to the next level.
    [[nodiscard]] bool find_place(Hash hash, Place& place) const noexcept;
    TAMIS_PER_ISA [[nodiscard]] bool matches(const Place& place,
                                             std::uint32_t check_bits) const noexcept;
    TAMIS_PER_ISA [[nodiscard]] std::uint64_t row(const Place& place) const noexcept;

    // Makes every bucket keep all its keys. set_threshold() then lowers single thresholds.
    void keep_all() noexcept;
    void set_threshold(std::uint32_t bucket, std::uint32_t threshold) noexcept {
      memory[thresholds_at + bucket / 4] &=
          ~static_cast<std::byte>((3 ^ threshold) << (bucket % 4 * 2));
    }
    [[nodiscard]] std::size_t buckets() const noexcept {
      return (std::size_t{places.starts()} + sizing::kRibbonBucket - 1) / sizing::kRibbonBucket;
    }

    friend bool operator==(const Level&, const Level&) noexcept = default;

    void write(ByteWriter& out) const noexcept;
    // Reads the level. Returns false if a bit past the end of the thresholds or rows is set.
    [[nodiscard]] bool read(std::span<const std::byte> data) noexcept;
  };

  // The level that contains a key's row, and the place of the row in this level.
  struct Found {
    const Level* level;
    Place place;
  };
  // The caller makes sure that the structure is not empty.
  [[nodiscard]] Found find_place(Hash hash) const noexcept;
  [[nodiscard]] auto places() const noexcept;
  TAMIS_PER_ISA [[nodiscard]] bool matches(const Found& found) const noexcept;
  TAMIS_PER_ISA [[nodiscard]] bool find(const Found& found, std::uint32_t& value) const noexcept;

  std::array<Level, kMaxLevels> level_;
  std::uint32_t levels_ = 1;
  Shape shape_{0, 1};
  std::uint64_t count_ = 0;
};

}  // namespace tamis::detail

#ifndef __wasm__
#include <tamis/detail/retrieval_inline.hpp>
#endif
