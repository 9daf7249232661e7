// tamis/filters/cuckoo.hpp - cuckoo filter: a fingerprint of each key in one of two buckets.
//
// Choose it for a set in which keys come and go. If no key is deleted, BloomFilter is smaller and
// BlockedBloomFilter is faster.
//
//   memory     f bits a slot. With buckets of 4 slots, 94.5 % of the slots are used: 10.6 bits a
//              key at 1 %, 12.7 at 0.19 %, 16.9 at 0.012 %. Small filters need more slots, and
//              filters with buckets of 1 or 2 slots need many more
//   insert     writes one slot; near capacity it first searches for keys that can move (Fan et al.
//              2014)
//   query      reads two buckets without a branch between them. A bucket of up to 64 bits is one
//              unaligned load
//   never      reports a key as absent that was inserted and not erased since. A full filter keeps
//              all its keys
//   full       an insert that finds no room returns kFull and changes nothing. `capacity` distinct
//              keys fit, except for about one seed in a million. Each copy of a key uses a slot;
//              with b slots a bucket, copy 2 b + 1 of a key is kFull
//   undefined  erasing a key that was never inserted but is probably present: it removes another
//              key
//   wire       type id 9, FORMAT.md "cuckoo"
//
// Fan, Andersen, Kaminsky and Mitzenmacher, CoNEXT 2014.
#pragma once

#include <bit>

#include <tamis/concepts.hpp>
#include <tamis/detail/packed_array.hpp>
#include <tamis/sizing/cuckoo.hpp>

namespace tamis {

// Computes the fingerprint and the two buckets of a key, for any even number of buckets m. The
// partner of bucket i is r - i modulo m, where the odd number r depends only on the fingerprint. So
// a bucket is never its own partner, and partners are mutual. The class does not need a filter, so
// that tests can use the largest tables.
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
  // The fingerprint, 1 to 2^f - 1; 0 marks an empty slot.
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
  // r: an odd number in 1..m-1 for each fingerprint. The high part of `spread` is the fingerprint,
  // so that all pairs of buckets are equally likely in small tables; its low part is noise. If one
  // multiplication made the noise, r would be linear in the fingerprint and have few different sums
  // and differences. A search in a large table would then reach the same buckets again: with f = 4
  // and 2^18 buckets, a table would be full at load 0.80 instead of 0.96. The multipliers are from
  // splitmix64 and fmix64; with this pair, the shortest fingerprints have different r.
  [[nodiscard]] std::uint32_t odd(std::uint32_t fingerprint) const noexcept {
    std::uint64_t noise = fingerprint * 0x94d049bb133111eb;
    noise = (noise ^ (noise >> 32)) * 0xc4ceb9fe1a85ec53;
    const std::uint64_t spread =
        (std::uint64_t{fingerprint} << 32 | noise >> 32) >> fingerprint_bits_;
    return 2 * static_cast<std::uint32_t>((spread * (buckets_ / 2)) >> 32) + 1;
  }

  std::uint32_t buckets_;
  std::uint32_t fingerprint_bits_;
  std::uint64_t fingerprints_;  // the number of fingerprints, 2^f - 1
};

class CuckooFilter : public Keyed<CuckooFilter> {
 public:
  static constexpr FilterType kType = FilterType::kCuckooFilter;
  using Keyed::insert, Keyed::insert_if_absent, Keyed::erase, Keyed::may_contain;

  // Options: either capacity and fpr, or capacity and fingerprint_bits.
  struct Config {
    std::uint64_t capacity = 0;
    double fpr = 0.01;
    std::uint32_t fingerprint_bits = 0;  // 4 to 32; if set, fpr is ignored
    std::uint32_t bucket_size = 4;       // 1, 2, 4 or 8
    Hasher hasher{};

    auto fields() noexcept { return std::tie(capacity, fpr, fingerprint_bits, bucket_size); }
  };

  // Returns kInvalidOption (also for a rate that needs more than 32 bits), kTooLarge or
  // kOutOfMemory.
  [[nodiscard]] static Result<CuckooFilter> create(const Config& config) noexcept;
  [[nodiscard]] static Result<std::uint64_t> size_for(const Config& config) noexcept;

  // Adds one copy of the key. If it returns kFull, nothing changed.
  Result<bool> insert(Hash hash) noexcept;
  // Adds many keys in order, in less time than one by one, and returns how many were certainly new.
  // If it returns kFull, the filter contains the keys before the first one that found no room, and
  // no later ones.
  Result<std::uint64_t> insert(std::span<const Hash> hashes) noexcept;
  // If the key is certainly absent, adds it and returns true, or returns kFull. Otherwise it
  // changes nothing and returns false.
  Result<bool> insert_if_absent(Hash hash) noexcept;
  // Removes one copy. Returns false if the key is certainly absent.
  bool erase(Hash hash) noexcept;
  [[nodiscard]] bool may_contain(Hash hash) const noexcept;
  void may_contain(std::span<const Hash> hashes, std::uint8_t* answers) const noexcept;

  // The number of keys in the filter; each copy counts.
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
  // The mean rate of a filter that contains count() distinct keys.
  [[nodiscard]] double estimated_fpr() const noexcept;

  void clear() noexcept {
    slots_.clear();
    count_ = 0;
  }
  [[nodiscard]] Result<CuckooFilter> clone() const noexcept;
  [[nodiscard]] Result<CuckooFilter> empty_copy() const noexcept;
  // Returns kCorrupt if the number of used slots differs from the count, or if a bit past the end
  // is set.
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
  // The functions below have the members of a Home as parameters, because WebAssembly would pass a
  // struct in memory.
  [[nodiscard]] bool is_in_words(std::uint32_t first, std::uint32_t second,
                                 std::uint32_t fingerprint) const noexcept;
  [[nodiscard]] Status put(std::uint32_t first, std::uint32_t second,
                           std::uint32_t fingerprint) noexcept;
  // The first bit of the first slot that `zero_lanes` marks, in the word that begins at `bit`.
  [[nodiscard]] std::uint64_t slot_of(std::uint64_t bit, std::uint64_t zero_lanes) const noexcept {
    return bit + static_cast<unsigned>(std::countr_zero(zero_lanes)) + 1 - fingerprint_bits();
  }
  // The first bit of the bucket's first slot with this fingerprint (0: a free slot), or kNoSlot.
  [[nodiscard]] std::uint64_t find(std::uint32_t bucket, std::uint32_t fingerprint) const noexcept;
  // The first bit of the first free slot in the two buckets, or kNoSlot.
  [[nodiscard]] std::uint64_t find_free(std::uint32_t first, std::uint32_t second) const noexcept;
  // Frees a slot in one of the two buckets by moving keys to their other buckets, and returns its
  // first bit. If it returns kNoSlot, nothing moved.
  [[nodiscard]] std::uint64_t make_room(std::uint32_t first, std::uint32_t second) noexcept;
  [[nodiscard]] std::uint64_t zero_lanes(std::uint64_t word) const noexcept;
  // zero_lanes() of (word XOR `wanted`), for the word that begins at this bit of the slots.
  [[nodiscard]] std::uint64_t match(std::uint64_t bit, std::uint64_t wanted) const noexcept;

  detail::PackedArray slots_;
  CuckooPlaces places_;
  std::uint32_t bucket_size_ = 1;
  // A bucket is loaded as `words_` words of `word_bits_` bits, with one lane for each slot. In
  // lows_ the lowest bit of each lane is set, in highs_ the highest.
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
