// tamis/filters/tombstone_bloom.hpp - Bloom filter with deletes and false negatives: a deleted key
// can hide other keys, at the rate false_negative_rate().
//
// It consists of two Bloom filters, one with the added keys and one with the deleted keys. A key is
// present if it is in the first filter and not in the second. Choose it if few keys are deleted, no
// deleted key comes back, and an occasional false negative does no harm. CuckooFilter has none.
//
//   memory     a split-block filter (a classic Bloom filter below a rate of 2^-12) for `capacity`
//              keys, and another for `deletions` keys
//   insert     reads one filter, and writes one
//   query      reads two filters
//   erase      reads two filters, and writes one
//   never      inserts a key that the deleted keys would hide: insert returns kTombstoned instead
//   undefined  no call; after more than `deletions` deletes the rate of false negatives rises
//   wire       type id 4, FORMAT.md "tombstone-bloom"
#pragma once

#include <algorithm>

#include <tamis/concepts.hpp>
#include <tamis/detail/subfilter.hpp>

namespace tamis {

class TombstoneBloomFilter : public Keyed<TombstoneBloomFilter> {
 public:
  static constexpr FilterType kType = FilterType::kTombstoneBloomFilter;
  using Keyed::insert, Keyed::may_contain, Keyed::erase;
  // The lowest rate. For a lower one, create() returns kInvalidOption.
  static constexpr double kMinFpr = detail::Subfilter::kMinCompositeFpr;

  struct Config {
    std::uint64_t capacity = 0;
    double fpr = 0.01;
    std::uint64_t deletions = 0;  // 0 stands for `capacity`
    Hasher hasher{};

    auto fields() noexcept { return std::tie(capacity, fpr, deletions); }
  };

  [[nodiscard]] static Result<TombstoneBloomFilter> create(const Config& config) noexcept;
  [[nodiscard]] static Result<std::uint64_t> size_for(const Config& config) noexcept;

  // Returns kTombstoned, and changes nothing, for a key that was deleted or seems to be.
  Result<bool> insert(Hash hash) noexcept;
  [[nodiscard]] bool may_contain(Hash hash) const noexcept;
  void may_contain(std::span<const Hash> hashes, std::uint8_t* answers) const noexcept;
  TAMIS_PER_ISA bool erase(Hash hash) noexcept {
    return may_contain(hash) && deleted().insert(hash);
  }

  // The number of keys that were certainly new when they were added, minus the deleted ones; never
  // below 0.
  [[nodiscard]] std::uint64_t count() const noexcept {
    return added().count() - std::min(added().count(), deleted().count());
  }
  [[nodiscard]] std::uint64_t capacity() const noexcept { return added().capacity(); }
  // The number of deletes that the second filter is designed for.
  [[nodiscard]] std::uint64_t deletions() const noexcept { return deleted().capacity(); }
  [[nodiscard]] const Hasher& hasher() const noexcept { return hasher_; }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return subfilters_.size_bytes(); }

  // The designed rate of the first filter, at capacity.
  [[nodiscard]] double fpr() const noexcept { return added().fpr(); }
  // The rate with the bits that are set now: the probability that a key is in the first filter and
  // not in the second.
  [[nodiscard]] double estimated_fpr() const noexcept {
    return added().estimated_fpr() * (1 - deleted().estimated_fpr());
  }
  // The probability that a key is reported as absent although it was added and not deleted. It is
  // the rate of the second filter with the bits that are set now: 0 before the first delete.
  [[nodiscard]] double false_negative_rate() const noexcept { return deleted().estimated_fpr(); }

  void clear() noexcept {
    added().clear();
    deleted().clear();
  }
  [[nodiscard]] Result<TombstoneBloomFilter> clone() const noexcept;
  [[nodiscard]] Result<TombstoneBloomFilter> empty_copy() const noexcept;
  [[nodiscard]] Status validate() const noexcept { return subfilters_.validate(); }

  [[nodiscard]] Header header() const noexcept;
  void write(ByteWriter& out) const noexcept { subfilters_.write(out); }
  [[nodiscard]] static Result<TombstoneBloomFilter> read(Container& from) noexcept;
  friend bool operator==(const TombstoneBloomFilter&,
                         const TombstoneBloomFilter&) noexcept = default;

 private:
  TombstoneBloomFilter(detail::Subfilters&& subfilters, const Hasher& hasher) noexcept
      : subfilters_(std::move(subfilters)), hasher_(hasher) {}

  [[nodiscard]] detail::Subfilter& added() noexcept { return subfilters_[0]; }
  [[nodiscard]] const detail::Subfilter& added() const noexcept { return subfilters_[0]; }
  [[nodiscard]] detail::Subfilter& deleted() noexcept { return subfilters_[1]; }
  [[nodiscard]] const detail::Subfilter& deleted() const noexcept { return subfilters_[1]; }

  detail::Subfilters subfilters_;
  Hasher hasher_;
};

static_assert(DeletableFilter<TombstoneBloomFilter>);

}  // namespace tamis
