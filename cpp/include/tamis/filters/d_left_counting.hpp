// tamis/filters/d_left_counting.hpp - d-left counting Bloom filter: a set of keys that can be
// removed, in half the bits of a counting Bloom filter.
//
// Choose it if keys come and go, and each is added once or twice. Prefer CuckooFilter if only
// memory matters. Prefer CountingBloomFilter if filters must be merged or filled beyond their
// capacity, or if keys that are added three times or more must stay removable.
//
//   memory     (4/3)(r + 2) bits a key, with r about log2(24 / p) for the rate p: 18.7 bits at 1 %
//   insert     reads four buckets, each in one or two cache lines
//   query      reads the same buckets
//   erase      makes a query, and then writes one cell
//   never      reports an inserted key as absent, even after another inserted key is removed
//   undefined  erasing a key that is probably present but was not inserted: it removes another key
//   wire       type id 8, FORMAT.md "d-left-counting"
//
// Bonomi, Mitzenmacher, Panigrahy, Singh and Varghese, "An improved construction for counting Bloom
// filters", ESA 2006.
#pragma once

#include <array>

#include <tamis/concepts.hpp>
#include <tamis/detail/packed_array.hpp>
#include <tamis/sizing/d_left_counting.hpp>

namespace tamis {

// How far each sub-table shifts the buckets of the fingerprints with the remainder q. The
// fingerprint (b, q) is in bucket (b + shift) mod B of a sub-table, so each sub-table permutes the
// fingerprints. Hence two keys that meet in one sub-table have the same fingerprint and meet in
// all: they share one cell, and a delete cannot remove the wrong one. The function does not need a
// filter, so that tests can try all fingerprints.
[[nodiscard]] constexpr std::array<std::uint32_t, sizing::kDLeftTables> d_left_shifts(
    std::uint32_t remainder, std::uint32_t buckets) noexcept {
  const std::uint64_t mixed = splitmix64(remainder);
  const auto shift = [&](std::uint32_t skip) {
    return static_cast<std::uint32_t>(reduce(mixed << skip, buckets));
  };
  return {0, shift(0), shift(21), shift(42)};
}

class DLeftCountingFilter : public Keyed<DLeftCountingFilter> {
 public:
  static constexpr FilterType kType = FilterType::kDLeftCountingFilter;
  using Keyed::insert, Keyed::may_contain, Keyed::erase, Keyed::count_of;

  struct Config {
    std::uint64_t capacity = 0;
    double fpr = 0.01;
    Hasher hasher{};

    auto fields() noexcept { return std::tie(capacity, fpr); }
  };

  // Returns kInvalidOption, kTooLarge or kOutOfMemory. kInvalidOption includes rates that need
  // remainders of more than 30 bits: rates below 24 / 2^30 (1 / 2^30 if the capacity is tiny).
  [[nodiscard]] static Result<DLeftCountingFilter> create(const Config& config) noexcept;
  [[nodiscard]] static Result<std::uint64_t> size_for(const Config& config) noexcept;

  // Returns kFull, and changes nothing, if the key is new and its four buckets have no free cell.
  // Up to the capacity, that happens for less than one set of keys in a million. A further copy of
  // a key always fits.
  Result<bool> insert(Hash hash) noexcept;
  [[nodiscard]] bool may_contain(Hash hash) const noexcept;
  void may_contain(std::span<const Hash> hashes, std::uint8_t* answers) const noexcept;
  // Removes one copy. If a key ever had three copies, its counter is stuck, and the key can no
  // longer be removed.
  bool erase(Hash hash) noexcept;
  // The number of copies of the key and of other keys with its fingerprint: 0 to 2, or 3 if there
  // were ever three.
  [[nodiscard]] std::uint32_t count_of(Hash hash) const noexcept;

  // The number of copies in the filter: inserts minus erases, from 0 to 2^53 - 1. It includes
  // copies whose counter is stuck.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint64_t capacity() const noexcept { return capacity_; }
  // The number of buckets of each sub-table.
  [[nodiscard]] std::uint32_t buckets() const noexcept {
    return static_cast<std::uint32_t>(cells_.size() / sizing::kDLeftCellsPerIndex);
  }
  [[nodiscard]] std::uint32_t remainder_bits() const noexcept {
    return cells_.width() - kCounterBits;
  }
  [[nodiscard]] const Hasher& hasher() const noexcept { return hasher_; }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return cells_.size_bytes(); }

  [[nodiscard]] double fpr() const noexcept;
  // The rate with the cells that are used now. It reads all cells.
  [[nodiscard]] double estimated_fpr() const noexcept;

  void clear() noexcept {
    cells_.clear();
    count_ = 0;
  }

  [[nodiscard]] Result<DLeftCountingFilter> clone() const noexcept;
  [[nodiscard]] Result<DLeftCountingFilter> empty_copy() const noexcept;
  // Returns kCorrupt if a free cell is not zero, if a bucket contains a remainder twice, or if the
  // counters' sum differs from the count and no counter is stuck. It does not check whether two
  // sub-tables contain the same fingerprint (d_left_counting.cpp says why).
  [[nodiscard]] Status validate() const noexcept;

  [[nodiscard]] Header header() const noexcept;
  void write(ByteWriter& out) const noexcept;
  [[nodiscard]] static Result<DLeftCountingFilter> read(Container& from) noexcept;
  friend bool operator==(const DLeftCountingFilter&, const DLeftCountingFilter&) noexcept = default;

 private:
  static constexpr std::uint32_t kCounterBits = 2;
  static constexpr std::uint32_t kStuck = 3;

  struct Fingerprint {
    std::uint32_t bucket;
    std::uint32_t remainder;
  };
  // The bucket of a fingerprint in each sub-table. Bucket numbers continue from one sub-table to
  // the next.
  using Places = std::array<std::uint32_t, sizing::kDLeftTables>;
  // The word of cells from `cell` on in which a fingerprint was found. In `lane`, bit r of the
  // fingerprint's lane is set; `lane` is 0 if the fingerprint was not found.
  struct Match {
    std::uint32_t cell;
    std::uint64_t lane;
  };

  DLeftCountingFilter(detail::PackedArray&& cells, std::uint64_t capacity, const Hasher& hasher,
                      std::uint64_t count) noexcept;

  [[nodiscard]] Fingerprint fingerprint_of(Hash hash) const noexcept;
  [[nodiscard]] Places places_of(const Fingerprint& fingerprint) const noexcept;
  // The bucket's cells i to i + lanes_ - 1, as they are in memory. The bits above these cells are
  // undefined.
  [[nodiscard]] std::uint64_t word_at(std::uint32_t bucket, std::uint32_t i) const noexcept {
    return cells_.load((std::uint64_t{bucket} * sizing::kDLeftBucketCells + i) * cells_.width());
  }
  // Sets bit r of each lane whose counter is not 0, which means that its cell is used.
  [[nodiscard]] std::uint64_t used(std::uint64_t word) const noexcept {
    return (word | word >> 1) & flags_;
  }
  // Bit r of each lane whose cell is used and contains the remainder. If the remainders differ, the
  // sum carries into bit r, and never further.
  [[nodiscard]] std::uint64_t matches(std::uint64_t word, std::uint32_t remainder) const noexcept {
    const std::uint64_t low = flags_ - ones_;
    const std::uint64_t alike = flags_ & ~(((word ^ remainder * ones_) & low) + low);
    // Most words have no match. Without the hint, newer compilers read the counters of all words.
    if (alike == 0) [[likely]]
      return 0;
    return alike & used(word);
  }
  [[nodiscard]] Match find(const Fingerprint& fingerprint, const Places& places) const noexcept;
  [[nodiscard]] std::uint32_t cell_of(const Match& match) const noexcept;
  [[nodiscard]] std::uint32_t load_of(std::uint32_t bucket) const noexcept;
  // What validate() has found in the cells that it read so far.
  struct Cells {
    std::uint64_t sum = 0;  // the sum of the counters
    bool is_any_stuck = false;
    bool are_valid = true;
  };
  static constexpr std::size_t kTogether = 32;
  void add_buckets(std::uint32_t first, std::uint32_t buckets, Cells& cells) const noexcept;

  detail::PackedArray cells_;
  std::uint32_t lanes_;      // the number of cells in a word
  std::uint64_t ones_ = 0;   // bit 0 of each lane is set
  std::uint64_t flags_ = 0;  // bit r of each lane is set
  std::uint64_t capacity_ = 0;
  std::uint64_t count_ = 0;
  Hasher hasher_;
};

static_assert(DeletableFilter<DLeftCountingFilter>);

}  // namespace tamis
