// tamis/filters/counting_bloom.hpp - counting Bloom filter: a Bloom filter with counters instead of
// bits, so that keys can be removed.
//
// Choose it if filters with deletes must be merged, or converted to a plain Bloom filter to ship
// (to_bloom). CuckooFilter supports deletes in a third of the memory, DLeftCountingFilter in half.
//
//   memory     counters of 2 to 16 bits, as many as the bits of a Bloom filter: 38 bits a key
//              at 1 % with 4-bit counters
//   insert     changes k counters
//   query      reads up to k counters
//   erase      makes a query, and then changes k counters
//   never      reports an inserted key as absent, unless a key was erased that was not inserted
//   undefined  no call. But erasing a false positive lowers the counters of other keys, which may
//              then be reported absent. Erase only keys that were inserted
//   wire       type id 3, FORMAT.md "counting-bloom"
//
// A counter that reaches its largest value is stuck: it never changes again. At capacity,
// one in 6 * 10^14 counters is stuck if they have 4 bits, and one in 30 if they have 2 bits.
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

  // Adds one to each of the key's counters. A counter at two of the key's positions also grows by
  // one only.
  bool insert(Hash hash) noexcept;
  [[nodiscard]] bool may_contain(Hash hash) const noexcept;
  void may_contain(std::span<const Hash> hashes, std::uint8_t* answers) const noexcept;
  // Subtracts one from each of the key's counters that is not stuck. If the key is certainly
  // absent, it returns false and changes nothing.
  bool erase(Hash hash) noexcept;
  // The number of copies of the key, which is its lowest counter. Keys that share its counters can
  // make the number too high. It is too low only if a counter is stuck.
  [[nodiscard]] std::uint32_t count_of(Hash hash) const noexcept;

  // Adds the other's counters. A sum above the largest value becomes that value, so the counter is
  // stuck. Returns kIncompatible unless hasher, counters, hashes and counter bits are equal.
  [[nodiscard]] Status merge(const CountingBloomFilter& other) noexcept;
  // A Bloom filter with the same keys: a bit is set if its counter is above 0. Returns
  // kOutOfMemory.
  [[nodiscard]] Result<BloomFilter> to_bloom() const noexcept;

  // The number of copies in the filter: inserts minus erases, from 0 to 2^53 - 1.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint64_t capacity() const noexcept { return capacity_; }
  // The number of counters.
  [[nodiscard]] std::uint64_t counters() const noexcept { return counters_.size(); }
  [[nodiscard]] std::uint32_t counter_bits() const noexcept { return counters_.width(); }
  [[nodiscard]] std::uint32_t hashes() const noexcept { return hashes_; }
  [[nodiscard]] const Hasher& hasher() const noexcept { return hasher_; }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return counters_.size_bytes(); }
  // Returns kInvalidOption for an index past the end.
  [[nodiscard]] Result<std::uint32_t> counter_at(std::uint64_t index) const noexcept {
    if (index >= counters()) return Status::kInvalidOption;
    return counters_.get(index);
  }

  [[nodiscard]] double fpr() const noexcept;
  // The share of counters above 0, to the power of the number of hashes. It reads all counters.
  [[nodiscard]] double estimated_fpr() const noexcept;

  void clear() noexcept {
    counters_.clear();
    count_ = 0;
  }
  [[nodiscard]] Result<CountingBloomFilter> clone() const noexcept;
  [[nodiscard]] Result<CountingBloomFilter> empty_copy() const noexcept;
  // Returns kCorrupt if a bit past the end is set. The count cannot be checked against the
  // counters, because erasing a false positive makes them differ.
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
