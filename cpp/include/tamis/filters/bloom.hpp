// tamis/filters/bloom.hpp - Bloom filter: a set of keys in a few bits each.
//
// Choose it if keys arrive one by one and are never removed, or if filters must be merged. With the
// scheme of another library, it has the same bytes as that library's filter. Prefer BitArray if the
// keys can be numbered and many of them are present.
//
//   memory     the fewest bits with which some k in 1..64 keeps the rate: 9.6 bits a key at 1 %
//   insert     sets k bits, each in its own cache line
//   query      reads up to k bits
//   never      reports an inserted key as absent
//   undefined  no call; with more keys than `capacity` only the rate rises (estimated_fpr())
//   wire       type id 1, FORMAT.md "bloom"
//
// Bloom, CACM 13(7), 1970. Positions: multiplier by Steele and Vigna 2022. Estimated count:
// Swamidass and Baldi, J. Chem. Inf. Model. 47, 2007.
#pragma once

#include <algorithm>
#include <array>

#include <tamis/concepts.hpp>
#include <tamis/detail/bit_words.hpp>
#include <tamis/detail/mcg_positions.hpp>
#include <tamis/sizing/bit_estimates.hpp>
#include <tamis/sizing/bloom.hpp>

namespace tamis {

class BloomFilter : public Keyed<BloomFilter, Key> {
 public:
  static constexpr FilterType kType = FilterType::kBloomFilter;
  using Keyed::insert, Keyed::may_contain;

  // Options: either capacity and fpr, or bits and hashes. If bits and hashes are given without a
  // capacity, the capacity is computed.
  struct Config {
    std::uint64_t capacity = 0;
    double fpr = 0.01;
    std::uint64_t bits = 0;
    std::uint32_t hashes = 0;
    Hasher hasher{};

    auto fields() noexcept { return std::tie(capacity, fpr, bits, hashes); }
  };

  using Positions = std::array<std::uint64_t, sizing::kMaxHashes>;

  // Returns kTooLarge, kOutOfMemory, or kInvalidOption, also for options that the scheme forbids.
  [[nodiscard]] static Result<BloomFilter> create(const Config& config) noexcept;
  [[nodiscard]] static Result<std::uint64_t> size_for(const Config& config) noexcept;

  // Some schemes need the key's bytes. With such a scheme, may_contain(Hash) returns true;
  // insert(Hash) adds nothing and returns false, and a debug build asserts.
  bool insert(Key key) noexcept {
    return is_hash_once(hasher_.id()) ? insert(hasher_(key))
                                      : insert_by_scheme(key).value_or(false);
  }
  bool insert(Hash hash) noexcept;
  // Inserts many keys in less time than one by one, and returns how many were certainly new.
  std::uint64_t insert(std::span<const Hash> hashes) noexcept;
  [[nodiscard]] bool may_contain(Key key) const noexcept {
    return is_hash_once(hasher_.id()) ? may_contain(hasher_(key)) : may_contain_by_scheme(key);
  }
  [[nodiscard]] bool may_contain(Hash hash) const noexcept;
  void may_contain(std::span<const Hash> hashes, std::uint8_t* answers) const noexcept;

  // insert() and may_contain() for schemes that need the key's bytes. Some schemes drop the empty
  // key: insert_by_scheme() then returns kInvalidKey, and insert() false.
  Result<bool> insert_by_scheme(Key key) noexcept;
  [[nodiscard]] bool may_contain_by_scheme(Key key) const noexcept;

  // Writes the positions of the key's bits to the first hashes() entries, in the scheme's order;
  // they may repeat. If the scheme drops the key, it returns false and writes nothing.
  bool find_positions(Key key, Positions& out) const noexcept;

  // Set the bits to the union or the intersection of both filters' bits. An intersection contains
  // every common key, but its rate may be higher than that of a filter of the common keys alone.
  // Both return kIncompatible unless hasher, bits and hashes are equal.
  [[nodiscard]] Status merge(const BloomFilter& other) noexcept;
  [[nodiscard]] Status intersect(const BloomFilter& other) noexcept;
  // The number of keys that were certainly new when they were added, at most 2^53 - 1. A merge
  // estimates it from the bits, but never below the larger count or above the sum of both. An
  // intersection sets it to that sum minus such an estimate for the union.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint64_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::uint64_t bits() const noexcept { return bits_.size(); }
  [[nodiscard]] std::uint32_t hashes() const noexcept { return hashes_; }
  [[nodiscard]] const Hasher& hasher() const noexcept { return hasher_; }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return bits_.size_bytes(); }

  [[nodiscard]] double fpr() const noexcept;
  // The rate with the bits that are set now: fill^k. This and the next three functions read the
  // whole array.
  [[nodiscard]] double estimated_fpr() const noexcept;
  [[nodiscard]] double fill_ratio() const noexcept {
    return static_cast<double>(bits_.popcount()) / static_cast<double>(bits());
  }
  // The estimated number of keys, -m/k ln(1 - X/m) for X set bits. It is infinity for a full
  // filter.
  [[nodiscard]] double estimate_count() const noexcept { return estimate(bits_.popcount()); }
  // The estimated number of keys in the union of two filters. Returns kIncompatible.
  [[nodiscard]] Result<double> estimate_union(const BloomFilter& other) const noexcept;

  [[nodiscard]] Result<bool> test(std::uint64_t index) const noexcept {
    if (index >= bits()) return Status::kInvalidOption;
    return bits_.test(index);
  }
  // Writes '0' or '1' for each bit, starting at `from`, until `out` is full. Returns kInvalidOption
  // if `out` is longer than the rest of the array.
  [[nodiscard]] Status print(std::uint64_t from, std::span<char> out) const noexcept {
    if (from > bits() || out.size() > bits() - from) return Status::kInvalidOption;
    bits_.print(from, out);
    return Status::kOk;
  }

  void clear() noexcept {
    bits_.clear();
    count_ = 0;
  }
  // Sets every bit, so that the filter contains every key. count() becomes capacity().
  void fill() noexcept {
    bits_.fill();
    count_ = capacity_;
  }

  [[nodiscard]] Result<BloomFilter> clone() const noexcept;
  [[nodiscard]] Result<BloomFilter> empty_copy() const noexcept;
  // Returns kCorrupt if a bit past the end is set, or if bits are set although no key was counted.
  [[nodiscard]] Status validate() const noexcept;

  [[nodiscard]] Header header() const noexcept;
  void write(ByteWriter& out) const noexcept;
  [[nodiscard]] static Result<BloomFilter> read(Container& from) noexcept;
  friend bool operator==(const BloomFilter&, const BloomFilter&) noexcept = default;

 private:
  friend struct Access;
  friend class detail::Subfilter;
  friend class CountingBloomFilter;

  BloomFilter(detail::BitWords&& bits, std::uint32_t hashes, std::uint64_t capacity,
              const Hasher& hasher, std::uint64_t count) noexcept
      : bits_(std::move(bits)),
        hashes_(hashes),
        capacity_(capacity),
        count_(count),
        hasher_(hasher) {}

  // Writes only the bits, for a type that stores the other fields in its own record.
  void write_bits(ByteWriter& out) const noexcept { bits_.write(out); }
  [[nodiscard]] static Result<BloomFilter> read_bits(std::uint64_t bits, std::uint32_t hashes,
                                                     std::uint64_t capacity, std::uint64_t count,
                                                     const Hasher& hasher, ByteReader& in) noexcept;
  // The bits, for a caller that fills them in and then sets the count. validate() checks both.
  [[nodiscard]] std::span<std::uint64_t> words() noexcept { return bits_.words(); }
  void set_count(std::uint64_t count) noexcept { count_ = count; }

  [[nodiscard]] double estimate(std::uint64_t bits_set) const noexcept;
  // The count of the union: an estimate, but the larger count if one filter has all bits of both.
  [[nodiscard]] std::uint64_t count_union(const BloomFilter& other) const noexcept;
  [[nodiscard]] bool is_compatible(const BloomFilter& other) const noexcept;
  [[nodiscard]] bool are_set(std::uint64_t g) const noexcept;
  // Sets the bits of g, and returns true if one of them was not set. The function is static and
  // receives all that the loop needs as arguments, because the compiler would load members again
  // after each store.
  [[nodiscard]] static bool set(std::uint64_t g, std::uint64_t* words, std::uint64_t bits,
                                std::uint32_t hashes) noexcept;
  // Looks up at most kBatch keys.
  void look_up(std::span<const Hash> hashes, std::uint8_t* answers) const noexcept;
  void count_new(std::uint64_t keys) noexcept {
    count_ = std::min(count_ + keys, sizing::kMaxCount);
  }
  [[nodiscard]] bool find_by_scheme(Key key, std::span<std::uint64_t> out,
                                    const std::uint64_t* words) const noexcept;

  static constexpr std::size_t kBatch = 256;

  detail::BitWords bits_;
  std::uint32_t hashes_ = 0;
  std::uint64_t capacity_ = 0;
  std::uint64_t count_ = 0;
  Hasher hasher_;
};

static_assert(MutableFilter<BloomFilter> && Mergeable<BloomFilter> && Intersectable<BloomFilter>);

}  // namespace tamis

#ifndef __wasm__
#include <tamis/filters/bloom_inline.hpp>
#endif
