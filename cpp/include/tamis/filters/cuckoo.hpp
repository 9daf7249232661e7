// tamis/filters/cuckoo.hpp - cuckoo filter: a fingerprint of each key in one of two buckets.
//
// Choose it for a set with keys that come and go. If no key is deleted, BloomFilter is smaller and
// BlockedBloomFilter is faster.
//
//   memory     f bits a slot, 94.5 % of them used with buckets of 4: 10.6 bits a key at 1 %, 12.7
//              at 0.19 %, 16.9 at 0.012 %. Small filters have more room, those with buckets of 1
//              or 2 much more
//   insert     writes one slot; near capacity it searches for slots with keys that can move (Fan et
//              al. 2014)
//   query      reads two buckets by one unaligned load each up to 64 bits, without a branch between
//   never      reports a key as absent that was inserted and not erased since; a full filter loses
//              no key
//   full       an insert that finds no room is kFull and changes nothing. `capacity` distinct keys
//              fit, except for about one seed in a million. Each copy takes a slot; copy 2 b + 1
//              of a key is kFull
//   undefined  erasing a key that is probably present and was never inserted removes another key
//   wire       type id 9, FORMAT.md "cuckoo"
//
// Fan, Andersen, Kaminsky and Mitzenmacher, CoNEXT 2014.
#pragma once

#include <bit>

#include <tamis/concepts.hpp>
#include <tamis/detail/packed_array.hpp>
#include <tamis/sizing/cuckoo.hpp>

namespace tamis {

// The fingerprint and the two buckets of a key, for any even number of buckets. The partner of
// bucket i is r - i modulo m. The odd number r follows from the fingerprint alone. So i and its
// partner are never equal, and each is the other's partner. The class is free of the filter, so
// that tests reach the largest tables.
class CuckooPlaces {
 public:
  CuckooPlaces(std::uint32_t buckets, std::uint32_t fingerprint_bits) noexcept
      : buckets_(buckets),
        fingerprint_bits_(fingerprint_bits),
        fingerprints_((std::uint64_t{1} << fingerprint_bits) - 1) {}

  [[nodiscard]] std::uint32_t buckets() const noexcept { return buckets_; }
  [[nodiscard]] std::uint32_t fingerprint_bits() const noexcept { return fingerprint_bits_; }

  [[nodiscard]] std::uint32_t first(std::uint64_t g) const noexcept {
    return static_cast<std::uint32_t>(((g >> 32) * buckets_) >> 32);
  }
  // The fingerprint, 1 to 2^f - 1. An empty slot is 0.
  [[nodiscard]] std::uint32_t fingerprint(std::uint64_t g) const noexcept {
    return static_cast<std::uint32_t>(((g & 0xffffffff) * fingerprints_) >> 32) + 1;
  }
  [[nodiscard]] std::uint32_t partner(std::uint32_t bucket,
                                      std::uint32_t fingerprint) const noexcept {
    const std::uint32_t sum = odd(fingerprint);
    return sum - bucket + (sum < bucket ? buckets_ : 0);
  }

  friend bool operator==(const CuckooPlaces&, const CuckooPlaces&) noexcept = default;

 private:
  // The number r in 1..m-1. Its high part is the fingerprint, so that all pairs of buckets are
  // equally likely in small tables. Its low part is noise. One multiplication alone would make r
  // linear in the fingerprint. Then the sums and differences of r would be few, and a search in a
  // large table would reach the same buckets again. With f = 4 and 2^18 buckets such a table is
  // full at load 0.80, and with noise at 0.96. The multipliers are those of splitmix64 and fmix64.
  // This pair keeps the r of the shortest fingerprints apart.
  [[nodiscard]] std::uint32_t odd(std::uint32_t fingerprint) const noexcept {
    std::uint64_t noise = fingerprint * 0x94d049bb133111eb;
    noise = (noise ^ (noise >> 32)) * 0xc4ceb9fe1a85ec53;
    const std::uint64_t spread =
        (std::uint64_t{fingerprint} << 32 | noise >> 32) >> fingerprint_bits_;
    return 2 * static_cast<std::uint32_t>((spread * (buckets_ / 2)) >> 32) + 1;
  }

  std::uint32_t buckets_;
  std::uint32_t fingerprint_bits_;
  std::uint64_t fingerprints_;  // 2^f - 1
};

class CuckooFilter : public Keyed<CuckooFilter> {
 public:
  static constexpr FilterType kType = FilterType::kCuckooFilter;
  using Keyed::insert, Keyed::insert_if_absent, Keyed::erase, Keyed::may_contain;

  // Options: either capacity and fpr, or capacity and fingerprint_bits.
  struct Config {
    std::uint64_t capacity = 0;
    double fpr = 0.01;
    std::uint32_t fingerprint_bits = 0;  // 4 to 32; then fpr is not read
    std::uint32_t bucket_size = 4;       // 1, 2, 4 or 8
    Hasher hasher{};

    auto fields() noexcept { return std::tie(capacity, fpr, fingerprint_bits, bucket_size); }
  };

  // Returns kInvalidOption, also for a rate that needs more than 32 bits, kTooLarge or
  // kOutOfMemory.
  [[nodiscard]] static Result<CuckooFilter> create(const Config& config) noexcept;
  [[nodiscard]] static Result<std::uint64_t> size_for(const Config& config) noexcept;

  // Adds one copy of the key. If it returns kFull, nothing changed.
  Result<bool> insert(Hash hash) noexcept;
  // Adds many keys in less time, in their order, and returns how many were certainly new. If it
  // returns kFull, the keys before the first that found no room are in, and no others.
  Result<std::uint64_t> insert(std::span<const Hash> hashes) noexcept;
  // Adds the key and returns true if it is certainly absent. Otherwise it changes nothing and
  // returns false. Returns kFull.
  Result<bool> insert_if_absent(Hash hash) noexcept;
  // Removes one copy, and returns false if there is none.
  bool erase(Hash hash) noexcept;
  [[nodiscard]] bool may_contain(Hash hash) const noexcept;
  void may_contain(std::span<const Hash> hashes, std::uint8_t* answers) const noexcept;

  // The number of copies in the filter.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint64_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::uint32_t buckets() const noexcept { return places_.buckets(); }
  [[nodiscard]] std::uint32_t bucket_size() const noexcept { return bucket_size_; }
  [[nodiscard]] std::uint32_t fingerprint_bits() const noexcept {
    return places_.fingerprint_bits();
  }
  [[nodiscard]] double load_factor() const noexcept {
    return static_cast<double>(count_) / static_cast<double>(slots_.size());
  }
  [[nodiscard]] const Hasher& hasher() const noexcept { return hasher_; }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return slots_.size_bytes(); }

  [[nodiscard]] double fpr() const noexcept;
  // The mean rate of a filter with this number of distinct keys.
  [[nodiscard]] double estimated_fpr() const noexcept;

  void clear() noexcept {
    slots_.clear();
    count_ = 0;
  }
  [[nodiscard]] Result<CuckooFilter> clone() const noexcept;
  [[nodiscard]] Result<CuckooFilter> empty_copy() const noexcept;
  // Returns kCorrupt if the number of used slots is not the count, or if a bit past the end is set.
  [[nodiscard]] Status validate() const noexcept;

  [[nodiscard]] Header header() const noexcept;
  void write(ByteWriter& out) const noexcept;
  [[nodiscard]] static Result<CuckooFilter> read(Container& from) noexcept;
  friend bool operator==(const CuckooFilter&, const CuckooFilter&) noexcept = default;

 private:
  class Search;
  struct Home {
    std::uint32_t first;
    std::uint32_t second;
    std::uint32_t fingerprint;
  };
  static constexpr std::uint64_t kNoSlot = ~std::uint64_t{0};

  CuckooFilter(detail::PackedArray&& slots, std::uint32_t buckets, std::uint32_t bucket_size,
               std::uint64_t capacity, std::uint64_t count, const Hasher& hasher) noexcept;

  [[nodiscard]] Home home_of(Hash hash) const noexcept;
  [[nodiscard]] auto homes() const noexcept;
  [[nodiscard]] bool is_in(const Home& home) const noexcept;
  // These functions take the parts of a Home, because WebAssembly passes a struct in memory.
  [[nodiscard]] bool is_in_words(std::uint32_t first, std::uint32_t second,
                                 std::uint32_t fingerprint) const noexcept;
  [[nodiscard]] Status put(std::uint32_t first, std::uint32_t second,
                           std::uint32_t fingerprint) noexcept;
  // The first bit of a slot: that of the first zero lane of the word that begins at `bit`.
  [[nodiscard]] std::uint64_t slot_of(std::uint64_t bit, std::uint64_t zero_lanes) const noexcept {
    return bit + static_cast<unsigned>(std::countr_zero(zero_lanes)) + 1 - fingerprint_bits();
  }
  // The first slot of the bucket that holds this fingerprint, or kNoSlot. 0 finds a free slot.
  [[nodiscard]] std::uint64_t find(std::uint32_t bucket, std::uint32_t fingerprint) const noexcept;
  // The first free slot of the two buckets, or kNoSlot.
  [[nodiscard]] std::uint64_t find_free(std::uint32_t first, std::uint32_t second) const noexcept;
  // Frees a slot of either bucket by moving others. If it returns kNoSlot, nothing moved.
  [[nodiscard]] std::uint64_t make_room(std::uint32_t first, std::uint32_t second) noexcept;
  [[nodiscard]] std::uint64_t zero_lanes(std::uint64_t word) const noexcept;
  // Marks the zero lanes of X XOR `wanted`. X is the word that begins at this bit of the slots.
  [[nodiscard]] std::uint64_t match(std::uint64_t bit, std::uint64_t wanted) const noexcept;

  detail::PackedArray slots_;
  CuckooPlaces places_;
  std::uint32_t bucket_size_ = 1;
  // A bucket is loaded in `words_` words of `word_bits_` bits, with one lane of a word for each slot.
  // lows_ has the lowest bit of each lane, and highs_ the highest.
  std::uint32_t words_ = 1;
  std::uint32_t word_bits_ = 0;
  std::uint64_t lows_ = 0;
  std::uint64_t highs_ = 0;
  std::uint64_t capacity_ = 0;
  std::uint64_t count_ = 0;
  Hasher hasher_;
};

static_assert(DeletableFilter<CuckooFilter>);

}  // namespace tamis

#ifndef __wasm__
#include <tamis/filters/cuckoo_inline.hpp>
#endif
