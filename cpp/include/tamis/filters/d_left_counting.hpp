// tamis/filters/d_left_counting.hpp - d-left counting Bloom filter: a set of keys that can be
// removed, in half the bits of a counting Bloom filter.
//
// Choose it if keys come and go, and each is added once or twice. Prefer CuckooFilter if only
// memory matters. Prefer CountingBloomFilter if filters must be merged, or filled over their
// capacity. Prefer it also if a key can be added three times or more and must still be removable.
//
//   memory     (4/3)(r + 2) bits a key, r about log2(24 / p): 18.7 bits at 1 %
//   insert     reads four buckets, each in one or two cache lines of its own
//   query      reads the same buckets
//   erase      makes a query, and writes one cell
//   never      reports an inserted key as absent; loses a key by removing another that was inserted
//   undefined  erasing a key that is probably present and was not inserted removes another key
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

// The shift of the buckets in each sub-table, for the fingerprints with the remainder q. (b, q)
// lies in bucket (b + shift) mod B of its sub-table. That permutes all fingerprints. So two keys
// that meet in one sub-table have the same fingerprint, and meet in all of them. They share one
// cell, and a delete cannot remove the wrong one. The function is free of the filter, so that tests
// can try all fingerprints.
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

  // Returns kInvalidOption, kTooLarge or kOutOfMemory. kInvalidOption is also for a rate that needs
  // remainders above 30 bits: less than 24 / 2^30, and for a few keys less than 1 / 2^30.
  [[nodiscard]] static Result<DLeftCountingFilter> create(const Config& config) noexcept;
  [[nodiscard]] static Result<std::uint64_t> size_for(const Config& config) noexcept;

  // Returns kFull if the key is new and its four buckets have no free cell; then nothing changed.
  // Within the capacity that happens to fewer than one set of keys in a million. A copy always has
  // room.
  Result<bool> insert(Hash hash) noexcept;
  [[nodiscard]] bool may_contain(Hash hash) const noexcept;
  void may_contain(std::span<const Hash> hashes, std::uint8_t* answers) const noexcept;
  // Removes one copy. The third copy of a key makes its counter stick, and from then on the key
  // stays.
  bool erase(Hash hash) noexcept;
  // The copies of the key, and of any other with its fingerprint: 0 to 2, or 3 if there ever were
  // three.
  [[nodiscard]] std::uint32_t count_of(Hash hash) const noexcept;

  // The copies in the filter, with those behind a stuck counter: inserts less erases, from 0 to
  // 2^53 - 1.
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
  // The rate of the present cells. It takes one pass over them.
  [[nodiscard]] double estimated_fpr() const noexcept;

  void clear() noexcept {
    cells_.clear();
    count_ = 0;
  }

  [[nodiscard]] Result<DLeftCountingFilter> clone() const noexcept;
  [[nodiscard]] Result<DLeftCountingFilter> empty_copy() const noexcept;
  // Returns kCorrupt if a free cell is not zero, or if a bucket holds a remainder twice. It also
  // does so if no counter is stuck and the count is not their sum. It does not check that no two
  // sub-tables hold one fingerprint (d_left_counting.cpp).
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
  // The bucket of a fingerprint in each sub-table. The numbers of a sub-table follow those of the
  // one before.
  using Places = std::array<std::uint32_t, sizing::kDLeftTables>;
  // The word from `cell` on, and the place of the fingerprint in it: bit r of its lane, or 0 for
  // nowhere.
  struct Match {
    std::uint32_t cell;
    std::uint64_t lane;
  };

  DLeftCountingFilter(detail::PackedArray&& cells, std::uint64_t capacity, const Hasher& hasher,
                      std::uint64_t count) noexcept;

  [[nodiscard]] Fingerprint fingerprint_of(Hash hash) const noexcept;
  [[nodiscard]] Places places_of(const Fingerprint& fingerprint) const noexcept;
  // The lanes_ cells of the bucket from its cell i on, as they are in memory. The bits above them
  // are undefined.
  [[nodiscard]] std::uint64_t word_at(std::uint32_t bucket, std::uint32_t i) const noexcept {
    return cells_.load((std::uint64_t{bucket} * sizing::kDLeftBucketCells + i) * cells_.width());
  }
  // Bit r of each lane, the lower bit of the counter. It is set if the cell is in use.
  [[nodiscard]] std::uint64_t used(std::uint64_t word) const noexcept {
    return (word | word >> 1) & flags_;
  }
  // Bit r of each lane that is in use and holds the remainder. A difference carries into bit r at
  // most.
  [[nodiscard]] std::uint64_t matches(std::uint64_t word, std::uint32_t remainder) const noexcept {
    const std::uint64_t low = flags_ - ones_;
    const std::uint64_t alike = flags_ & ~(((word ^ remainder * ones_) & low) + low);
    // Few words have any. Without the hint, newer compilers read the counters of all words.
    if (alike == 0) [[likely]]
      return 0;
    return alike & used(word);
  }
  [[nodiscard]] Match find(const Fingerprint& fingerprint, const Places& places) const noexcept;
  [[nodiscard]] std::uint32_t cell_of(const Match& match) const noexcept;
  [[nodiscard]] std::uint32_t load_of(std::uint32_t bucket) const noexcept;
  // What validate() knows of the cells that it has read.
  struct Cells {
    std::uint64_t sum = 0;  // of the counters
    bool is_any_stuck = false;
    bool are_valid = true;
  };
  static constexpr std::size_t kTogether = 32;
  void add_buckets(std::uint32_t first, std::uint32_t buckets, Cells& cells) const noexcept;

  detail::PackedArray cells_;
  std::uint32_t lanes_;      // cells in a word
  std::uint64_t ones_ = 0;   // bit 0 of each lane
  std::uint64_t flags_ = 0;  // bit r of each lane
  std::uint64_t capacity_ = 0;
  std::uint64_t count_ = 0;
  Hasher hasher_;
};

static_assert(DeletableFilter<DLeftCountingFilter>);

}  // namespace tamis
