#include <tamis/detail/part.hpp>

#include <algorithm>

namespace tamis::detail {

// Here, since each Result would bring a copy of them.
Part::Part(Part&&) noexcept = default;
Part& Part::operator=(Part&&) noexcept = default;
Part::~Part() = default;
Parts::Parts(Parts&&) noexcept = default;
Parts& Parts::operator=(Parts&&) noexcept = default;
Parts::~Parts() = default;

Result<Part::Record> Part::Record::design(std::uint64_t capacity, double fpr) noexcept {
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

Result<Part::Record> Part::Record::read(ByteReader& in) noexcept {
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

Result<Part> Part::create(const Record& design, const Hasher& hasher) noexcept {
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

Result<Part> Part::read(const Record& record, const Hasher& hasher, ByteReader& in) noexcept {
  if (record.hashes == 0) {
    return of(BlockedBloomFilter::read_blocks(record.bits / sizing::kBlockBits, record.capacity,
                                              record.count, hasher, in));
  }
  return of(BloomFilter::read_bits(record.bits, record.hashes, record.capacity, record.count,
                                   hasher, in));
}

Part::Record Part::record() const noexcept {
  const auto* blocked = std::get_if<BlockedBloomFilter>(&filter_);
  const std::uint64_t bits =
      blocked != nullptr ? blocked->blocks() * sizing::kBlockBits : classic().bits();
  return {bits, capacity(), count(), blocked != nullptr ? 0 : classic().hashes()};
}

double Part::fpr() const noexcept {
  return with([](const auto& filter) { return filter.fpr(); });
}

double Part::estimated_fpr() const noexcept {
  return with([](const auto& filter) { return filter.estimated_fpr(); });
}

void Part::write_record(ByteWriter& out) const noexcept {
  const Record fields = record();
  out.u64(fields.bits);
  out.u64(fields.capacity);
  out.u64(fields.count);
  out.u32(fields.hashes);
  out.u32(0);
}

void Part::write_data(ByteWriter& out) const noexcept {
  if (const auto* blocked = std::get_if<BlockedBloomFilter>(&filter_))
    return blocked->write_blocks(out);
  classic().write_bits(out);
}

Status Parts::add(const Result<Part::Record>& design, const Hasher& hasher) noexcept {
  if (!design.ok()) return design.status();
  return push_back(Part::create(*design, Part::hasher_of(hasher, size())));
}

Status Parts::push_back(Result<Part>&& part) noexcept {
  return part.ok() ? List::push_back(std::move(*part)) : part.status();
}

Result<Parts> Parts::clone() const noexcept {
  Parts copy;
  for (const Part& part : *this) {
    if (const Status status = copy.push_back(part.clone()); status != Status::kOk) return status;
  }
  return copy;
}

std::uint64_t Parts::count() const noexcept {
  std::uint64_t sum = 0;
  for (const Part& part : *this) sum = std::min(sum + part.count(), sizing::kMaxCount);
  return sum;
}

std::uint64_t Parts::size_bytes() const noexcept {
  std::uint64_t sum = 0;
  for (const Part& part : *this) sum += part.size_bytes();
  return sum;
}

double Parts::fpr() const noexcept {
  double rate = 0;
  for (const Part& part : *this) rate += (1 - rate) * part.fpr();
  return rate;
}

double Parts::estimated_fpr() const noexcept {
  double rate = 0;
  for (const Part& part : *this) rate += (1 - rate) * part.estimated_fpr();
  return std::min(rate, 1.0);
}

Status Parts::validate() const noexcept {
  for (const Part& part : *this) {
    if (const Status status = part.validate(); status != Status::kOk) return status;
  }
  return Status::kOk;
}

void Parts::write(ByteWriter& out) const noexcept {
  for (const Part& part : *this) part.write_record(out);
  for (const Part& part : *this) part.write_data(out);
}

}  // namespace tamis::detail
