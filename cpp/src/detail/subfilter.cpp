#include <tamis/detail/subfilter.hpp>

#include <algorithm>

#include <tamis/detail/batch.hpp>

namespace tamis::detail {

void Subfilter::turn(std::span<const Hash> hashes, std::uint8_t* answers,
                     std::uint8_t asked) const noexcept {
  turn_answers(hashes, answers, asked, [this](std::span<const Hash> some, std::uint8_t* found) {
    with([=](const auto& filter) { filter.may_contain(some, found); });
  });
}

Result<Subfilter::Record> Subfilter::Record::design(std::uint64_t capacity, double fpr) noexcept {
  if (fpr < kMinFpr) return Status::kFull;
  Record record;
  record.capacity = capacity;
  if (fpr >= kMinBlockedFpr) {
    record.bits = sizing::blocked_bloom_blocks(capacity, fpr) * sizing::kBlockBits;
  } else {
    const auto size = sizing::bloom_size(capacity, fpr);
    record.bits = size.bits;
    record.hashes = size.hashes;
  }
  if (record.bits > sizing::kMaxBits) return Status::kTooLarge;
  return record;
}

Result<Subfilter::Record> Subfilter::Record::read(ByteReader& in) noexcept {
  Record record;
  record.bits = in.u64();
  record.capacity = in.u64();
  record.count = in.u64();
  record.hashes = in.u32();
  const bool is_whole = record.hashes != 0 || record.bits % sizing::kBlockBits == 0;
  const bool is_valid = in.u32() == 0 && !in.overrun() && is_whole && record.bits > 0 &&
                        record.capacity > 0 && record.capacity <= sizing::kMaxCount &&
                        record.count <= sizing::kMaxCount;
  if (!is_valid) return Status::kCorrupt;
  return record;
}

Result<Subfilter> Subfilter::create(const Record& design, const Hasher& hasher) noexcept {
  if (design.hashes == 0) {
    return of(
        BlockedBloomFilter::of_blocks(design.bits / sizing::kBlockBits, design.capacity, hasher));
  }
  BloomFilter::Config config;
  config.capacity = design.capacity;
  config.bits = design.bits;
  config.hashes = design.hashes;
  config.hasher = hasher;
  return of(BloomFilter::create(config));
}

Result<Subfilter> Subfilter::read(const Record& record, const Hasher& hasher,
                                  ByteReader& in) noexcept {
  if (record.hashes == 0) {
    return of(BlockedBloomFilter::read_blocks(record.bits / sizing::kBlockBits, record.capacity,
                                              record.count, hasher, in));
  }
  return of(BloomFilter::read_bits(record.bits, record.hashes, record.capacity, record.count,
                                   hasher, in));
}

Subfilter::Record Subfilter::record() const noexcept {
  const auto* blocked = std::get_if<BlockedBloomFilter>(&filter_);
  const std::uint64_t bits =
      blocked != nullptr ? blocked->blocks() * sizing::kBlockBits : classic().bits();
  return {bits, capacity(), count(), blocked != nullptr ? 0 : classic().hashes()};
}

double Subfilter::fpr() const noexcept {
  return with([](const auto& filter) { return filter.fpr(); });
}

double Subfilter::estimated_fpr() const noexcept {
  return with([](const auto& filter) { return filter.estimated_fpr(); });
}

void Subfilter::write_record(ByteWriter& out) const noexcept {
  const Record fields = record();
  out.u64(fields.bits);
  out.u64(fields.capacity);
  out.u64(fields.count);
  out.u32(fields.hashes);
  out.u32(0);
}

void Subfilter::write_data(ByteWriter& out) const noexcept {
  if (const auto* blocked = std::get_if<BlockedBloomFilter>(&filter_))
    return blocked->write_blocks(out);
  classic().write_bits(out);
}

Status Subfilters::add(const Result<Subfilter::Record>& design, const Hasher& hasher) noexcept {
  if (!design.ok()) return design.status();
  return push_back(Subfilter::create(*design, Subfilter::hasher_of(hasher, size())));
}

Status Subfilters::push_back(Result<Subfilter>&& subfilter) noexcept {
  return subfilter.ok() ? List::push_back(std::move(*subfilter)) : subfilter.status();
}

template <class Copy>
Result<Subfilters> Subfilters::copy_each(Copy copy) const noexcept {
  Subfilters copies;
  for (const Subfilter& subfilter : *this) TAMIS_NEED(copies.push_back(copy(subfilter)));
  return copies;
}

Result<Subfilters> Subfilters::clone() const noexcept {
  return copy_each([](const Subfilter& subfilter) { return subfilter.clone(); });
}

Result<Subfilters> Subfilters::empty_copy() const noexcept {
  return copy_each([](const Subfilter& subfilter) { return subfilter.empty_copy(); });
}

std::uint64_t Subfilters::count() const noexcept {
  std::uint64_t sum = 0;
  for (const Subfilter& subfilter : *this)
    sum = std::min(sum + subfilter.count(), sizing::kMaxCount);
  return sum;
}

std::uint64_t Subfilters::size_bytes() const noexcept {
  std::uint64_t sum = 0;
  for (const Subfilter& subfilter : *this) sum += subfilter.size_bytes();
  return sum;
}

double Subfilters::fpr() const noexcept {
  double rate = 0;
  for (const Subfilter& subfilter : *this) rate += (1 - rate) * subfilter.fpr();
  return rate;
}

double Subfilters::estimated_fpr() const noexcept {
  double rate = 0;
  for (const Subfilter& subfilter : *this) rate += (1 - rate) * subfilter.estimated_fpr();
  return std::min(rate, 1.0);
}

Status Subfilters::validate() const noexcept {
  for (const Subfilter& subfilter : *this) {
    TAMIS_NEED(subfilter.validate());
  }
  return Status::kOk;
}

void Subfilters::write(ByteWriter& out) const noexcept {
  for (const Subfilter& subfilter : *this) subfilter.write_record(out);
  for (const Subfilter& subfilter : *this) subfilter.write_data(out);
}

}  // namespace tamis::detail
