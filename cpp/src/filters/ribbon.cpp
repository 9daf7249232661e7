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
  if (!detail::is_hash_once(config.hasher) || !shape.is_valid()) return Status::kInvalidOption;
  return shape;
}

}  // namespace

Result<RibbonFilter> RibbonFilter::build(const Config& config,
                                         std::span<std::uint64_t> hashes) noexcept {
  const auto shape = shape_of(config);
  if (!shape.ok()) return shape.status();
  std::uint64_t conflicts;  // none: the keys have no values
  auto rows =
      Retrieval::build(detail::HashRecords(hashes), *shape, config.hasher.seed(), 0, conflicts);
  if (!rows.ok()) return rows.status();
  return RibbonFilter(std::move(*rows), config.hasher);
}

Result<std::uint64_t> RibbonFilter::size_for(const Config& config) noexcept {
  const auto shape = shape_of(config);
  if (!shape.ok()) return shape.status();
  if (!sizing::ribbon_fits(config.capacity, shape->width())) return Status::kTooLarge;
  return sizing::ribbon_bytes(config.capacity, shape->width());
}

Result<RibbonFilter> RibbonFilter::clone() const noexcept {
  auto rows = rows_.clone();
  if (!rows.ok()) return rows.status();
  return RibbonFilter(std::move(*rows), hasher_);
}

Header RibbonFilter::header() const noexcept {
  return Header::of(kType, hasher_, count(), count(), rows_.payload_bytes());
}

Result<RibbonFilter> RibbonFilter::read(const Header& header, const Hasher& hasher,
                                        ByteReader& in) noexcept {
  if (header.capacity != header.count) return Status::kCorrupt;
  ByteReader ahead = in;
  const Retrieval::Shape shape{0, static_cast<std::uint32_t>(ahead.u64() >> 48) & 0xff};
  auto rows = Retrieval::read(in, shape, header.count, header.seed, 0);
  if (!rows.ok()) return rows.status();
  return RibbonFilter(std::move(*rows), hasher);
}

}  // namespace tamis
