#include <tamis/filters/scalable_bloom.hpp>

#include <algorithm>

#include <tamis/detail/options.hpp>

namespace tamis {

bool ScalableBloomFilter::may_contain(Hash hash) const noexcept {
  // The newest layer comes first: with growth 2 or more it contains half of all keys.
  for (std::size_t i = layers_.size(); i-- > 0;) {
    if (layers_[i].may_contain(hash)) return true;
  }
  return false;
}

void ScalableBloomFilter::may_contain(std::span<const Hash> hashes,
                                      std::uint8_t* answers) const noexcept {
  std::fill_n(answers, hashes.size(), std::uint8_t{0});
  for (std::size_t i = layers_.size(); i-- > 0;) layers_[i].turn(hashes, answers, 0);
}

Result<bool> ScalableBloomFilter::insert(Hash hash) noexcept {
  if (may_contain(hash)) return false;
  // A layer counts as full when its capacity is reached. To measure its set bits would need a pass
  // over the layer.
  if (layers_.back().count() == layers_.back().capacity()) {
    TAMIS_NEED(grow());
  }
  return layers_.back().insert(hash);
}

namespace {

using detail::Subfilter;

constexpr std::uint32_t kRecordBytes = 24;  // growth u32, layers u32, fpr u64, tightening u64

// The tolerance for writers whose logarithms are rounded differently.
constexpr double kRateTolerance = 1e-9;

constexpr std::uint64_t to_word(double rate) noexcept {
  return static_cast<std::uint64_t>(rate * 0x1p64);
}

// The highest 53 bits of the word, which a double can represent.
constexpr std::uint64_t cut(std::uint64_t word) noexcept {
  int shift = 0;
  while (word >> shift >= std::uint64_t{1} << 53) ++shift;
  return word >> shift << shift;
}

}  // namespace

double ScalableBloomFilter::to_rate(std::uint64_t word) noexcept {
  return static_cast<double>(word) * 0x1p-64;
}

Result<ScalableBloomFilter::Design> ScalableBloomFilter::Design::of(const Config& config) noexcept {
  const bool is_valid = detail::are_options(config, ScalableBloomFilter::kMinFpr) &&
                        config.tightening >= kMinTightening && config.tightening <= kMaxTightening;
  if (!is_valid) return Status::kInvalidOption;
  const Design design{config.capacity, to_word(config.fpr), to_word(config.tightening),
                      config.growth};
  if (!design.is_allowed()) return Status::kInvalidOption;
  return design;
}

bool ScalableBloomFilter::Design::is_allowed() const noexcept {
  return capacity > 0 && growth >= 1 && growth <= kMaxGrowth && fpr >= to_word(kMinFpr) &&
         tightening >= to_word(kMinTightening) && tightening <= to_word(kMaxTightening) &&
         cut(fpr) == fpr && cut(tightening) == tightening;
}

std::uint64_t ScalableBloomFilter::Design::capacity_of(std::size_t layer) const noexcept {
  std::uint64_t keys = capacity;
  for (std::size_t i = 0; i < layer; ++i) keys = std::min(keys * growth, sizing::kMaxCount);
  return keys;
}

double ScalableBloomFilter::Design::fpr_of(std::size_t layer) const noexcept {
  const double t = to_rate(tightening);
  return to_rate(fpr) * (1 - t) * sizing::power(t, static_cast<std::uint32_t>(layer));
}

Result<ScalableBloomFilter> ScalableBloomFilter::create(const Design& design,
                                                        const Hasher& hasher) noexcept {
  ScalableBloomFilter filter({}, design, hasher);
  TAMIS_NEED(filter.grow());
  return filter;
}

Result<ScalableBloomFilter> ScalableBloomFilter::create(const Config& config) noexcept {
  TAMIS_TRY(design, Design::of(config));
  return create(*design, config.hasher);
}

Result<std::uint64_t> ScalableBloomFilter::size_for(const Config& config) noexcept {
  TAMIS_TRY(design, Design::of(config));
  TAMIS_TRY(record, Subfilter::Record::design(config.capacity, design->fpr_of(0)));
  return record->size_bytes();
}

Status ScalableBloomFilter::grow() noexcept {
  const std::size_t layer = layers_.size();
  if (layer == kMaxLayers) return Status::kFull;
  return layers_.add(Subfilter::Record::design(design_.capacity_of(layer), design_.fpr_of(layer)),
                     hasher_);
}

Result<ScalableBloomFilter> ScalableBloomFilter::clone() const noexcept {
  TAMIS_TRY(layers, layers_.clone());
  return ScalableBloomFilter(std::move(*layers), design_, hasher_);
}

Result<ScalableBloomFilter> ScalableBloomFilter::empty_copy() const noexcept {
  return create(design_, hasher_);
}

Status ScalableBloomFilter::validate() const noexcept {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    // All layers but the last must be full, and a layer is only made for a key.
    const bool is_last = i + 1 == layers_.size();
    const std::uint64_t count = layers_[i].count(), capacity = layers_[i].capacity();
    const bool is_valid = is_last ? count <= capacity && (count > 0 || i == 0) : count == capacity;
    if (!is_valid) return Status::kCorrupt;
  }
  return layers_.validate();
}

Header ScalableBloomFilter::header() const noexcept {
  return Header::of(kType, hasher_, capacity(), count(), kRecordBytes + layers_.encoded_bytes());
}

void ScalableBloomFilter::write(ByteWriter& out) const noexcept {
  out.u32(design_.growth);
  out.u32(static_cast<std::uint32_t>(layers_.size()));
  out.u64(design_.fpr);
  out.u64(design_.tightening);
  layers_.write(out);
}

Result<ScalableBloomFilter> ScalableBloomFilter::read(Container& from) noexcept {
  Design design;
  design.capacity = from.header.capacity;
  design.growth = from.payload.u32();
  const std::uint32_t layers = from.payload.u32();
  design.fpr = from.payload.u64();
  design.tightening = from.payload.u64();
  if (!design.is_allowed() || layers == 0 || layers > kMaxLayers) return Status::kCorrupt;
  const auto is_right = [&design](std::size_t i, const Subfilter::Record& record) {
    return record.capacity == design.capacity_of(i);
  };
  TAMIS_TRY(subfilters, detail::Subfilters::read(layers, from.hasher, from.payload, is_right));
  // A writer may choose the size of a layer, but the layer must keep the promised rate.
  for (std::size_t i = 0; i < subfilters->size(); ++i) {
    if ((*subfilters)[i].fpr() > design.fpr_of(i) * (1 + kRateTolerance)) return Status::kCorrupt;
  }
  ScalableBloomFilter filter(std::move(*subfilters), design, from.hasher);
  if (filter.count() != from.header.count) return Status::kCorrupt;
  return keep_valid(std::move(filter));
}

}  // namespace tamis
