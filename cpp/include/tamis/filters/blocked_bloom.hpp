// tamis/filters/blocked_bloom.hpp - split-block Bloom filter: all bits of a key in one cache line.
//
// Choose it for the fastest filter to which keys can be added one by one, or if the filter is
// larger than the caches. BloomFilter is smaller, and much smaller below a rate of 2^-12.
//
//   memory     blocks of 32 bytes: 10.5 bits a key at 1 %, 12.9 at 2^-8, 22 at 2^-12
//   insert     sets one bit in each of the 8 lanes of one block; a lane has 32 bits
//   query      reads the same 8 bits
//   never      reports an inserted key as absent
//   undefined  no call; with more keys than `capacity` only the rate rises (estimated_fpr())
//   wire       type id 2, FORMAT.md "blocked-bloom"
//
// Putze, Sanders and Singler, JEA 14, 2009; split blocks: Apache Parquet's format specification.
#pragma once

#include <algorithm>

#include <tamis/concepts.hpp>
#include <tamis/detail/buffer.hpp>
#include <tamis/detail/isa.hpp>
#include <tamis/sizing/blocked_bloom.hpp>

namespace tamis {

class BlockedBloomFilter : public Keyed<BlockedBloomFilter, Key> {
 public:
  static constexpr FilterType kType = FilterType::kBlockedBloomFilter;
  using Keyed::insert, Keyed::may_contain;
  // The lowest rate. For a lower one, create() returns kInvalidOption.
  static constexpr double kMinFpr = sizing::kMinBlockedFpr;

  struct Config {
    std::uint64_t capacity = 0;
    double fpr = 0.01;
    Hasher hasher{};

    auto fields() noexcept { return std::tie(capacity, fpr); }
  };

  [[nodiscard]] static Result<BlockedBloomFilter> create(const Config& config) noexcept;
  [[nodiscard]] static Result<std::uint64_t> size_for(const Config& config) noexcept;

  // If the hash id is kParquet, the filter needs the key's bytes. For a Hash, may_contain then
  // returns true; insert adds nothing and returns false, and a debug build asserts.
  TAMIS_PER_ISA bool insert(Key key) noexcept {
    return is_hash_once(hasher_.id()) ? insert(hasher_(key)) : insert_by_scheme(key);
  }
  TAMIS_PER_ISA bool insert(Hash hash) noexcept;
  // Inserts many keys in less time than one by one, and returns how many were certainly new.
  std::uint64_t insert(std::span<const Hash> hashes) noexcept;
  TAMIS_PER_ISA [[nodiscard]] bool may_contain(Key key) const noexcept {
    return is_hash_once(hasher_.id()) ? may_contain(hasher_(key)) : may_contain_by_scheme(key);
  }
  TAMIS_PER_ISA [[nodiscard]] bool may_contain(Hash hash) const noexcept;
  void may_contain(std::span<const Hash> hashes, std::uint8_t* answers) const noexcept;

  // insert() and may_contain() for the hash id kParquet.
  bool insert_by_scheme(Key key) noexcept;
  [[nodiscard]] bool may_contain_by_scheme(Key key) const noexcept;

  // Adds the other's keys. Returns kIncompatible unless hasher and number of blocks are equal.
  [[nodiscard]] Status merge(const BlockedBloomFilter& other) noexcept;

  // The number of keys that were certainly new when they were added, at most 2^53 - 1. A merge
  // estimates it from the bits, but never below the larger count or above the sum of both.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint64_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::uint64_t blocks() const noexcept { return words_.size() / 8; }
  [[nodiscard]] const Hasher& hasher() const noexcept { return hasher_; }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return words_.size() * 4; }

  [[nodiscard]] double fpr() const noexcept;
  // The rate with the bits that are set now: for each block, the product of the shares of set bits
  // in its lanes; averaged over all blocks.
  [[nodiscard]] double estimated_fpr() const noexcept;

  void clear() noexcept;
  [[nodiscard]] Result<BlockedBloomFilter> clone() const noexcept;
  [[nodiscard]] Result<BlockedBloomFilter> empty_copy() const noexcept;
  // Returns kCorrupt if a block has both empty and used lanes, if keys are counted but no bit is
  // set, or if bits are set but no key is counted.
  [[nodiscard]] Status validate() const noexcept;

  [[nodiscard]] Header header() const noexcept;
  void write(ByteWriter& out) const noexcept;
  [[nodiscard]] static Result<BlockedBloomFilter> read(Container& from) noexcept;
  friend bool operator==(const BlockedBloomFilter&, const BlockedBloomFilter&) noexcept = default;

 private:
  friend struct Access;
  friend class detail::Subfilter;

  // An empty filter with this number of blocks. Returns kOutOfMemory.
  [[nodiscard]] static Result<BlockedBloomFilter> of_blocks(std::uint64_t blocks,
                                                            std::uint64_t capacity,
                                                            const Hasher& hasher) noexcept;
  // Writes only the blocks, for a type that stores the other fields in its own record.
  void write_blocks(ByteWriter& out) const noexcept;
  [[nodiscard]] static Result<BlockedBloomFilter> read_blocks(std::uint64_t blocks,
                                                              std::uint64_t capacity,
                                                              std::uint64_t count,
                                                              const Hasher& hasher,
                                                              ByteReader& in) noexcept;
  // The lanes, for a caller that fills them in and then sets the count. validate() checks both.
  [[nodiscard]] std::span<std::uint32_t> words() noexcept { return words_.span(); }
  void set_count(std::uint64_t count) noexcept { count_ = count; }

  // The words of the blocks, aligned so that each block is in one cache line.
  using Words = detail::Buffer<std::uint32_t, 32>;

  BlockedBloomFilter(Words&& words, std::uint64_t capacity, std::uint64_t count,
                     const Hasher& hasher) noexcept
      : words_(std::move(words)), capacity_(capacity), count_(count), hasher_(hasher) {}

  [[nodiscard]] auto places() const noexcept;
  // Sets the key's bits, and returns true if the key was certainly new.
  TAMIS_PER_ISA [[nodiscard]] bool set(std::uint64_t g) noexcept;
  TAMIS_PER_ISA [[nodiscard]] bool are_set(std::uint64_t g) const noexcept;
  void count_new(std::uint64_t keys) noexcept {
    count_ = std::min(count_ + keys, sizing::kMaxCount);
  }
  [[nodiscard]] std::size_t block_at(std::uint64_t g) const noexcept {
    return static_cast<std::size_t>(reduce(g, blocks())) * 8;
  }

  Words words_;
  std::uint64_t capacity_ = 0;
  std::uint64_t count_ = 0;
  Hasher hasher_;
};

static_assert(MutableFilter<BlockedBloomFilter> && Mergeable<BlockedBloomFilter>);

}  // namespace tamis

#ifndef __wasm__
#include <tamis/filters/blocked_bloom_inline.hpp>
#endif
