#include <tamis/filters/tombstone_bloom.hpp>

#include <tamis/detail/options.hpp>

namespace tamis {

Result<bool> TombstoneBloomFilter::insert(Hash hash) noexcept {
  if (deleted().may_contain(hash)) return Status::kTombstoned;
  return added().insert(hash);
}

bool TombstoneBloomFilter::may_contain(Hash hash) const noexcept {
  return added().may_contain(hash) && !deleted().may_contain(hash);
}

void TombstoneBloomFilter::may_contain(std::span<const Hash> hashes,
                                       std::uint8_t* answers) const noexcept {
  std::fill_n(answers, hashes.size(), std::uint8_t{0});
  added().turn(hashes, answers, 0);
  deleted().turn(hashes, answers, 1);
}

namespace {

using detail::Subfilter;

std::uint64_t deletions_of(const TombstoneBloomFilter::Config& config) noexcept {
  return config.deletions == 0 ? config.capacity : config.deletions;
}

bool is_allowed(const TombstoneBloomFilter::Config& config) noexcept {
  return detail::are_options(config, TombstoneBloomFilter::kMinFpr) &&
         detail::is_capacity(deletions_of(config));
}

}  // namespace

Result<TombstoneBloomFilter> TombstoneBloomFilter::create(const Config& config) noexcept {
  if (!is_allowed(config)) return Status::kInvalidOption;
  detail::Subfilters subfilters;
  for (const std::uint64_t capacity : {config.capacity, deletions_of(config)}) {
    TAMIS_NEED(subfilters.add(Subfilter::Record::design(capacity, config.fpr), config.hasher));
  }
  return TombstoneBloomFilter(std::move(subfilters), config.hasher);
}

Result<std::uint64_t> TombstoneBloomFilter::size_for(const Config& config) noexcept {
  if (!is_allowed(config)) return Status::kInvalidOption;
  TAMIS_TRY(added, Subfilter::Record::design(config.capacity, config.fpr));
  TAMIS_TRY(deleted, Subfilter::Record::design(deletions_of(config), config.fpr));
  return added->size_bytes() + deleted->size_bytes();
}

Result<TombstoneBloomFilter> TombstoneBloomFilter::clone() const noexcept {
  TAMIS_TRY(subfilters, subfilters_.clone());
  return TombstoneBloomFilter(std::move(*subfilters), hasher_);
}

Result<TombstoneBloomFilter> TombstoneBloomFilter::empty_copy() const noexcept {
  TAMIS_TRY(subfilters, subfilters_.empty_copy());
  return TombstoneBloomFilter(std::move(*subfilters), hasher_);
}

Header TombstoneBloomFilter::header() const noexcept {
  return Header::of(kType, hasher_, capacity(), count(), subfilters_.encoded_bytes());
}

Result<TombstoneBloomFilter> TombstoneBloomFilter::read(Container& from) noexcept {
  const auto is_right = [&from](std::size_t i, const Subfilter::Record& record) {
    return i == 1 || record.capacity == from.header.capacity;
  };
  TAMIS_TRY(subfilters, detail::Subfilters::read(2, from.hasher, from.payload, is_right));
  TombstoneBloomFilter filter(std::move(*subfilters), from.hasher);
  if (filter.count() != from.header.count) return Status::kCorrupt;
  return filter;
}

}  // namespace tamis
