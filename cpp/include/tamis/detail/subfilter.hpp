// tamis/detail/subfilter.hpp - the Bloom filters inside the composite filters (tombstone, scalable,
// rotating): split-block filters for a rate of at least 2^-12, otherwise classic Bloom filters.
//
// The payload of a composite is its own record, then one fixed record per subfilter, then the data
// of the subfilters in the same order. A key is hashed once for all subfilters. Each subfilter
// mixes its own seed into the hash, so their errors are independent even for the same keys.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <variant>

#include <tamis/detail/list.hpp>
#include <tamis/filters/blocked_bloom.hpp>
#include <tamis/filters/bloom.hpp>

namespace tamis::detail {

class Subfilter {
 private:
  template <class F>
  explicit Subfilter(std::in_place_t, F&& filter) noexcept : filter_(std::move(filter)) {}

  template <class F>
  [[nodiscard]] static Result<Subfilter> of(Result<F>&& filter) noexcept {
    if (!filter.ok()) return filter.status();
    return Subfilter(std::in_place, std::move(*filter));
  }

  [[nodiscard]] const BloomFilter& classic() const noexcept {
    return *std::get_if<BloomFilter>(&filter_);
  }

  // std::visit would add code to throw for an empty variant.
  template <class Act>
  [[nodiscard]] auto with(Act act) const noexcept {
    const auto* blocked = std::get_if<BlockedBloomFilter>(&filter_);
    return blocked != nullptr ? act(*blocked) : act(classic());
  }

 public:
  static constexpr double kMinBlockedFpr = 0x1p-12;
  // The lowest rates of a subfilter and of a composite. A composite divides its rate among its
  // subfilters, so each needs a lower rate.
  static constexpr double kMinFpr = 0x1p-40;
  static constexpr double kMinCompositeFpr = 0x1p-32;
  static constexpr std::uint32_t kRecordBytes = 32;

  struct Record {
    std::uint64_t bits = 0;
    std::uint64_t capacity = 0;
    std::uint64_t count = 0;
    std::uint32_t hashes = 0;  // 0 for split blocks

    // The record of an empty subfilter. Returns kTooLarge, or kFull for a rate below kMinFpr.
    [[nodiscard]] static Result<Record> design(std::uint64_t capacity, double fpr) noexcept;
    // Returns kCorrupt.
    [[nodiscard]] static Result<Record> read(ByteReader& in) noexcept;
    [[nodiscard]] bool is_like(const Record& other) const noexcept {
      return bits == other.bits && capacity == other.capacity && hashes == other.hashes;
    }
    [[nodiscard]] std::uint64_t size_bytes() const noexcept { return BitWords::byte_count(bits); }
  };

  // The hasher of the subfilter with this index. The first uses the composite's own seed.
  [[nodiscard]] static Hasher hasher_of(const Hasher& hasher, std::uint64_t index) noexcept {
    return index == 0 ? hasher : hasher.with_seed(splitmix64(hasher.seed() + (index << 32)));
  }

  // An empty subfilter with this design. Returns kOutOfMemory.
  [[nodiscard]] static Result<Subfilter> create(const Record& design,
                                                const Hasher& hasher) noexcept;
  // Reads the subfilter with this record from `in`. Returns kCorrupt or kOutOfMemory.
  [[nodiscard]] static Result<Subfilter> read(const Record& record, const Hasher& hasher,
                                              ByteReader& in) noexcept;

  TAMIS_PER_ISA [[nodiscard]] bool may_contain(Hash hash) const noexcept {
    const auto* blocked = std::get_if<BlockedBloomFilter>(&filter_);
    return blocked != nullptr ? blocked->may_contain(hash) : classic().may_contain(hash);
  }
  // Looks up the keys whose answer so far is `asked`, 0 or 1, and inverts the answers of keys that
  // the subfilter may contain.
  void turn(std::span<const Hash> hashes, std::uint8_t* answers, std::uint8_t asked) const noexcept;
  // Adds the key, and returns true if it was certainly new.
  TAMIS_PER_ISA bool insert(Hash hash) noexcept {
    auto* blocked = std::get_if<BlockedBloomFilter>(&filter_);
    return blocked != nullptr ? blocked->insert(hash)
                              : std::get_if<BloomFilter>(&filter_)->insert(hash);
  }

  [[nodiscard]] Record record() const noexcept;
  void write_record(ByteWriter& out) const noexcept;
  void write_data(ByteWriter& out) const noexcept;

  [[nodiscard]] std::uint64_t count() const noexcept {
    return with([](const auto& filter) { return filter.count(); });
  }
  [[nodiscard]] std::uint64_t capacity() const noexcept {
    return with([](const auto& filter) { return filter.capacity(); });
  }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept {
    return with([](const auto& filter) { return filter.size_bytes(); });
  }
  [[nodiscard]] double fpr() const noexcept;
  [[nodiscard]] double estimated_fpr() const noexcept;
  [[nodiscard]] Status validate() const noexcept {
    return with([](const auto& filter) { return filter.validate(); });
  }
  [[nodiscard]] Result<Subfilter> clone() const noexcept {
    return with([](const auto& filter) { return of(filter.clone()); });
  }
  [[nodiscard]] Result<Subfilter> empty_copy() const noexcept {
    return with([](const auto& filter) { return of(filter.empty_copy()); });
  }
  void clear() noexcept {
    if (auto* blocked = std::get_if<BlockedBloomFilter>(&filter_)) return blocked->clear();
    std::get_if<BloomFilter>(&filter_)->clear();
  }

  friend bool operator==(const Subfilter&, const Subfilter&) noexcept = default;

 private:
  std::variant<BlockedBloomFilter, BloomFilter> filter_;
};

// The subfilters of one composite, in their order.
class Subfilters : public List<Subfilter> {
 public:
  Subfilters() noexcept = default;

  // Adds an empty subfilter. Returns the status of `design` if that failed, or kOutOfMemory.
  [[nodiscard]] Status add(const Result<Subfilter::Record>& design, const Hasher& hasher) noexcept;
  [[nodiscard]] Status push_back(Result<Subfilter>&& subfilter) noexcept;

  [[nodiscard]] Result<Subfilters> clone() const noexcept;
  // Copies of the subfilters, without keys.
  [[nodiscard]] Result<Subfilters> empty_copy() const noexcept;
  // Sums over all subfilters. The count is capped at 2^53 - 1.
  [[nodiscard]] std::uint64_t count() const noexcept;
  [[nodiscard]] std::uint64_t size_bytes() const noexcept;
  [[nodiscard]] std::uint64_t encoded_bytes() const noexcept {
    return size() * Subfilter::kRecordBytes + size_bytes();
  }
  // The rate of a look-up that returns true if any subfilter does: 1 - (1 - p_0) (1 - p_1) ...
  [[nodiscard]] double fpr() const noexcept;
  [[nodiscard]] double estimated_fpr() const noexcept;
  [[nodiscard]] Status validate() const noexcept;

  friend bool operator==(const Subfilters&, const Subfilters&) noexcept = default;

  void write(ByteWriter& out) const noexcept;
  // Reads `size` subfilters. Each record must pass is_right(index, record). Returns kCorrupt or
  // kOutOfMemory.
  template <class IsRight>
  [[nodiscard]] static Result<Subfilters> read(std::size_t size, const Hasher& hasher,
                                               ByteReader& in, IsRight is_right) noexcept {
    ByteReader records(in.take(size * Subfilter::kRecordBytes));
    if (in.overrun()) return Status::kCorrupt;
    Subfilters subfilters;
    for (std::size_t i = 0; i < size; ++i) {
      TAMIS_TRY(record, Subfilter::Record::read(records));
      if (!is_right(i, *record)) return Status::kCorrupt;
      TAMIS_NEED(
          subfilters.push_back(Subfilter::read(*record, Subfilter::hasher_of(hasher, i), in)));
    }
    return subfilters;
  }

 private:
  template <class Copy>
  [[nodiscard]] Result<Subfilters> copy_each(Copy copy) const noexcept;
};

}  // namespace tamis::detail
