#include <tamis/filters/counting_bloom.hpp>

#include <algorithm>

#include <tamis/detail/options.hpp>

namespace tamis {
namespace {

constexpr std::uint32_t kRecordBytes = 16;  // counters u64, hashes u32, counter bits u32

bool is_counter_bits(std::uint32_t bits) noexcept { return bits >= 2 && bits <= 16; }

Result<sizing::BloomSize> size_of(const CountingBloomFilter::Config& config) noexcept {
  if (!detail::is_hash_once(config.hasher) || !detail::is_capacity(config.capacity) ||
      !detail::is_fpr(config.fpr) || !is_counter_bits(config.counter_bits)) {
    return Status::kInvalidOption;
  }
  const auto size = sizing::bloom_size(config.capacity, config.fpr);
  if (size.bits > sizing::kMaxBits / config.counter_bits) return Status::kTooLarge;
  return size;
}

}  // namespace

Result<CountingBloomFilter> CountingBloomFilter::create(const Config& config) noexcept {
  const auto size = size_of(config);
  if (!size.ok()) return size.status();
  auto counters = detail::PackedArray::zeroed(size->bits, config.counter_bits);
  if (!counters.ok()) return counters.status();
  return CountingBloomFilter(std::move(*counters), size->hashes, config.capacity, 0, config.hasher);
}

Result<std::uint64_t> CountingBloomFilter::size_for(const Config& config) noexcept {
  const auto size = size_of(config);
  if (!size.ok()) return size.status();
  return detail::PackedArray::byte_count(size->bits, config.counter_bits);
}

Status CountingBloomFilter::merge(const CountingBloomFilter& other) noexcept {
  const bool is_alike = hasher_.is_same(other.hasher_) && counters() == other.counters() &&
                        hashes_ == other.hashes_ && counter_bits() == other.counter_bits();
  if (!is_alike) return Status::kIncompatible;
  for (std::uint64_t i = 0; i < counters(); ++i) {
    counters_.set(i, std::min(counters_.get(i) + other.counters_.get(i), counters_.max()));
  }
  count_ = std::min(count_ + other.count_, sizing::kMaxCount);
  return Status::kOk;
}

Result<BloomFilter> CountingBloomFilter::to_bloom() const noexcept {
  auto bits = detail::BitWords::zeroed(counters());
  if (!bits.ok()) return bits.status();
  bool is_empty = true;
  for (std::uint64_t i = 0; i < counters(); ++i) {
    if (counters_.get(i) == 0) continue;
    bits->set(i);
    is_empty = false;
  }
  // A Bloom filter has a bit set exactly where a key was counted.
  const std::uint64_t count = is_empty ? 0 : std::max<std::uint64_t>(count_, 1);
  return BloomFilter::of_bits(std::move(*bits), hashes_, capacity_, count, hasher_);
}

double CountingBloomFilter::estimated_fpr() const noexcept {
  const auto used = static_cast<double>(counters_.count_nonzero());
  return sizing::power(used / static_cast<double>(counters()), hashes_);
}

Result<CountingBloomFilter> CountingBloomFilter::clone() const noexcept {
  auto counters = counters_.clone();
  if (!counters.ok()) return counters.status();
  return CountingBloomFilter(std::move(*counters), hashes_, capacity_, count_, hasher_);
}

Result<CountingBloomFilter> CountingBloomFilter::empty_copy() const noexcept {
  auto counters = detail::PackedArray::zeroed(counters_.size(), counter_bits());
  if (!counters.ok()) return counters.status();
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

Result<CountingBloomFilter> CountingBloomFilter::read(const Header& header, const Hasher& hasher,
                                                      ByteReader& in) noexcept {
  const std::uint64_t size = in.u64();
  const std::uint32_t hashes = in.u32();
  const std::uint32_t counter_bits = in.u32();
  if (!is_counter_bits(counter_bits)) return Status::kCorrupt;
  auto counters = detail::PackedArray::read(in, size, counter_bits);
  if (!counters.ok()) return counters.status();
  CountingBloomFilter filter(std::move(*counters), hashes, header.capacity, header.count, hasher);
  if (const Status status = filter.validate(); status != Status::kOk) return status;
  return filter;
}

}  // namespace tamis
