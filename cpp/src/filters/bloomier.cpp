#include <tamis/filters/bloomier.hpp>

#include <tamis/detail/chunks.hpp>
#include <tamis/detail/options.hpp>

namespace tamis {
namespace {

using detail::Retrieval;

constexpr std::uint32_t kRecordBytes = 8;  // value bits u32, check bits u32
constexpr std::uint32_t kFirstPart = 0;

bool is_shape(Retrieval::Shape shape) noexcept { return shape.value_bits != 0 && shape.is_valid(); }

}  // namespace

Result<BloomierMap> BloomierMap::build(const Config& config, std::span<std::uint64_t> hashes,
                                       std::span<std::uint32_t> values,
                                       std::uint64_t& conflicts) noexcept {
  conflicts = 0;
  const Retrieval::Shape shape{config.value_bits, config.check_bits};
  if (!detail::can_hash_once(config.hasher) || !is_shape(shape) || hashes.size() != values.size()) {
    return Status::kInvalidOption;
  }
  TAMIS_TRY(words, detail::Buffer<std::uint64_t>::zeroed(std::uint64_t{hashes.size()} * 2));
  const auto records = detail::HashRecords::with_values(words->span());
  std::uint64_t all = 0;
  detail::in_chunks(hashes.size(), [=, &all](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      records.put(i, hashes[i], values[i]);
      all |= values[i];
    }
  });
  if (all >> shape.value_bits != 0) return Status::kInvalidOption;  // a value needs more bits
  TAMIS_TRY(rows, Retrieval::build(records, shape, config.hasher.seed(), kFirstPart, conflicts));
  return BloomierMap(std::move(*rows), config.hasher);
}

Result<std::uint64_t> BloomierMap::size_for(const Config& config) noexcept {
  const Retrieval::Shape shape{config.value_bits, config.check_bits};
  if (!detail::can_hash_once(config.hasher) || !detail::is_capacity(config.capacity) ||
      !is_shape(shape)) {
    return Status::kInvalidOption;
  }
  if (!sizing::ribbon_fits(config.capacity, shape.width())) return Status::kTooLarge;
  return sizing::ribbon_bytes(config.capacity, shape.width());
}

double BloomierMap::fpr() const noexcept { return sizing::power(0.5, check_bits()); }

Result<BloomierMap> BloomierMap::clone() const noexcept {
  TAMIS_TRY(rows, rows_.clone());
  return BloomierMap(std::move(*rows), hasher_);
}

Header BloomierMap::header() const noexcept {
  return Header::of(kType, hasher_, capacity(), count(), kRecordBytes + rows_.payload_bytes());
}

void BloomierMap::write(ByteWriter& out) const noexcept {
  out.u32(value_bits());
  out.u32(check_bits());
  rows_.write(out);
}

Result<BloomierMap> BloomierMap::read(Container& from) noexcept {
  Retrieval::Shape shape{};
  shape.value_bits = from.payload.u32();
  shape.check_bits = from.payload.u32();
  if (!is_shape(shape) || from.header.capacity != from.header.count) return Status::kCorrupt;
  TAMIS_TRY(rows, Retrieval::read(from.payload, shape, from.header.count, from.hasher.seed(),
                                  kFirstPart));
  return BloomierMap(std::move(*rows), from.hasher);
}

}  // namespace tamis
