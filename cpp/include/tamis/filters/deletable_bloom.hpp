// tamis/filters/deletable_bloom.hpp - deletable Bloom filter: a Bloom filter from which many of the
// keys can be removed.
//
// The bits are divided into regions. If a bit of an added key is already set, its region is locked.
// So a set bit in an unlocked region belongs to one key alone, and erase() can clear it. If all
// bits of a key are in locked regions, the key cannot be removed.
//
// Choose it if the bits must be those of a Bloom filter, and if it is acceptable that some deletes
// are refused. Prefer CuckooFilter from 10 bits a key on, or if every key must be removable.
//
//   memory     the m bits of a Bloom filter, plus one bit per region: 10.8 bits a key at 1 % with
//              regions of 8 bits
//   insert     sets k bits, and locks the region of each that was already set
//   query      reads up to k bits
//   erase      reads k bits and their locks
//   deletes    share of the keys that can be deleted at capacity and 1 % (measured): 90 % with
//              regions of 4 bits, 64 % with 8, 20 % with 16, 1 % with 32. Adding a key again locks
//              all its regions
//   never      reports an inserted key as absent unless it was deleted; unlocks a region in erase()
//   undefined  no call. But erasing a false positive clears bits of other keys. With more keys than
//              `capacity` the rate rises (estimated_fpr()), and fewer keys can be deleted
//              (deletable_ratio())
//   wire       type id 5, FORMAT.md "deletable-bloom"
//
// Rothenberg, Macapuna, Verdi and Magalhaes, IEEE Communications Letters 14(6), 2010 (arXiv
// 1005.0352).
#pragma once

#include <tamis/concepts.hpp>
#include <tamis/detail/bit_words.hpp>
#include <tamis/sizing/bloom.hpp>
#include <tamis/sizing/deletable_bloom.hpp>

namespace tamis {

// Computes the region of a bit: floor(i r / m) for bit i of m bits in r regions, with 1 <= r <= m
// <= 2^32. The class does not need a filter, so that tests can use large sizes without the memory.
class BitRegions {
 public:
  BitRegions(std::uint64_t bits, std::uint64_t regions) noexcept
      : bits_(bits), regions_(regions), ratio_(regions == bits ? kOne : regions * kOne / bits) {}

  // Works without a division. The ratio is rounded down by less than 2^-32, and i < 2^32, so the
  // quotient is right or one too small.
  [[nodiscard]] std::uint64_t of(std::uint64_t i) const noexcept {
    const std::uint64_t quotient = i * ratio_ / kOne;
    return quotient + (i * regions_ - quotient * bits_ >= bits_ ? 1 : 0);
  }

  // Calls act(region, its first bit, the bit after its last) for all regions in order.
  template <class Act>
  void for_each(Act act) const noexcept {
    const std::uint64_t width = bits_ / regions_, rest = bits_ % regions_;
    std::uint64_t begin = 0, phase = regions_ - 1;
    for (std::uint64_t region = 0; region < regions_; ++region) {
      phase += rest;
      const bool is_wide = phase >= regions_;
      if (is_wide) phase -= regions_;
      const std::uint64_t end = begin + width + (is_wide ? 1 : 0);
      act(region, begin, end);
      begin = end;
    }
  }

  friend bool operator==(const BitRegions&, const BitRegions&) noexcept = default;

 private:
  static constexpr std::uint64_t kOne = std::uint64_t{1} << 32;

  std::uint64_t bits_;
  std::uint64_t regions_;
  std::uint64_t ratio_;  // regions / bits, in units of 2^-32
};

class DeletableBloomFilter : public Keyed<DeletableBloomFilter> {
 public:
  static constexpr FilterType kType = FilterType::kDeletableBloomFilter;
  using Keyed::insert, Keyed::may_contain, Keyed::erase, Keyed::is_deletable;

  struct Config {
    std::uint64_t capacity = 0;
    double fpr = 0.01;
    std::uint64_t regions = 0;  // 0 stands for ceil(bits / 8)
    Hasher hasher{};

    auto fields() noexcept { return std::tie(capacity, fpr, regions); }
  };

  // Returns kInvalidOption (also for more regions than bits), kTooLarge above 2^32 bits, or
  // kOutOfMemory.
  [[nodiscard]] static Result<DeletableBloomFilter> create(const Config& config) noexcept;
  [[nodiscard]] static Result<std::uint64_t> size_for(const Config& config) noexcept;

  bool insert(Hash hash) noexcept;
  [[nodiscard]] bool may_contain(Hash hash) const noexcept;
  void may_contain(std::span<const Hash> hashes, std::uint8_t* answers) const noexcept;
  // Returns kNotDeletable, and changes nothing, if all of the key's bits are in locked regions.
  Result<bool> erase(Hash hash) noexcept;
  // True if erase() would return true.
  [[nodiscard]] bool is_deletable(Hash hash) const noexcept;

  // Returns kInvalidOption if there is no such region.
  [[nodiscard]] Result<bool> is_locked(std::uint64_t region) const noexcept {
    if (region >= regions()) return Status::kInvalidOption;
    return locked_.test(region);
  }
  // The share of the counted keys that could be deleted now, estimated from the set bits in
  // unlocked regions. It reads the whole array, and is 1 if count() is 0. After deletes the
  // estimate is too high, because keys that cannot be deleted then make up a larger share.
  [[nodiscard]] double deletable_ratio() const noexcept;

  // The number of keys that were certainly new when they were added, minus the deleted keys; at
  // most 2^53 - 1.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint64_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::uint64_t bits() const noexcept { return bits_.size(); }
  [[nodiscard]] std::uint32_t hashes() const noexcept { return hashes_; }
  [[nodiscard]] std::uint64_t regions() const noexcept { return locked_.size(); }
  [[nodiscard]] const Hasher& hasher() const noexcept { return hasher_; }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept {
    return bits_.size_bytes() + locked_.size_bytes();
  }

  [[nodiscard]] double fpr() const noexcept;
  // The rate with the bits that are set now: fill^k. It reads the whole array.
  [[nodiscard]] double estimated_fpr() const noexcept;

  // Removes all keys, and unlocks all regions.
  void clear() noexcept {
    bits_.clear();
    locked_.clear();
    count_ = 0;
  }

  [[nodiscard]] Result<DeletableBloomFilter> clone() const noexcept;
  [[nodiscard]] Result<DeletableBloomFilter> empty_copy() const noexcept;
  // Returns kCorrupt if a bit past the end of an array is set, or if a locked region has no set
  // bit.
  [[nodiscard]] Status validate() const noexcept;

  [[nodiscard]] Header header() const noexcept;
  void write(ByteWriter& out) const noexcept;
  [[nodiscard]] static Result<DeletableBloomFilter> read(Container& from) noexcept;
  friend bool operator==(const DeletableBloomFilter&,
                         const DeletableBloomFilter&) noexcept = default;

 private:
  // True if all bits of the mixed hash g are set.
  [[nodiscard]] bool are_set(std::uint64_t g) const noexcept;

  DeletableBloomFilter(detail::BitWords&& bits, detail::BitWords&& locked, std::uint32_t hashes,
                       std::uint64_t capacity, const Hasher& hasher, std::uint64_t count) noexcept
      : bits_(std::move(bits)),
        locked_(std::move(locked)),
        map_(bits_.size(), locked_.size()),
        hashes_(hashes),
        capacity_(capacity),
        count_(count),
        hasher_(hasher) {}

  // Makes a filter without keys.
  [[nodiscard]] static Result<DeletableBloomFilter> make(std::uint64_t bits, std::uint32_t hashes,
                                                         std::uint64_t regions,
                                                         std::uint64_t capacity,
                                                         const Hasher& hasher) noexcept;

  detail::BitWords bits_;
  detail::BitWords locked_;
  BitRegions map_;
  std::uint32_t hashes_ = 0;
  std::uint64_t capacity_ = 0;
  std::uint64_t count_ = 0;
  Hasher hasher_;
};

static_assert(DeletableFilter<DeletableBloomFilter>);

}  // namespace tamis
