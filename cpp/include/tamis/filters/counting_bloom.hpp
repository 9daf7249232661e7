// tamis/filters/counting_bloom.hpp - counting Bloom filter: a Bloom filter with counters in the
// place of bits, so that keys can be removed.
//
// Choose it if filters with deletes must be merged, or shipped as a plain Bloom filter (to_bloom).
// CuckooFilter has deletes in a third of the memory, and DLeftCountingFilter in half.
//
//   memory     counters of 2 to 16 bits in the places of a Bloom filter: 38 bits a key at 1 % with
//              4 bits
//   insert     changes k counters
//   query      reads up to k counters
//   erase      makes a query, and changes k counters
//   never      reports an inserted key as absent, unless a key that was not in it was erased
//   undefined  nothing. To erase a false positive lowers the counters of other keys, and they may
//              then be reported absent. Erase only keys that were inserted
//   wire       type id 3, FORMAT.md "counting-bloom"
//
// A counter at its largest value is stuck: it never changes again. At capacity, one in 6 10^14
// counters of 4 bits is stuck, and one in 30 of 2 bits.
//
// Fan, Cao, Almeida and Broder, IEEE/ACM ToN 8(3), 2000.
#pragma once

#include <tamis/concepts.hpp>
#include <tamis/detail/packed_array.hpp>
#include <tamis/filters/bloom.hpp>
#include <tamis/sizing/bloom.hpp>

namespace tamis {

class CountingBloomFilter : public Keyed<CountingBloomFilter> {
 public:
  static constexpr FilterType kType = FilterType::kCountingBloomFilter;
  using Keyed::insert, Keyed::may_contain, Keyed::erase, Keyed::count_of;

  struct Config {
    std::uint64_t capacity = 0;
    double fpr = 0.01;
    std::uint32_t counter_bits = 4;  // 2..16
    Hasher hasher{};

    auto fields() noexcept { return std::tie(capacity, fpr, counter_bits); }
  };

  [[nodiscard]] static Result<CountingBloomFilter> create(const Config& config) noexcept;
  [[nodiscard]] static Result<std::uint64_t> size_for(const Config& config) noexcept;

  // Adds one to each of the key's counters. If two of its positions are the same, it adds one there
  // once.
  bool insert(Hash hash) noexcept;
  [[nodiscard]] bool may_contain(Hash hash) const noexcept;
  void may_contain(std::span<const Hash> hashes, std::uint8_t* answers) const noexcept;
  // Takes one from each of the key's counters that is not stuck. Returns false if the key is
  // certainly absent; then nothing changed.
  bool erase(Hash hash) noexcept;
  // The copies of the key: the least of its counters. It is too low only if a counter is stuck.
  [[nodiscard]] std::uint32_t count_of(Hash hash) const noexcept;

  // Adds the counters. A sum above the largest value sticks there. Returns kIncompatible unless
  // hasher, counters, hashes and counter bits agree.
  [[nodiscard]] Status merge(const CountingBloomFilter& other) noexcept;
  // A Bloom filter of the same keys, with a bit for each counter that is not 0. Returns
  // kOutOfMemory.
  [[nodiscard]] Result<BloomFilter> to_bloom() const noexcept;

  // The copies in the filter: inserts less erases, from 0 to 2^53 - 1.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint64_t capacity() const noexcept { return capacity_; }
  // The number of counters.
  [[nodiscard]] std::uint64_t counters() const noexcept { return counters_.size(); }
  [[nodiscard]] std::uint32_t counter_bits() const noexcept { return counters_.width(); }
  [[nodiscard]] std::uint32_t hashes() const noexcept { return hashes_; }
  [[nodiscard]] const Hasher& hasher() const noexcept { return hasher_; }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return counters_.size_bytes(); }
  // Returns kInvalidOption past the end.
  [[nodiscard]] Result<std::uint32_t> counter_at(std::uint64_t index) const noexcept {
    if (index >= counters()) return Status::kInvalidOption;
    return counters_.get(index);
  }

  [[nodiscard]] double fpr() const noexcept;
  // The share of counters that are not 0, to the power of the hashes. It takes one pass.
  [[nodiscard]] double estimated_fpr() const noexcept;

  void clear() noexcept {
    counters_.clear();
    count_ = 0;
  }
  [[nodiscard]] Result<CountingBloomFilter> clone() const noexcept;
  [[nodiscard]] Result<CountingBloomFilter> empty_copy() const noexcept;
  // Returns kCorrupt if a bit past the end is set. It cannot compare the count with the counters,
  // since an erased false positive makes the two differ.
  [[nodiscard]] Status validate() const noexcept;

  [[nodiscard]] Header header() const noexcept;
  void write(ByteWriter& out) const noexcept;
  [[nodiscard]] static Result<CountingBloomFilter> read(Container& from) noexcept;
  friend bool operator==(const CountingBloomFilter&, const CountingBloomFilter&) noexcept = default;

 private:
  // True if all counters of the mixed hash g are above 0.
  [[nodiscard]] bool are_positive(std::uint64_t g) const noexcept;

  CountingBloomFilter(detail::PackedArray&& counters, std::uint32_t hashes, std::uint64_t capacity,
                      std::uint64_t count, const Hasher& hasher) noexcept
      : counters_(std::move(counters)),
        hashes_(hashes),
        capacity_(capacity),
        count_(count),
        hasher_(hasher) {}

  detail::PackedArray counters_;
  std::uint32_t hashes_ = 0;
  std::uint64_t capacity_ = 0;
  std::uint64_t count_ = 0;
  Hasher hasher_;
};

static_assert(DeletableFilter<CountingBloomFilter> && Mergeable<CountingBloomFilter>);

}  // namespace tamis
