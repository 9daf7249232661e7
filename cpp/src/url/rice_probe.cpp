#include <tamis/url/rice.hpp>

#include <array>

#include <tamis/limits.hpp>

namespace tamis::url {

Result<RiceListReader> RiceListReader::open(ByteReader& in, std::uint64_t count,
                                            std::uint32_t width, std::uint32_t parameter) noexcept {
  static constexpr std::array<std::byte, kHashBytes> kNothing{};
  const bool is_empty = count == 0;
  const auto first = is_empty ? std::span(kNothing).first(width) : in.take(width);
  if (first.empty()) return Status::kCorrupt;
  ByteReader rest = in;
  TAMIS_TRY(reader, RiceReader::open(
                        {first, parameter, is_empty ? 0 : count - 1, rest.take(rest.remaining())}));
  return RiceListReader(*reader, width, parameter);
}

bool RiceListReader::next(std::byte* out) noexcept {
  if (is_first_) {
    is_first_ = false;
    reader_.copy_to(out);
    return meter_.add(out);
  }
  if (!reader_.advance()) return false;
  reader_.copy_to(out);
  meter_.add_gap(reader_.top_gap());
  return true;
}

Result<RiceListSize> RiceListReader::finish(ByteReader& in) noexcept {
  if (!reader_.is_padded_by_zeros() || meter_.parameter() != parameter_) return Status::kCorrupt;
  (void)in.take(reader_.bytes_read());
  return RiceListSize::of(meter_);
}

}  // namespace tamis::url
