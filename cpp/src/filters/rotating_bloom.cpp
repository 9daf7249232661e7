#include <tamis/filters/rotating_bloom.hpp>

#include <algorithm>

#include <tamis/detail/options.hpp>

namespace tamis {

// Look-ups begin with age 0, the newest generation, because most repeats come soon.
inline const detail::Subfilter& RotatingBloomFilter::generation(std::size_t age) const noexcept {
  return generations_[current_ >= age ? current_ - age : current_ + generations_.size() - age];
}

bool RotatingBloomFilter::may_contain(Hash hash) const noexcept {
  for (std::size_t i = 0; i < generations_.size(); ++i) {
    if (generation(i).may_contain(hash)) return true;
  }
  return false;
}

void RotatingBloomFilter::may_contain(std::span<const Hash> hashes,
                                      std::uint8_t* answers) const noexcept {
  std::fill_n(answers, hashes.size(), std::uint8_t{0});
  for (std::size_t i = 0; i < generations_.size(); ++i) generation(i).turn(hashes, answers, 0);
}

bool RotatingBloomFilter::insert(Hash hash) noexcept {
  const bool is_new = !may_contain(hash);
  generations_[current_].insert(hash);
  return is_new;
}

namespace {

using detail::Subfilter;

// generations u32, current u32, period u64, started u64, start i64
constexpr std::uint32_t kRecordBytes = 32;
constexpr std::int64_t kMaxTime = static_cast<std::int64_t>(sizing::kMaxCount);

bool is_generations(std::uint64_t generations) noexcept {
  return generations >= 2 && generations <= RotatingBloomFilter::kMaxGenerations;
}

// Computes the design that all generations share.
Result<Subfilter::Record> design(const RotatingBloomFilter::Config& config) noexcept {
  const bool is_valid = detail::are_options(config, RotatingBloomFilter::kMinFpr) &&
                        is_generations(config.generations) && config.period_ms <= sizing::kMaxCount;
  if (!is_valid) return Status::kInvalidOption;
  return Subfilter::Record::design(config.capacity, config.fpr / config.generations);
}

}  // namespace

Result<RotatingBloomFilter> RotatingBloomFilter::create(const Config& config) noexcept {
  TAMIS_TRY(record, design(config));
  detail::Subfilters subfilters;
  for (std::uint32_t i = 0; i < config.generations; ++i) {
    TAMIS_NEED(subfilters.add(record, config.hasher));
  }
  return RotatingBloomFilter(std::move(subfilters), config.period_ms, config.hasher);
}

Result<std::uint64_t> RotatingBloomFilter::size_for(const Config& config) noexcept {
  TAMIS_TRY(record, design(config));
  return record->size_bytes() * config.generations;
}

void RotatingBloomFilter::rotate() noexcept {
  current_ = (current_ + 1) % generations_.size();
  generations_[current_].clear();
}

Result<std::uint64_t> RotatingBloomFilter::advance(std::int64_t now_ms) noexcept {
  if (period_ms_ == 0 || now_ms > kMaxTime || now_ms < -kMaxTime) return Status::kInvalidOption;
  if (!has_started_) {
    has_started_ = true;
    start_ms_ = now_ms;
    return 0;
  }
  if (now_ms <= start_ms_) return 0;
  const std::uint64_t periods = static_cast<std::uint64_t>(now_ms - start_ms_) / period_ms_;
  const std::uint64_t rotations = std::min<std::uint64_t>(periods, generations_.size());
  for (std::uint64_t i = 0; i < rotations; ++i) rotate();
  start_ms_ += static_cast<std::int64_t>(periods * period_ms_);
  return periods;
}

void RotatingBloomFilter::clear() noexcept {
  for (Subfilter& subfilter : generations_) subfilter.clear();
  current_ = 0;
  has_started_ = false;
  start_ms_ = 0;
}

Result<RotatingBloomFilter> RotatingBloomFilter::clone() const noexcept {
  TAMIS_TRY(subfilters, generations_.clone());
  RotatingBloomFilter copy(std::move(*subfilters), period_ms_, hasher_);
  copy.current_ = current_;
  copy.has_started_ = has_started_;
  copy.start_ms_ = start_ms_;
  return copy;
}

Result<RotatingBloomFilter> RotatingBloomFilter::empty_copy() const noexcept {
  TAMIS_TRY(subfilters, generations_.empty_copy());
  return RotatingBloomFilter(std::move(*subfilters), period_ms_, hasher_);
}

Header RotatingBloomFilter::header() const noexcept {
  return Header::of(kType, hasher_, capacity(), count(),
                    kRecordBytes + generations_.encoded_bytes());
}

void RotatingBloomFilter::write(ByteWriter& out) const noexcept {
  out.u32(static_cast<std::uint32_t>(generations_.size()));
  out.u32(static_cast<std::uint32_t>(current_));
  out.u64(period_ms_);
  out.u64(has_started_ ? 1 : 0);
  out.u64(static_cast<std::uint64_t>(start_ms_));
  generations_.write(out);
}

Result<RotatingBloomFilter> RotatingBloomFilter::read(Container& from) noexcept {
  const std::uint32_t generations = from.payload.u32();
  const std::uint32_t current = from.payload.u32();
  const std::uint64_t period_ms = from.payload.u64();
  const std::uint64_t started = from.payload.u64();
  const auto start_ms = static_cast<std::int64_t>(from.payload.u64());
  const bool is_valid = is_generations(generations) && current < generations &&
                        period_ms <= sizing::kMaxCount && started <= (period_ms == 0 ? 0 : 1) &&
                        start_ms <= kMaxTime && start_ms >= -kMaxTime &&
                        (started == 1 || start_ms == 0);
  if (!is_valid) return Status::kCorrupt;
  Subfilter::Record first;
  const auto is_right = [&](std::size_t i, const Subfilter::Record& record) {
    if (i == 0) first = record;
    return record.capacity == from.header.capacity && record.is_like(first);
  };
  TAMIS_TRY(subfilters, detail::Subfilters::read(generations, from.hasher, from.payload, is_right));
  RotatingBloomFilter filter(std::move(*subfilters), period_ms, from.hasher);
  filter.current_ = current;
  filter.has_started_ = started == 1;
  filter.start_ms_ = start_ms;
  if (filter.count() != from.header.count) return Status::kCorrupt;
  return filter;
}

}  // namespace tamis
