// tamis/filters/rotating_bloom.hpp - rotating Bloom filter: remembers the keys of the last few
// periods, in a ring of Bloom filters.
//
// Choose it to drop repeats from an endless stream. Each rotation forgets the keys of the oldest
// generation, and reuses it as the newest.
//
//   memory     `generations` split-block filters (classic Bloom filters below a rate of 2^-12),
//              each for `capacity` keys at the rate fpr / generations: with 2 generations and 1 %,
//              24 bits for each key of a period
//   insert     reads all generations, and writes the current one
//   query      reads the current generation first, then the older ones
//   never      reports a key as absent that was inserted in the current period or in one of the
//              `generations` - 1 periods before it
//   undefined  no call; with more than `capacity` keys a period only the rate rises
//   wire       type id 7, FORMAT.md "rotating-bloom"
//
// The form with two generations is the double buffering of Chang, Feng and Li, INFOCOM 2004. The
// caller provides the clock.
#pragma once

#include <tamis/concepts.hpp>
#include <tamis/detail/subfilter.hpp>

namespace tamis {

class RotatingBloomFilter : public Keyed<RotatingBloomFilter> {
 public:
  static constexpr FilterType kType = FilterType::kRotatingBloomFilter;
  using Keyed::insert, Keyed::may_contain;
  // The lowest rate. For a lower one, create() returns kInvalidOption.
  static constexpr double kMinFpr = detail::Subfilter::kMinCompositeFpr;
  static constexpr std::uint32_t kMaxGenerations = 64;

  struct Config {
    std::uint64_t capacity = 0;     // the number of keys in a period
    double fpr = 0.01;              // the rate of all generations together
    std::uint32_t generations = 2;  // 2..64
    std::uint64_t period_ms = 0;    // 0 for no clock
    Hasher hasher{};

    auto fields() noexcept { return std::tie(capacity, fpr, generations, period_ms); }
  };

  [[nodiscard]] static Result<RotatingBloomFilter> create(const Config& config) noexcept;
  // The bytes of all generations.
  [[nodiscard]] static Result<std::uint64_t> size_for(const Config& config) noexcept;

  // Adds the key to the current generation, even if an older one contains it, so that a repeat
  // extends the time for which the key is remembered.
  bool insert(Hash hash) noexcept;
  [[nodiscard]] bool may_contain(Hash hash) const noexcept;
  void may_contain(std::span<const Hash> hashes, std::uint8_t* answers) const noexcept;

  // Forgets the oldest generation and begins a new one.
  void rotate() noexcept;
  // Rotates once for each whole period since the start, moves the start forward by as many periods,
  // and returns their number. The first call sets the start to now_ms. A time before the start
  // changes nothing. Returns kInvalidOption for a filter without a period, or if |now_ms| is above
  // 2^53 - 1.
  [[nodiscard]] Result<std::uint64_t> advance(std::int64_t now_ms) noexcept;

  // For each generation, the number of keys that were new to it; summed over all generations.
  [[nodiscard]] std::uint64_t count() const noexcept { return generations_.count(); }
  [[nodiscard]] std::uint64_t capacity() const noexcept { return generations_[0].capacity(); }
  [[nodiscard]] std::size_t generations() const noexcept { return generations_.size(); }
  // The length of a period, or 0 if there is no clock.
  [[nodiscard]] std::uint64_t period_ms() const noexcept { return period_ms_; }
  [[nodiscard]] const Hasher& hasher() const noexcept { return hasher_; }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return generations_.size_bytes(); }

  // The designed rate: all generations are at capacity.
  [[nodiscard]] double fpr() const noexcept { return generations_.fpr(); }
  [[nodiscard]] double estimated_fpr() const noexcept { return generations_.estimated_fpr(); }

  // Removes all keys, and forgets the start time.
  void clear() noexcept;
  [[nodiscard]] Result<RotatingBloomFilter> clone() const noexcept;
  [[nodiscard]] Result<RotatingBloomFilter> empty_copy() const noexcept;
  [[nodiscard]] Status validate() const noexcept { return generations_.validate(); }

  [[nodiscard]] Header header() const noexcept;
  void write(ByteWriter& out) const noexcept;
  [[nodiscard]] static Result<RotatingBloomFilter> read(Container& from) noexcept;
  friend bool operator==(const RotatingBloomFilter&, const RotatingBloomFilter&) noexcept = default;

 private:
  RotatingBloomFilter(detail::Subfilters&& generations, std::uint64_t period_ms,
                      const Hasher& hasher) noexcept
      : generations_(std::move(generations)), period_ms_(period_ms), hasher_(hasher) {}

  // The generation of this age. The newest has age 0.
  [[nodiscard]] const detail::Subfilter& generation(std::size_t age) const noexcept;

  detail::Subfilters generations_;
  std::size_t current_ = 0;
  std::uint64_t period_ms_ = 0;
  bool has_started_ = false;
  std::int64_t start_ms_ = 0;
  Hasher hasher_;
};

static_assert(MutableFilter<RotatingBloomFilter>);

}  // namespace tamis
