// tamis/detail/retrieval.hpp - a row of 1 to 64 bits for each of n hashes, without the hashes.
// RibbonFilter, BloomierMap and ExactFilter are made of it.
//
// A row is (value << check_bits) | check. The check bits follow from the hash. So a hash that was
// not stored is detected, except for 2^-check_bits of all. The rows are the solution of a linear
// system over GF(2). Each hash gives one equation of 64 neighbouring slots. It is a bumped ribbon
// (Dillinger, Huebschle-Schneider, Sanders and Walzer, SEA 2022). The last level, or the only one,
// has a searched seed (FORMAT.md "ribbon").
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

// The start and the coefficients of a key with hash g, in a level of this number of slots. The
// class is free of the level, so that tests reach the largest levels.
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
  // The low half of the product depends on few bits of g, so the sum has a second half. Bit 0 is
  // the pivot.
  [[nodiscard]] std::uint64_t coefficients(std::uint64_t g) const noexcept {
    const std::uint64_t product = g * 0x9e3779b97f4a7c15;
    return ((product ^ (product >> 32)) | 1) & existing_;
  }
  // The bits of the row of g that the check bits are taken from: the high half of another product.
  // Bit 1 of g is a linear function of the coefficients over GF(2). If a check bit were such a
  // function too, the slots would hold that function, and would not tell keys apart.
  [[nodiscard]] static std::uint32_t check(std::uint64_t g) noexcept {
    return static_cast<std::uint32_t>((g * 0xd1342543de82ef95) >> 32);
  }

  friend bool operator==(const RibbonPlaces&, const RibbonPlaces&) noexcept = default;

 private:
  std::uint64_t existing_ = 0;  // coefficients of the slots that exist
  std::uint32_t starts_ = 0;
};

class Retrieval {
 public:
  // The widths are 0 to 32 each, and not both 0.
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
  static constexpr std::uint32_t kRecordBytes = 8;  // of each level

  // Builds the rows of the hashes h. Hashes may repeat, and values are below 2^value_bits if that
  // is not 0. After a success, the count() distinct hashes are in front, in another order. After
  // any other result the records are scratch. Level j of this structure is part first_part + j of
  // the seed. Returns kConflict if a hash has several values, and sets `conflicts` to the number of
  // such hashes. All other results set it to 0. Returns kBuildFailed, kTooLarge, kOutOfMemory, or
  // kInvalidOption for a wrong shape.
  [[nodiscard]] static Result<Retrieval> build(HashRecords records, Shape shape, std::uint64_t seed,
                                               std::uint32_t first_part,
                                               std::uint64_t& conflicts) noexcept;

  Retrieval() noexcept;  // nothing is stored

  // True if the check bits agree. It is true for each stored hash, and for others with a
  // probability of 2^-check_bits. It is always false if nothing is stored.
  TAMIS_PER_ISA [[nodiscard]] bool matches(Hash hash) const noexcept;
  // Does the same, and gives the value if it returns true, or 0.
  TAMIS_PER_ISA [[nodiscard]] bool find(Hash hash, std::uint32_t& value) const noexcept;
  // Do the same for many hashes, with 1 or 0 for each.
  void matches(std::span<const Hash> hashes, std::uint8_t* answers) const noexcept;
  void find(std::span<const Hash> hashes, std::uint8_t* answers,
            std::uint32_t* values) const noexcept;

  [[nodiscard]] Shape shape() const noexcept { return shape_; }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint32_t levels() const noexcept { return levels_; }
  // The number of slots of all levels.
  [[nodiscard]] std::uint64_t slots() const noexcept;
  // The bytes of thresholds and rows, without the records.
  [[nodiscard]] std::uint64_t size_bytes() const noexcept;
  // The bytes of records and data in a file.
  [[nodiscard]] std::uint64_t payload_bytes() const noexcept {
    return kRecordBytes * levels_ + size_bytes();
  }

  [[nodiscard]] Result<Retrieval> clone() const noexcept;
  // Returns kCorrupt if the levels do not fit together, the count or the shape.
  [[nodiscard]] Status validate() const noexcept;
  void write(ByteWriter& out) const noexcept;
  // Takes its own part from the front of `in`. Returns kCorrupt or kOutOfMemory.
  [[nodiscard]] static Result<Retrieval> read(ByteReader& in, Shape shape, std::uint64_t count,
                                              std::uint64_t seed,
                                              std::uint32_t first_part) noexcept;
  friend bool operator==(const Retrieval&, const Retrieval&) noexcept = default;

 private:
  class Echelon;
  class Builder;

  // The place of a key's row: the XOR of the slots start + i for each bit i of the coefficients.
  struct Place {
    std::uint64_t coefficients;
    std::uint32_t start;
    std::uint32_t check;  // the hash bits that the check bits are taken from
  };

  struct Level {
    // The memory has byte planes, bit planes, and thresholds. 64 zeros are behind both kinds of
    // planes, so that loads of 64 bytes stay inside.
    Buffer<std::byte> memory;
    std::uint64_t seed = 0;  // of this level's g
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
    // The words of 64 slots' bit planes, one after the other.
    [[nodiscard]] std::byte* block(std::size_t i) noexcept {
      return memory.data() + bits_at + i * bit_planes() * 8;
    }
    [[nodiscard]] const std::byte* block(std::size_t i) const noexcept {
      return memory.data() + bits_at + i * bit_planes() * 8;
    }

    // The first of a bucket's starts that a threshold keeps: none, or those after the classes of 38
    // and of 17 starts, or all.
    [[nodiscard]] static std::uint32_t first_kept(std::uint32_t threshold) noexcept {
      constexpr std::uint32_t kBytes = 128 | 38 << 8 | 17 << 16;  // one for each threshold, 0 last
      return (kBytes >> (8 * threshold)) & 0xff;
    }

    // False if the key went on to the next level.
    [[nodiscard]] bool find_place(Hash hash, Place& place) const noexcept;
    TAMIS_PER_ISA [[nodiscard]] bool matches(const Place& place,
                                             std::uint32_t check_bits) const noexcept;
    TAMIS_PER_ISA [[nodiscard]] std::uint64_t row(const Place& place) const noexcept;

    // Lets every bucket keep all its keys. set_threshold changes that for a bucket.
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
    // Reads the level. False if nothing is stored and `data` is not all zero.
    [[nodiscard]] bool read(std::span<const std::byte> data) noexcept;
  };

  // A key's level, and its place there.
  struct Found {
    const Level* level;
    Place place;
  };
  // The caller makes sure that something is stored.
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
