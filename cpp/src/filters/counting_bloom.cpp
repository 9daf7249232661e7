#include <tamis/filters/counting_bloom.hpp>

#include <algorithm>

#include <tamis/detail/batch.hpp>
#include <tamis/detail/mcg_positions.hpp>
#include <tamis/detail/options.hpp>

namespace tamis {

bool CountingBloomFilter::insert(Hash hash) noexcept {
  bool is_new = false;
  for (const std::uint64_t i : detail::DistinctPositions(hasher_.mix(hash), counters(), hashes_)) {
    const std::uint32_t counter = counters_.get(i);
    is_new |= counter == 0;
    if (counter != counters_.max()) counters_.set(i, counter + 1);
  }
  count_ = std::min(count_ + 1, sizing::kMaxCount);
  return is_new;
}

inline bool CountingBloomFilter::are_positive(std::uint64_t g) const noexcept {
  return detail::holds_of_all(g, counters(), hashes_, [this](std::uint64_t position) {
    return counters_.get(position) != 0;
  });
}

bool CountingBloomFilter::may_contain(Hash hash) const noexcept {
  return are_positive(hasher_.mix(hash));
}

void CountingBloomFilter::may_contain(std::span<const Hash> hashes,
                                      std::uint8_t* answers) const noexcept {
  detail::probe_in_batches(
      hashes, answers, [this](Hash hash) { return hasher_.mix(hash); },
      [this](std::uint64_t g) { return are_positive(g); });
}

bool CountingBloomFilter::erase(Hash hash) noexcept {
  if (!may_contain(hash)) return false;
  for (const std::uint64_t i : detail::DistinctPositions(hasher_.mix(hash), counters(), hashes_)) {
    const std::uint32_t counter = counters_.get(i);
    if (counter != counters_.max()) counters_.set(i, counter - 1);
  }
  if (count_ > 0) --count_;
  return true;
}

std::uint32_t CountingBloomFilter::count_of(Hash hash) const noexcept {
  std::uint32_t least = counters_.max();
  detail::McgPositions probe(hasher_.mix(hash), counters());
  for (std::uint32_t i = 0; i < hashes_; ++i) least = std::min(least, counters_.get(probe.next()));
  return least;
}

namespace {

constexpr std::uint32_t kRecordBytes = 16;  // counters u64, hashes u32, counter bits u32

bool is_counter_bits(std::uint32_t bits) noexcept { return bits >= 2 && bits <= 16; }

Result<sizing::BloomSize> size_of(const CountingBloomFilter::Config& config) noexcept {
  if (!detail::are_options(config) || !is_counter_bits(config.counter_bits)) {
    return Status::kInvalidOption;
  }
  const auto size = sizing::bloom_size(config.capacity, config.fpr);
  if (size.bits > sizing::kMaxBits / config.counter_bits) return Status::kTooLarge;
  return size;
}

}  // namespace

Result<CountingBloomFilter> CountingBloomFilter::create(const Config& config) noexcept {
  TAMIS_TRY(size, size_of(config));
  TAMIS_TRY(counters, detail::PackedArray::zeroed(size->bits, config.counter_bits));
  return CountingBloomFilter(std::move(*counters), size->hashes, config.capacity, 0, config.hasher);
}

Result<std::uint64_t> CountingBloomFilter::size_for(const Config& config) noexcept {
  TAMIS_TRY(size, size_of(config));
  return detail::PackedArray::byte_count(size->bits, config.counter_bits);
}

Status CountingBloomFilter::merge(const CountingBloomFilter& other) noexcept {
  const bool is_alike = hasher_ == other.hasher_ && counters() == other.counters() &&
                        hashes_ == other.hashes_ && counter_bits() == other.counter_bits();
  if (!is_alike) return Status::kIncompatible;
  for (std::uint64_t i = 0; i < counters(); ++i) {
    counters_.set(i, std::min(counters_.get(i) + other.counters_.get(i), counters_.max()));
  }
  count_ = std::min(count_ + other.count_, sizing::kMaxCount);
  return Status::kOk;
}

Result<BloomFilter> CountingBloomFilter::to_bloom() const noexcept {
  TAMIS_TRY(bits, detail::BitWords::zeroed(counters()));
  bool is_empty = true;
  for (std::uint64_t i = 0; i < counters(); ++i) {
    if (counters_.get(i) == 0) continue;
    bits->set(i);
    is_empty = false;
  }
  // A valid Bloom filter has set bits if and only if its count is above 0.
  const std::uint64_t count = is_empty ? 0 : std::max<std::uint64_t>(count_, 1);
  return BloomFilter(std::move(*bits), hashes_, capacity_, hasher_, count);
}

double CountingBloomFilter::fpr() const noexcept {
  return sizing::bloom_fpr(static_cast<double>(counters()), hashes_,
                           static_cast<double>(capacity_));
}

double CountingBloomFilter::estimated_fpr() const noexcept {
  const auto used = static_cast<double>(counters_.count_nonzero());
  return sizing::power(used / static_cast<double>(counters()), hashes_);
}

Result<CountingBloomFilter> CountingBloomFilter::clone() const noexcept {
  TAMIS_TRY(counters, counters_.clone());
  return CountingBloomFilter(std::move(*counters), hashes_, capacity_, count_, hasher_);
}

Result<CountingBloomFilter> CountingBloomFilter::empty_copy() const noexcept {
  TAMIS_TRY(counters, detail::PackedArray::zeroed(counters_.size(), counter_bits()));
  return CountingBloomFilter(std::move(*counters), hashes_, capacity_, 0, hasher_);
}

Status CountingBloomFilter::validate() const noexcept {
  const bool is_valid = counters() > 0 && hashes_ > 0 && hashes_ <= sizing::kMaxHashes &&
                        capacity_ > 0 && is_counter_bits(counter_bits()) && counters_.is_valid();
  return is_valid ? Status::kOk : Status::kCorrupt;
}

Header CountingBloomFilter::header() const noexcept {
  return Header::of(kType, hasher_, capacity_, count_, kRecordBytes + size_bytes());
}

void CountingBloomFilter::write(ByteWriter& out) const noexcept {
  out.u64(counters());
  out.u32(hashes_);
  out.u32(counter_bits());
  counters_.write(out);
}

Result<CountingBloomFilter> CountingBloomFilter::read(Container& from) noexcept {
  const std::uint64_t size = from.payload.u64();
  const std::uint32_t hashes = from.payload.u32();
  const std::uint32_t counter_bits = from.payload.u32();
  if (!is_counter_bits(counter_bits)) return Status::kCorrupt;
  TAMIS_TRY(counters, detail::PackedArray::read(from.payload, size, counter_bits));
  return keep_valid(CountingBloomFilter(std::move(*counters), hashes, from.header.capacity,
                                        from.header.count, from.hasher));
}

}  // namespace tamis
