#include <tamis/filters/binary_fuse.hpp>

#include <tamis/detail/options.hpp>

namespace tamis {
namespace {

// segments u32, log2 of a segment's slots u8, arity u8, fingerprint bits u8, zero u8
constexpr std::uint32_t kRecordBytes = 8;

bool is_arity(std::uint32_t arity) noexcept { return arity == 3 || arity == 4; }

bool is_fingerprint_bits(std::uint32_t bits) noexcept {
  return bits > 0 && bits <= sizing::kMaxFingerprintBits;
}

}  // namespace

Result<std::uint32_t> BinaryFuseFilter::bits_of(const Config& config) noexcept {
  if (!detail::is_hash_once(config.hasher) || (config.arity != 0 && !is_arity(config.arity))) {
    return Status::kInvalidOption;
  }
  std::uint32_t bits = config.fingerprint_bits;
  if (bits == 0 && detail::is_fpr(config.fpr)) bits = sizing::fingerprint_bits(config.fpr);
  if (!is_fingerprint_bits(bits)) return Status::kInvalidOption;
  return bits;
}

Result<std::uint64_t> BinaryFuseFilter::size_for(const Config& config) noexcept {
  TAMIS_TRY(bits, bits_of(config));
  if (!detail::is_capacity(config.capacity)) return Status::kInvalidOption;
  const std::uint32_t arity =
      config.arity != 0 ? config.arity : sizing::fuse_arity(config.capacity);
  const auto shape = sizing::fuse_shape(config.capacity, arity, 0);
  const std::uint64_t slots = shape.slots(arity);
  if (shape.segments == 0 || slots > sizing::kMaxBits / *bits) return Status::kTooLarge;
  return detail::PackedArray::byte_count(slots, *bits);
}

Result<BinaryFuseFilter> BinaryFuseFilter::clone() const noexcept {
  TAMIS_TRY(slots, slots_.clone());
  return BinaryFuseFilter(std::move(*slots), shape_, arity_, count_, hasher_);
}

Header BinaryFuseFilter::header() const noexcept {
  return Header::of(kType, hasher_, count_, count_, kRecordBytes + size_bytes());
}

void BinaryFuseFilter::write(ByteWriter& out) const noexcept {
  out.u32(shape_.segments);
  out.u32(shape_.segment_log | arity_ << 8 | fingerprint_bits() << 16);
  slots_.write(out);
}

Result<BinaryFuseFilter> BinaryFuseFilter::read(Container& from) noexcept {
  const std::uint32_t segments = from.payload.u32();
  const std::uint32_t rest = from.payload.u32();
  const sizing::FuseShape shape{segments, rest & 0xff};
  const std::uint32_t arity = rest >> 8 & 0xff, bits = rest >> 16 & 0xff, zero = rest >> 24;
  if (zero != 0 || !is_arity(arity) || !is_fingerprint_bits(bits) ||
      from.header.capacity != from.header.count ||
      shape.segment_log > (segments == 0 ? 0 : sizing::kMaxFuseSegmentLog) ||
      (segments == 0) != (from.header.count == 0)) {
    return Status::kCorrupt;
  }
  const std::uint64_t size = segments == 0 ? 0 : shape.slots(arity);
  if (size > sizing::kMaxFuseSlots) return Status::kCorrupt;
  TAMIS_TRY(slots, detail::PackedArray::read(from.payload, size, bits));
  return keep_valid(
      BinaryFuseFilter(std::move(*slots), shape, arity, from.header.count, from.hasher));
}

}  // namespace tamis
