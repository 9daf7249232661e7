#include <tamis/filters/cuckoo.hpp>

#include <algorithm>
#include <bit>

#include <tamis/detail/options.hpp>

namespace tamis {
namespace {

constexpr std::uint32_t kRecordBytes =
    16;  // buckets u32, bucket size u32, fingerprint bits u32, zero u32

bool is_bucket_size(std::uint32_t size) noexcept { return std::has_single_bit(size) && size <= 8; }

bool is_fingerprint_bits(std::uint32_t bits) noexcept {
  return bits >= sizing::kMinCuckooBits && bits <= sizing::kMaxCuckooBits;
}

Result<sizing::CuckooSize> size_of(const CuckooFilter::Config& config) noexcept {
  if (!detail::is_hash_once(config.hasher) || !detail::is_capacity(config.capacity) ||
      !is_bucket_size(config.bucket_size)) {
    return Status::kInvalidOption;
  }
  sizing::CuckooSize size{0, config.fingerprint_bits};
  if (size.fingerprint_bits == 0) {
    if (!detail::is_fpr(config.fpr)) return Status::kInvalidOption;
    size = sizing::cuckoo_size(config.capacity, config.fpr, config.bucket_size);
  } else if (is_fingerprint_bits(size.fingerprint_bits)) {
    size.buckets =
        sizing::cuckoo_buckets(config.capacity, config.bucket_size, size.fingerprint_bits);
  }
  if (!is_fingerprint_bits(size.fingerprint_bits)) return Status::kInvalidOption;
  const std::uint64_t most = sizing::kMaxBits / (config.bucket_size * size.fingerprint_bits);
  if (size.buckets == 0 || size.buckets > most) return Status::kTooLarge;
  return size;
}

}  // namespace

CuckooFilter::CuckooFilter(detail::PackedArray&& slots, std::uint32_t buckets,
                           std::uint32_t bucket_size, std::uint64_t capacity, std::uint64_t count,
                           const Hasher& hasher) noexcept
    : slots_(std::move(slots)),
      places_(buckets, slots_.width()),
      bucket_size_(bucket_size),
      capacity_(capacity),
      count_(count),
      hasher_(hasher) {
  // As many slots as one load has in full, wherever in a byte it begins. That is a multiple of the
  // largest power of two, up to 8, that divides their bits.
  const auto fits = [](std::uint32_t bits) { return bits + 8 - std::min(bits & -bits, 8u) <= 64; };
  word_slots_ = bucket_size;
  while (!fits(word_slots_ * slots_.width())) word_slots_ /= 2;
  words_ = bucket_size / word_slots_;
  word_bits_ = word_slots_ * slots_.width();
  for (std::uint32_t bit = 0; bit < word_bits_; bit += slots_.width())
    lows_ |= std::uint64_t{1} << bit;
  highs_ = lows_ << (slots_.width() - 1);
}

Result<CuckooFilter> CuckooFilter::create(const Config& config) noexcept {
  TAMIS_TRY(size, size_of(config));
  TAMIS_TRY(slots, detail::PackedArray::zeroed(size->buckets * config.bucket_size,
                                               size->fingerprint_bits));
  return CuckooFilter(std::move(*slots), static_cast<std::uint32_t>(size->buckets),
                      config.bucket_size, config.capacity, 0, config.hasher);
}

Result<std::uint64_t> CuckooFilter::size_for(const Config& config) noexcept {
  TAMIS_TRY(size, size_of(config));
  return detail::PackedArray::byte_count(size->buckets * config.bucket_size,
                                         size->fingerprint_bits);
}

Result<CuckooFilter> CuckooFilter::clone() const noexcept {
  TAMIS_TRY(slots, slots_.clone());
  return CuckooFilter(std::move(*slots), buckets(), bucket_size_, capacity_, count_, hasher_);
}

Result<CuckooFilter> CuckooFilter::empty_copy() const noexcept {
  TAMIS_TRY(slots, detail::PackedArray::zeroed(slots_.size(), slots_.width()));
  return CuckooFilter(std::move(*slots), buckets(), bucket_size_, capacity_, 0, hasher_);
}

Status CuckooFilter::validate() const noexcept {
  const bool is_valid = slots_.is_valid() && slots_.count_nonzero() == count_ && capacity_ > 0 &&
                        capacity_ <= slots_.size();
  return is_valid ? Status::kOk : Status::kCorrupt;
}

Header CuckooFilter::header() const noexcept {
  return Header::of(kType, hasher_, capacity_, count_, kRecordBytes + size_bytes());
}

void CuckooFilter::write(ByteWriter& out) const noexcept {
  out.u32(buckets());
  out.u32(bucket_size_);
  out.u32(fingerprint_bits());
  out.u32(0);
  slots_.write(out);
}

Result<CuckooFilter> CuckooFilter::read(Container& from) noexcept {
  const std::uint32_t buckets = from.payload.u32();
  const std::uint32_t bucket_size = from.payload.u32();
  const std::uint32_t bits = from.payload.u32();
  const std::uint32_t reserved = from.payload.u32();
  if (reserved != 0 || buckets == 0 || buckets % 2 != 0 || !is_bucket_size(bucket_size) ||
      !is_fingerprint_bits(bits)) {
    return Status::kCorrupt;
  }
  TAMIS_TRY(slots,
            detail::PackedArray::read(from.payload, std::uint64_t{buckets} * bucket_size, bits));
  return keep_valid(CuckooFilter(std::move(*slots), buckets, bucket_size, from.header.capacity,
                                 from.header.count, from.hasher));
}

}  // namespace tamis
