// tamis/filters/scalable_bloom.hpp - scalable Bloom filter: grows with the number of keys and keeps
// its rate.
//
// Choose it if you cannot know how many keys will come. A BloomFilter of the right size needs two
// thirds of the memory, and does one look-up instead of several.
//
//   memory     layers for n, n s, n s^2, ... keys, where s is the growth. Growth 2 at 1 % needs 15
//              to 18 bits a key if all layers are full, and 36 to 48 right after a new layer. With
//              growth 1 all layers are equal; their number (up to 64) then grows with the keys, and
//              so does the time of a look-up
//   insert     reads every layer, and writes the newest
//   query      reads the newest layer first, then the older ones
//   never      reports an inserted key as absent; exceeds its rate for any number of keys
//   undefined  no call; insert returns kFull after 64 layers, or if a layer's rate would be below
//              2^-40
//   wire       type id 6, FORMAT.md "scalable-bloom"
//
// Layer i has the rate p (1 - t) t^i for the filter's rate p and the tightening t, so the sum of
// all rates stays below p. Layers with a rate of 2^-12 or more are split-block filters; others are
// classic Bloom filters. A key that is already reported as present is not stored again.
//
// Almeida, Baquero, Preguica and Hutchison, Information Processing Letters 101(6), 2007.
#pragma once

#include <tamis/concepts.hpp>
#include <tamis/detail/subfilter.hpp>

namespace tamis {

class ScalableBloomFilter : public Keyed<ScalableBloomFilter> {
 public:
  static constexpr FilterType kType = FilterType::kScalableBloomFilter;
  using Keyed::insert, Keyed::may_contain;
  // The lowest rate. For a lower one, create() returns kInvalidOption.
  static constexpr double kMinFpr = detail::Subfilter::kMinCompositeFpr;
  static constexpr std::size_t kMaxLayers = 64;
  static constexpr std::uint32_t kMaxGrowth = 16;
  static constexpr double kMinTightening = 0.5;
  static constexpr double kMaxTightening = 0.99;

  struct Config {
    std::uint64_t capacity = 0;  // the number of keys in the first layer
    double fpr = 0.01;
    std::uint32_t growth = 2;  // 1..16
    double tightening = 0.85;  // 0.5..0.99
    Hasher hasher{};

    auto fields() noexcept { return std::tie(capacity, fpr, growth, tightening); }
  };

  [[nodiscard]] static Result<ScalableBloomFilter> create(const Config& config) noexcept;
  // The size of the first layer.
  [[nodiscard]] static Result<std::uint64_t> size_for(const Config& config) noexcept;

  // Returns kFull, kTooLarge or kOutOfMemory, and changes nothing, if the newest layer is full and
  // no further layer can be made.
  Result<bool> insert(Hash hash) noexcept;
  [[nodiscard]] bool may_contain(Hash hash) const noexcept;
  void may_contain(std::span<const Hash> hashes, std::uint8_t* answers) const noexcept;

  // The number of stored keys: those that were certainly new when they were added.
  [[nodiscard]] std::uint64_t count() const noexcept { return layers_.count(); }
  // The capacity of the first layer. The filter as a whole has none.
  [[nodiscard]] std::uint64_t capacity() const noexcept { return layers_[0].capacity(); }
  [[nodiscard]] std::size_t layers() const noexcept { return layers_.size(); }
  [[nodiscard]] std::uint32_t growth() const noexcept { return design_.growth; }
  [[nodiscard]] double tightening() const noexcept { return to_rate(design_.tightening); }
  [[nodiscard]] const Hasher& hasher() const noexcept { return hasher_; }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return layers_.size_bytes(); }

  // An upper bound on the rate of all layers together, however many there are.
  [[nodiscard]] double fpr() const noexcept { return to_rate(design_.fpr); }
  [[nodiscard]] double estimated_fpr() const noexcept { return layers_.estimated_fpr(); }

  // Removes all keys, and all layers but the first.
  void clear() noexcept {
    layers_.resize_down(1);
    layers_[0].clear();
  }
  [[nodiscard]] Result<ScalableBloomFilter> clone() const noexcept;
  // A filter with the same options and one empty layer.
  [[nodiscard]] Result<ScalableBloomFilter> empty_copy() const noexcept;
  [[nodiscard]] Status validate() const noexcept;

  [[nodiscard]] Header header() const noexcept;
  void write(ByteWriter& out) const noexcept;
  [[nodiscard]] static Result<ScalableBloomFilter> read(Container& from) noexcept;
  friend bool operator==(const ScalableBloomFilter&, const ScalableBloomFilter&) noexcept = default;

 private:
  // The options as a file stores them: rates in units of 2^-64, rounded down.
  struct Design {
    std::uint64_t capacity = 0;
    std::uint64_t fpr = 0;
    std::uint64_t tightening = 0;
    std::uint32_t growth = 0;

    // Returns kInvalidOption.
    [[nodiscard]] static Result<Design> of(const Config& config) noexcept;
    [[nodiscard]] bool is_allowed() const noexcept;
    // The capacity of layer i, at most 2^53 - 1.
    [[nodiscard]] std::uint64_t capacity_of(std::size_t layer) const noexcept;
    [[nodiscard]] double fpr_of(std::size_t layer) const noexcept;
    friend bool operator==(const Design&, const Design&) noexcept = default;
  };

  ScalableBloomFilter(detail::Subfilters&& layers, const Design& design,
                      const Hasher& hasher) noexcept
      : layers_(std::move(layers)), design_(design), hasher_(hasher) {}

  [[nodiscard]] static Result<ScalableBloomFilter> create(const Design& design,
                                                          const Hasher& hasher) noexcept;
  [[nodiscard]] static double to_rate(std::uint64_t word) noexcept;
  [[nodiscard]] Status grow() noexcept;

  detail::Subfilters layers_;
  Design design_;
  Hasher hasher_;
};

static_assert(MutableFilter<ScalableBloomFilter>);

}  // namespace tamis
