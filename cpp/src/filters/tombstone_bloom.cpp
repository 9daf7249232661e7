#include <tamis/filters/tombstone_bloom.hpp>

#include <tamis/detail/options.hpp>

namespace tamis {
namespace {

using detail::Subfilter;

std::uint64_t deletions_of(const TombstoneBloomFilter::Config& config) noexcept {
  return config.deletions == 0 ? config.capacity : config.deletions;
}

bool is_allowed(const TombstoneBloomFilter::Config& config) noexcept {
  return detail::is_hash_once(config.hasher) && detail::is_capacity(config.capacity) &&
         detail::is_capacity(deletions_of(config)) &&
         detail::is_fpr(config.fpr, TombstoneBloomFilter::kMinFpr);
}

}  // namespace

Result<TombstoneBloomFilter> TombstoneBloomFilter::create(const Config& config) noexcept {
  if (!is_allowed(config)) return Status::kInvalidOption;
  detail::Subfilters subfilters;
  for (const std::uint64_t capacity : {config.capacity, deletions_of(config)}) {
    const Status status =
        subfilters.add(Subfilter::Record::design(capacity, config.fpr), config.hasher);
    if (status != Status::kOk) return status;
  }
  return TombstoneBloomFilter(std::move(subfilters), config.hasher);
}

Result<std::uint64_t> TombstoneBloomFilter::size_for(const Config& config) noexcept {
  if (!is_allowed(config)) return Status::kInvalidOption;
  const auto added = Subfilter::Record::design(config.capacity, config.fpr);
  if (!added.ok()) return added.status();
  const auto deleted = Subfilter::Record::design(deletions_of(config), config.fpr);
  if (!deleted.ok()) return deleted.status();
  return added->size_bytes() + deleted->size_bytes();
}

Result<TombstoneBloomFilter> TombstoneBloomFilter::clone() const noexcept {
  auto subfilters = subfilters_.clone();
  if (!subfilters.ok()) return subfilters.status();
  return TombstoneBloomFilter(std::move(*subfilters), hasher_);
}

Result<TombstoneBloomFilter> TombstoneBloomFilter::empty_copy() const noexcept {
  detail::Subfilters subfilters;
  for (const Subfilter& subfilter : subfilters_) {
    if (const Status status = subfilters.push_back(subfilter.empty_copy()); status != Status::kOk)
      return status;
  }
  return TombstoneBloomFilter(std::move(subfilters), hasher_);
}

Header TombstoneBloomFilter::header() const noexcept {
  return Header::of(kType, hasher_, capacity(), count(), subfilters_.encoded_bytes());
}

Result<TombstoneBloomFilter> TombstoneBloomFilter::read(const Header& header, const Hasher& hasher,
                                                        ByteReader& in) noexcept {
  auto subfilters = detail::Subfilters::read(
      2, hasher, in, [&header](std::size_t i, const Subfilter::Record& record) {
        return i == 1 || record.capacity == header.capacity;
      });
  if (!subfilters.ok()) return subfilters.status();
  TombstoneBloomFilter filter(std::move(*subfilters), hasher);
  if (filter.count() != header.count) return Status::kCorrupt;
  return filter;
}

}  // namespace tamis
