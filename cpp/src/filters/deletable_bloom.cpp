#include <tamis/filters/deletable_bloom.hpp>

#include <algorithm>

#include <tamis/detail/batch.hpp>
#include <tamis/detail/mcg_positions.hpp>
#include <tamis/detail/options.hpp>

namespace tamis {

// Reads all bits before it sets any, so that a position that occurs twice does not lock its region.
bool DeletableBloomFilter::insert(Hash hash) noexcept {
  const std::uint64_t g = hasher_.mix(hash);
  detail::McgPositions look(g, bits());
  bool is_new = false;
  for (std::uint32_t i = 0; i < hashes_; ++i) {
    const std::uint64_t position = look.next();
    if (bits_.test(position)) {
      locked_.set(map_.of(position));
    } else {
      is_new = true;
    }
  }
  // Regions are locked even if the key sets no new bit: the key is now in the filter, and shares
  // its bits with keys that may be deleted.
  if (!is_new) return false;
  detail::McgPositions mark(g, bits());
  for (std::uint32_t i = 0; i < hashes_; ++i) bits_.set(mark.next());
  count_ = std::min(count_ + 1, sizing::kMaxCount);
  return true;
}

inline bool DeletableBloomFilter::are_set(std::uint64_t g) const noexcept {
  return detail::holds_of_all(g, bits(), hashes_,
                              [this](std::uint64_t position) { return bits_.test(position); });
}

bool DeletableBloomFilter::may_contain(Hash hash) const noexcept {
  return are_set(hasher_.mix(hash));
}

void DeletableBloomFilter::may_contain(std::span<const Hash> hashes,
                                       std::uint8_t* answers) const noexcept {
  detail::probe_in_batches(
      hashes, answers, [this](Hash hash) { return hasher_.mix(hash); },
      [this](std::uint64_t g) { return are_set(g); });
}

bool DeletableBloomFilter::is_deletable(Hash hash) const noexcept {
  if (!may_contain(hash)) return false;
  detail::McgPositions probe(hasher_.mix(hash), bits());
  bool is_free = false;
  for (std::uint32_t i = 0; !is_free && i < hashes_; ++i)
    is_free = !locked_.test(map_.of(probe.next()));
  return is_free;
}

Result<bool> DeletableBloomFilter::erase(Hash hash) noexcept {
  if (!may_contain(hash)) return false;
  detail::McgPositions probe(hasher_.mix(hash), bits());
  bool is_cleared = false;
  for (std::uint32_t i = 0; i < hashes_; ++i) {
    const std::uint64_t position = probe.next();
    // If a position occurs twice, its bit is already clear at the second time.
    if (locked_.test(map_.of(position)) || !bits_.test(position)) continue;
    bits_.toggle(position);
    is_cleared = true;
  }
  if (!is_cleared) return Status::kNotDeletable;
  count_ -= count_ > 0 ? 1 : 0;
  return true;
}

namespace {

constexpr std::uint32_t kRecordBytes = 24;  // bits u64, hashes u32, zero u32, regions u64

struct Geometry {
  std::uint64_t bits;
  std::uint32_t hashes;
  std::uint64_t regions;
};

bool is_allowed(const Geometry& geometry) noexcept {
  return geometry.bits > 0 && geometry.bits <= sizing::kMaxDeletableBits && geometry.hashes > 0 &&
         geometry.hashes <= sizing::kMaxHashes && geometry.regions > 0 &&
         geometry.regions <= geometry.bits;
}

Result<Geometry> geometry_of(const DeletableBloomFilter::Config& config) noexcept {
  if (!detail::are_options(config)) return Status::kInvalidOption;
  const auto size = sizing::bloom_size(config.capacity, config.fpr);
  if (size.bits > sizing::kMaxDeletableBits) return Status::kTooLarge;
  const std::uint64_t regions =
      config.regions != 0 ? config.regions : sizing::deletable_regions(size.bits);
  const Geometry geometry{size.bits, size.hashes, regions};
  if (!is_allowed(geometry)) return Status::kInvalidOption;
  return geometry;
}

}  // namespace

Result<DeletableBloomFilter> DeletableBloomFilter::make(std::uint64_t bits, std::uint32_t hashes,
                                                        std::uint64_t regions,
                                                        std::uint64_t capacity,
                                                        const Hasher& hasher) noexcept {
  TAMIS_TRY(array, detail::BitWords::zeroed(bits));
  TAMIS_TRY(locked, detail::BitWords::zeroed(regions));
  return DeletableBloomFilter(std::move(*array), std::move(*locked), hashes, capacity, hasher, 0);
}

Result<DeletableBloomFilter> DeletableBloomFilter::create(const Config& config) noexcept {
  TAMIS_TRY(geometry, geometry_of(config));
  return make(geometry->bits, geometry->hashes, geometry->regions, config.capacity, config.hasher);
}

Result<std::uint64_t> DeletableBloomFilter::size_for(const Config& config) noexcept {
  TAMIS_TRY(geometry, geometry_of(config));
  return detail::BitWords::byte_count(geometry->bits) +
         detail::BitWords::byte_count(geometry->regions);
}

double DeletableBloomFilter::deletable_ratio() const noexcept {
  if (count_ == 0) return 1;
  std::uint64_t own = 0;
  map_.for_each([&](std::uint64_t region, std::uint64_t begin, std::uint64_t end) {
    if (!locked_.test(region)) own += bits_.popcount(begin, end);
  });
  return sizing::deletable_ratio(static_cast<double>(own), hashes_, static_cast<double>(count_));
}

double DeletableBloomFilter::fpr() const noexcept {
  return sizing::bloom_fpr(static_cast<double>(bits()), hashes_, static_cast<double>(capacity_));
}

double DeletableBloomFilter::estimated_fpr() const noexcept {
  return sizing::power(static_cast<double>(bits_.popcount()) / static_cast<double>(bits()),
                       hashes_);
}

Result<DeletableBloomFilter> DeletableBloomFilter::clone() const noexcept {
  TAMIS_TRY(bits, bits_.clone());
  TAMIS_TRY(locked, locked_.clone());
  return DeletableBloomFilter(std::move(*bits), std::move(*locked), hashes_, capacity_, hasher_,
                              count_);
}

Result<DeletableBloomFilter> DeletableBloomFilter::empty_copy() const noexcept {
  return make(bits(), hashes_, regions(), capacity_, hasher_);
}

// The count cannot be compared with the bits: bits in locked regions remain when their keys are
// erased, and erasing a key that was not inserted may have cleared bits of several keys.
Status DeletableBloomFilter::validate() const noexcept {
  if (!is_allowed({bits(), hashes_, regions()}) || capacity_ == 0 || !bits_.is_valid() ||
      !locked_.is_valid()) {
    return Status::kCorrupt;
  }
  bool is_valid = true;
  map_.for_each([&](std::uint64_t region, std::uint64_t begin, std::uint64_t end) {
    if (locked_.test(region) && bits_.popcount(begin, end) == 0) is_valid = false;
  });
  return is_valid ? Status::kOk : Status::kCorrupt;
}

Header DeletableBloomFilter::header() const noexcept {
  return Header::of(kType, hasher_, capacity_, count_, kRecordBytes + size_bytes());
}

void DeletableBloomFilter::write(ByteWriter& out) const noexcept {
  out.u64(bits());
  out.u32(hashes_);
  out.u32(0);
  out.u64(regions());
  bits_.write(out);
  locked_.write(out);
}

Result<DeletableBloomFilter> DeletableBloomFilter::read(Container& from) noexcept {
  const std::uint64_t bit_count = from.payload.u64();
  const std::uint32_t hashes = from.payload.u32();
  const std::uint32_t reserved = from.payload.u32();
  const std::uint64_t regions = from.payload.u64();
  if (reserved != 0 || !is_allowed({bit_count, hashes, regions})) return Status::kCorrupt;
  TAMIS_TRY(bits, detail::BitWords::read(from.payload, bit_count));
  TAMIS_TRY(locked, detail::BitWords::read(from.payload, regions));
  return keep_valid(DeletableBloomFilter(std::move(*bits), std::move(*locked), hashes,
                                         from.header.capacity, from.hasher, from.header.count));
}

}  // namespace tamis
