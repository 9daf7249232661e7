#include <tamis/filters/iblt.hpp>

#include <algorithm>

#include <tamis/detail/options.hpp>

namespace tamis {
namespace {

constexpr std::uint32_t kRecordBytes = 8;  // key_bytes u32, zero u32

bool is_allowed(const InvertibleBloomTable::Config& config) noexcept {
  return detail::is_hash_once(config.hasher) && detail::is_capacity(config.differences) &&
         config.key_bytes >= sizing::kIbltMinKeyBytes &&
         config.key_bytes <= sizing::kIbltMaxKeyBytes;
}

std::uint64_t bytes_of(const InvertibleBloomTable::Config& config) noexcept {
  return sizing::iblt_bytes(sizing::iblt_cells(config.differences), config.key_bytes);
}

}  // namespace

Result<InvertibleBloomTable> InvertibleBloomTable::create(const Config& config) noexcept {
  TAMIS_TRY(bytes, size_for(config));
  TAMIS_TRY(memory, detail::Buffer<std::byte>::zeroed(*bytes));
  return InvertibleBloomTable(std::move(*memory), config);
}

Result<std::uint64_t> InvertibleBloomTable::size_for(const Config& config) noexcept {
  if (!is_allowed(config)) return Status::kInvalidOption;
  const std::uint64_t bytes = bytes_of(config);
  if (bytes > sizing::kIbltMaxBytes) return Status::kTooLarge;
  return bytes;
}

void InvertibleBloomTable::clear() noexcept {
  std::fill_n(memory_.data(), memory_.size(), std::byte{0});
}

Result<InvertibleBloomTable> InvertibleBloomTable::clone() const noexcept {
  auto copy = empty_copy();
  if (copy.ok()) std::copy_n(memory_.data(), memory_.size(), copy->memory_.data());
  return copy;
}

Result<InvertibleBloomTable> InvertibleBloomTable::empty_copy() const noexcept {
  return create(config());
}

Status InvertibleBloomTable::validate() const noexcept {
  if (!is_allowed(config()) || cells_ != sizing::iblt_cells(differences_) ||
      memory_.size() != bytes_of(config())) {
    return Status::kCorrupt;
  }
  const auto padding = memory_.span().subspan(cells_ * (12 + key_bytes_));
  const bool is_zero =
      std::all_of(padding.begin(), padding.end(), [](std::byte b) { return b == std::byte{0}; });
  return is_zero && is_balanced() ? Status::kOk : Status::kCorrupt;
}

Header InvertibleBloomTable::header() const noexcept {
  return Header::of(kType, hasher_, differences_, 0, kRecordBytes + size_bytes());
}

void InvertibleBloomTable::write(ByteWriter& out) const noexcept {
  out.u32(key_bytes_);
  out.u32(0);
  const auto to = out.take(memory_.size());
  if (!to.empty()) std::memcpy(to.data(), memory_.data(), to.size());
}

Result<InvertibleBloomTable> InvertibleBloomTable::read(Container& from) noexcept {
  const Config config{from.header.capacity, from.payload.u32(), from.hasher};
  const std::uint32_t reserved = from.payload.u32();
  if (reserved != 0 || from.header.count != 0 || !is_allowed(config) ||
      from.payload.remaining() < bytes_of(config)) {
    return Status::kCorrupt;
  }
  TAMIS_TRY(table, create(config));
  const auto bytes = from.payload.take(table->memory_.size());
  std::memcpy(table->memory_.data(), bytes.data(), bytes.size());
  return keep_valid(std::move(*table));
}

}  // namespace tamis
