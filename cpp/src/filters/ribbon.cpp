#include <tamis/filters/ribbon.hpp>

#include <tamis/detail/options.hpp>

namespace tamis {
namespace {

using detail::Retrieval;

Result<Retrieval::Shape> shape_of(const RibbonFilter::Config& config) noexcept {
  Retrieval::Shape shape{0, config.fingerprint_bits};
  if (shape.check_bits == 0) {
    if (!detail::is_fpr(config.fpr)) return Status::kInvalidOption;
    shape.check_bits = sizing::fingerprint_bits(config.fpr);
  }
  if (!detail::can_hash_once(config.hasher) || !shape.is_valid()) return Status::kInvalidOption;
  return shape;
}

}  // namespace

Result<RibbonFilter> RibbonFilter::build(const Config& config,
                                         std::span<std::uint64_t> hashes) noexcept {
  TAMIS_TRY(shape, shape_of(config));
  std::uint64_t conflicts;  // always 0, because the keys have no values
  TAMIS_TRY(rows, Retrieval::build(detail::HashRecords(hashes), *shape, config.hasher.seed(), 0,
                                   conflicts));
  return RibbonFilter(std::move(*rows), config.hasher);
}

Result<std::uint64_t> RibbonFilter::size_for(const Config& config) noexcept {
  TAMIS_TRY(shape, shape_of(config));
  if (!sizing::ribbon_fits(config.capacity, shape->width())) return Status::kTooLarge;
  return sizing::ribbon_bytes(config.capacity, shape->width());
}

double RibbonFilter::fpr() const noexcept { return sizing::power(0.5, fingerprint_bits()); }

Result<RibbonFilter> RibbonFilter::clone() const noexcept {
  TAMIS_TRY(rows, rows_.clone());
  return RibbonFilter(std::move(*rows), hasher_);
}

Header RibbonFilter::header() const noexcept {
  return Header::of(kType, hasher_, count(), count(), rows_.payload_bytes());
}

Result<RibbonFilter> RibbonFilter::read(Container& from) noexcept {
  if (from.header.capacity != from.header.count) return Status::kCorrupt;
  ByteReader ahead = from.payload;
  const Retrieval::Shape shape{0, static_cast<std::uint32_t>(ahead.u64() >> 48) & 0xff};
  TAMIS_TRY(rows, Retrieval::read(from.payload, shape, from.header.count, from.header.seed, 0));
  return RibbonFilter(std::move(*rows), from.hasher);
}

}  // namespace tamis
