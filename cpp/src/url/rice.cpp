#include <tamis/url/rice.hpp>

#include <bit>

#include <tamis/detail/endian.hpp>

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

namespace {

constexpr std::uint32_t kLimbBits = 32;

[[nodiscard]] Limbs load_limbs(const std::byte* from, std::size_t limbs) noexcept {
  Limbs value{};
  for (std::size_t i = 0; i < limbs; ++i) {
    value[i] = detail::load<std::endian::big, std::uint32_t>(from + 4 * (limbs - 1 - i));
  }
  return value;
}

// False if the sum needs more than `limbs` limbs. Limbs above that are 0 in both numbers.
bool add_to(Limbs& sum, const Limbs& other, std::size_t limbs) noexcept {
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < limbs; ++i) {
    carry += std::uint64_t{sum[i]} + other[i];
    sum[i] = static_cast<std::uint32_t>(carry);
    carry >>= kLimbBits;
  }
  return carry == 0;
}

// Writes larger - smaller to `difference`. False if the difference is not above 0.
bool subtract(Limbs& difference, const Limbs& larger, const Limbs& smaller,
              std::size_t limbs) noexcept {
  std::uint32_t any = 0;
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < limbs; ++i) {
    const std::uint64_t limb = std::uint64_t{larger[i]} - smaller[i] - borrow;
    difference[i] = static_cast<std::uint32_t>(limb);
    any |= difference[i];
    borrow = limb >> 63;
  }
  return borrow == 0 && any != 0;
}

Result<Bytes> decode(const RiceDeltas& deltas, RiceParameters parameters) noexcept {
  TAMIS_TRY(in, RiceReader::open(deltas, parameters));
  const std::size_t width = deltas.first_value.size();
  auto out = Bytes::zeroed((deltas.entries_count + 1) * width);
  if (!out.ok()) return out;
  in->copy_to(out->data());
  for (std::size_t at = width; at < out->size(); at += width) {
    if (!in->advance()) return Status::kCorrupt;
    in->copy_to(out->data() + at);
  }
  if (in->bytes_read() != deltas.data.size()) return Status::kCorrupt;
  // v4 does not define the bits that pad the last byte, so they are not checked.
  const bool is_v5 = parameters.least == kRiceV5.least;
  if (is_v5 && !in->is_padded_by_zeros()) return Status::kCorrupt;
  return out;
}

}  // namespace

Result<RiceReader> RiceReader::open(const RiceDeltas& deltas, RiceParameters parameters) noexcept {
  const std::size_t width = deltas.first_value.size();
  if (!is_prefix_bytes(width)) return Status::kInvalidOption;
  RiceReader reader;
  reader.data_ = deltas.data;
  reader.limbs_ = width / 4;
  reader.value_ = load_limbs(deltas.first_value.data(), reader.limbs_);
  if (deltas.entries_count == 0) return reader;
  const auto lower_bits = static_cast<std::uint32_t>(reader.limbs_ - 1) * kLimbBits;
  const std::uint32_t k = deltas.parameter - lower_bits;  // if negative, it wraps and is refused
  if (k < parameters.least || k > parameters.most) return Status::kCorrupt;
  if (deltas.entries_count > reader.size_bits() / (deltas.parameter + 1)) return Status::kCorrupt;
  reader.top_parameter_ = k;
  return reader;
}

void RiceReader::copy_to(std::byte* out) const noexcept {
  for (std::size_t i = 0; i < limbs_; ++i) {
    detail::store<std::endian::big>(out + 4 * (limbs_ - 1 - i), value_[i]);
  }
}

bool RiceReader::advance() noexcept {
  const std::uint32_t k = top_parameter_;
  std::uint32_t quotient;
  if (!read_unary(~std::uint32_t{0} >> k, quotient)) return false;
  if (at_ + (limbs_ - 1) * kLimbBits + k > size_bits()) return false;
  if (limbs_ == 1) {  // the prefixes of most lists have 4 bytes
    top_gap_ = quotient << k | read(k);
    value_[0] += top_gap_;
    return top_gap_ != 0 && value_[0] >= top_gap_;
  }
  Limbs gap{};
  std::uint32_t any = 0;
  for (std::size_t limb = 0; limb + 1 < limbs_; ++limb) any |= gap[limb] = read(kLimbBits);
  any |= gap[limbs_ - 1] = top_gap_ = quotient << k | read(k);
  return any != 0 && add_to(value_, gap, limbs_);
}

bool RiceReader::is_padded_by_zeros() const noexcept {
  return at_ % 8 == 0 || std::to_integer<unsigned>(data_[bytes_read() - 1]) >> (at_ % 8) == 0;
}

std::uint64_t RiceReader::peek() const noexcept {
  const auto rest = data_.subspan(static_cast<std::size_t>(at_ / 8));
  if (rest.size() >= 8) return detail::load_le64(rest.data()) >> (at_ % 8);
  std::array<std::byte, 8> word{};
  std::copy_n(rest.data(), rest.size(), word.data());
  return detail::load_le64(word.data()) >> (at_ % 8);
}

std::uint32_t RiceReader::read(std::uint32_t count) noexcept {
  const auto value = static_cast<std::uint32_t>(peek() & ((std::uint64_t{1} << count) - 1));
  at_ += count;
  return value;
}

bool RiceReader::read_unary(std::uint32_t most, std::uint32_t& ones) noexcept {
  ones = 0;
  for (;;) {
    const auto run = static_cast<std::uint32_t>(std::countr_one(peek() & 0xffffffff));
    ones += run;
    if (ones > most) return false;
    if (run < kLimbBits) {
      at_ += run + 1;
      return true;
    }
    at_ += kLimbBits;
  }
}

bool RiceGaps::next(const std::byte* value, Limbs& gap) noexcept {
  if (limbs_ == 1) {  // as in RiceReader::advance
    const auto limb = detail::load<std::endian::big, std::uint32_t>(value);
    if (values_ != 0 && limb <= before_[0]) return false;
    gap[0] = values_ == 0 ? 0 : limb - before_[0];
    before_[0] = limb;
    ++values_;
    return true;
  }
  const Limbs limbs = load_limbs(value, limbs_);
  if (values_ == 0) {
    gap = {};
  } else if (!subtract(gap, limbs, before_, limbs_)) {
    return false;
  }
  before_ = limbs;
  ++values_;
  return true;
}

bool RiceMeter::add(const std::byte* value) noexcept {
  Limbs gap{};
  if (!gaps_.next(value, gap)) return false;
  count_ones(gap[gaps_.top()]);
  return true;
}

void RiceMeter::add_gap(std::uint32_t top) noexcept {
  gaps_.skip();
  count_ones(top);
}

void RiceMeter::count_ones(std::uint32_t top) noexcept {
  std::uint32_t quotient = top >> kRiceV5.least;
  for (std::uint32_t k = kRiceV5.least; quotient != 0 && k <= kRiceV5.most; ++k) {
    ones_[k] += quotient;
    quotient >>= 1;
  }
}

std::uint64_t RiceMeter::bits(std::uint32_t top_parameter) const noexcept {
  return ones_[top_parameter] + gaps_.gaps() * (gaps_.top() * kLimbBits + top_parameter + 1);
}

std::uint32_t RiceMeter::best() const noexcept {
  std::uint32_t best = kRiceV5.least;
  for (std::uint32_t k = best + 1; k <= kRiceV5.most; ++k) {
    if (bits(k) < bits(best)) best = k;
  }
  return best;
}

std::uint32_t RiceMeter::parameter() const noexcept {
  return static_cast<std::uint32_t>(gaps_.top()) * kLimbBits + best();
}

std::uint64_t RiceMeter::data_bytes() const noexcept { return (bits(best()) + 7) / 8; }

void RiceWriter::write(std::uint32_t value, std::uint32_t count) noexcept {
  std::uint64_t bits = std::uint64_t{value} << (at_ % 8);
  for (auto byte = static_cast<std::size_t>(at_ / 8); bits != 0; ++byte, bits >>= 8) {
    data_[byte] |= static_cast<std::byte>(bits & 0xff);
  }
  at_ += count;
}

void RiceWriter::add(const std::byte* value) noexcept {
  const bool is_first = gaps_.values() == 0;
  Limbs gap{};
  if (!gaps_.next(value, gap) || is_first) return;
  const std::uint32_t k = top_parameter_;
  std::uint32_t quotient = gap[gaps_.top()] >> k;
  for (; quotient >= kLimbBits; quotient -= kLimbBits) write(~std::uint32_t{0}, kLimbBits);
  write((std::uint32_t{1} << quotient) - 1, quotient + 1);
  for (std::size_t limb = 0; limb < gaps_.top(); ++limb) write(gap[limb], kLimbBits);
  write(gap[gaps_.top()] & ((std::uint32_t{1} << k) - 1), k);
}

Result<Bytes> rice_decode(const RiceDeltas& deltas) noexcept { return decode(deltas, kRiceV5); }

Result<Bytes> rice_decode_v4(const RiceDeltas& deltas) noexcept {
  if (deltas.first_value.size() != 4) return Status::kInvalidOption;
  return decode(deltas, kRiceV4);
}

Result<Bytes> rice_decode_v4_prefixes(const RiceDeltas& deltas) noexcept {
  auto values = rice_decode_v4(deltas);
  if (!values.ok()) return values;
  const std::size_t count = values->size() / 4;
  TAMIS_TRY(prefixes, detail::Buffer<std::uint32_t>::zeroed(count));
  // A v4 integer is the bytes of a prefix in little-endian order. Read in big-endian order, these
  // bytes sort as the prefixes do.
  for (std::size_t i = 0; i < count; ++i) {
    (*prefixes)[i] = detail::load_le32(values->data() + 4 * i);
  }
  // Heap sort, because with hostile data the std::sort of some libraries needs quadratic time.
  std::make_heap(prefixes->data(), prefixes->data() + count);
  std::sort_heap(prefixes->data(), prefixes->data() + count);
  for (std::size_t i = 0; i < count; ++i) {
    detail::store<std::endian::big>(values->data() + 4 * i, (*prefixes)[i]);
  }
  return values;
}

Result<RiceEncoded> rice_encode(std::span<const std::byte> values,
                                std::uint32_t value_bytes) noexcept {
  if (!is_prefix_bytes(value_bytes) || values.empty() || values.size() % value_bytes != 0) {
    return Status::kInvalidOption;
  }
  const std::uint64_t entries = values.size() / value_bytes - 1;
  if (entries > 0x7fffffff) return Status::kTooLarge;  // the count is an int32 on the wire
  RiceMeter meter(value_bytes);
  for (std::size_t at = 0; at < values.size(); at += value_bytes) {
    if (!meter.add(values.data() + at)) return Status::kInvalidOption;
  }
  TAMIS_TRY(data, Bytes::zeroed(meter.data_bytes()));
  RiceWriter out(data->span(), meter.parameter(), value_bytes);
  for (std::size_t at = 0; at < values.size(); at += value_bytes) out.add(values.data() + at);
  return RiceEncoded{meter.parameter(), static_cast<std::uint32_t>(entries), std::move(*data)};
}

}  // namespace tamis::url
