#include <tamis/url/rice.hpp>

#include <algorithm>
#include <array>
#include <bit>

#include <tamis/detail/endian.hpp>
#include <tamis/url/widths.hpp>

// A parameter is so large that the quotient d >> k lies within the top 32 bits of an integer, and
// the low 32 bits and so on are parts of the remainder. So all widths are one: limbs, of which only
// the top one is divided, by 2 to the parameter without the bits of the others.

namespace tamis::url {
namespace {

constexpr std::uint32_t kLimbBits = 32;
constexpr std::size_t kMaxLimbs = kHashBytes / 4;

// What the parameter may be, without the bits of the lower limbs.
struct Parameters {
  std::uint32_t least;
  std::uint32_t most;
};
constexpr Parameters kV4 = {2, 28}, kV5 = {3, 30};

// An integer of some limbs, the least significant first.
using Limbs = std::array<std::uint32_t, kMaxLimbs>;

[[nodiscard]] Limbs load_limbs(const std::byte* from, std::size_t limbs) noexcept {
  Limbs value{};
  for (std::size_t i = 0; i < limbs; ++i) {
    value[i] = detail::load<std::endian::big, std::uint32_t>(from + 4 * (limbs - 1 - i));
  }
  return value;
}

void store_limbs(std::byte* to, const Limbs& value, std::size_t limbs) noexcept {
  for (std::size_t i = 0; i < limbs; ++i) {
    detail::store<std::endian::big>(to + 4 * (limbs - 1 - i), value[i]);
  }
}

// False where the sum has more limbs. The unused limbs are 0 in both.
bool add(Limbs& sum, const Limbs& other, std::size_t limbs) noexcept {
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < limbs; ++i) {
    carry += std::uint64_t{sum[i]} + other[i];
    sum[i] = static_cast<std::uint32_t>(carry);
    carry >>= kLimbBits;
  }
  return carry == 0;
}

// larger - smaller into `difference`; false where that is not above 0.
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

class BitReader {
 public:
  explicit BitReader(std::span<const std::byte> data) noexcept : data_(data) {}

  [[nodiscard]] std::uint64_t remaining() const noexcept {
    return 8 * std::uint64_t{data_.size()} - at_;
  }

  // The low `count` bits, 0 to 32; only where so many remain.
  [[nodiscard]] std::uint32_t read(std::uint32_t count) noexcept {
    const auto value = static_cast<std::uint32_t>(peek() & ((std::uint64_t{1} << count) - 1));
    at_ += count;
    return value;
  }

  // How many ones come before a zero, which is read too. False where the data end first or there
  // are more than `most`.
  [[nodiscard]] bool read_unary(std::uint32_t most, std::uint32_t& ones) noexcept {
    ones = 0;
    for (;;) {
      const std::uint64_t seen = std::min<std::uint64_t>(remaining(), kLimbBits);
      const auto run = static_cast<std::uint32_t>(std::countr_one(peek() & 0xffffffff));
      ones += run;
      if (ones > most || run >= seen) {
        if (ones > most || seen < kLimbBits) return false;
        at_ += kLimbBits;
        continue;
      }
      at_ += run + 1;
      return true;
    }
  }

 private:
  // 33 bits or more from here on, zeros past the end.
  [[nodiscard]] std::uint64_t peek() const noexcept {
    const auto rest = data_.subspan(static_cast<std::size_t>(at_ / 8));
    if (rest.size() >= 8) return detail::load_le64(rest.data()) >> (at_ % 8);
    std::array<std::byte, 8> word{};
    std::copy_n(rest.data(), rest.size(), word.data());
    return detail::load_le64(word.data()) >> (at_ % 8);
  }

  std::span<const std::byte> data_;
  std::uint64_t at_ = 0;
};

class BitWriter {
 public:
  // Zeroed, and with room for all that is written.
  explicit BitWriter(std::span<std::byte> data) noexcept : data_(data) {}

  // value < 2^count, count <= 32.
  void write(std::uint32_t value, std::uint32_t count) noexcept {
    std::uint64_t bits = std::uint64_t{value} << (at_ % 8);
    for (auto byte = static_cast<std::size_t>(at_ / 8); bits != 0; ++byte, bits >>= 8) {
      data_[byte] |= static_cast<std::byte>(bits & 0xff);
    }
    at_ += count;
  }

 private:
  std::span<std::byte> data_;
  std::uint64_t at_ = 0;
};

Result<detail::Buffer<std::byte>> decode(const RiceDeltas& deltas, Parameters parameters) noexcept {
  const std::size_t width = deltas.first_value.size();
  const std::size_t limbs = width / 4;
  const auto lower_bits = static_cast<std::uint32_t>(limbs - 1) * kLimbBits;
  const std::uint32_t k = deltas.parameter - lower_bits;  // far too large where that is below 0
  BitReader in(deltas.data);
  if (deltas.entries_count != 0) {
    if (k < parameters.least || k > parameters.most) return Status::kCorrupt;
    if (deltas.entries_count > in.remaining() / (deltas.parameter + 1)) return Status::kCorrupt;
  }
  auto out = detail::Buffer<std::byte>::zeroed((std::uint64_t{deltas.entries_count} + 1) * width);
  if (!out.ok()) return out;

  Limbs value = load_limbs(deltas.first_value.data(), limbs);
  store_limbs(out->data(), value, limbs);
  for (std::size_t i = 1; i <= deltas.entries_count; ++i) {
    std::uint32_t quotient;
    if (!in.read_unary(~std::uint32_t{0} >> k, quotient)) return Status::kCorrupt;
    if (in.remaining() < deltas.parameter) return Status::kCorrupt;
    Limbs delta{};
    std::uint32_t any = 0;
    for (std::size_t limb = 0; limb + 1 < limbs; ++limb) any |= delta[limb] = in.read(kLimbBits);
    any |= delta[limbs - 1] = quotient << k | in.read(k);
    if (any == 0 || !add(value, delta, limbs)) return Status::kCorrupt;
    store_limbs(out->data() + i * width, value, limbs);
  }
  if (in.remaining() >= 8) return Status::kCorrupt;
  // v4 says nothing about the bits that fill the last byte.
  if (parameters.least == kV5.least && in.read(static_cast<std::uint32_t>(in.remaining())) != 0) {
    return Status::kCorrupt;
  }
  return out;
}

}  // namespace

Result<detail::Buffer<std::byte>> rice_decode(const RiceDeltas& deltas) noexcept {
  if (!is_prefix_bytes(deltas.first_value.size())) return Status::kInvalidOption;
  return decode(deltas, kV5);
}

Result<detail::Buffer<std::byte>> rice_decode_v4(const RiceDeltas& deltas) noexcept {
  if (deltas.first_value.size() != 4) return Status::kInvalidOption;
  return decode(deltas, kV4);
}

Result<detail::Buffer<std::byte>> rice_decode_v4_prefixes(const RiceDeltas& deltas) noexcept {
  auto values = rice_decode_v4(deltas);
  if (!values.ok()) return values;
  const std::size_t count = values->size() / 4;
  auto prefixes = detail::Buffer<std::uint32_t>::zeroed(count);
  if (!prefixes.ok()) return prefixes.status();
  // An integer's bytes in reverse are the prefix, and that read big-endian sorts as the bytes do.
  for (std::size_t i = 0; i < count; ++i) {
    (*prefixes)[i] = detail::load_le32(values->data() + 4 * i);
  }
  std::sort(prefixes->data(), prefixes->data() + count);
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
  if (entries > 0x7fffffff) return Status::kTooLarge;  // an int32 on the wire
  const std::size_t limbs = value_bytes / 4;
  const auto lower_bits = static_cast<std::uint32_t>(limbs - 1) * kLimbBits;

  // Calls act(delta) for each; false where one is not above 0.
  const auto each_delta = [&](auto act) {
    Limbs delta{}, before = load_limbs(values.data(), limbs);
    for (std::size_t i = 1; i <= entries; ++i) {
      const Limbs value = load_limbs(values.data() + i * value_bytes, limbs);
      if (!subtract(delta, value, before, limbs)) return false;
      act(delta);
      before = value;
    }
    return true;
  };

  std::array<std::uint64_t, kV5.most + 1> ones{};  // of all quotients, for each parameter
  const bool is_increasing = each_delta([&](const Limbs& delta) {
    for (std::uint32_t k = kV5.least; k <= kV5.most; ++k) ones[k] += delta[limbs - 1] >> k;
  });
  if (!is_increasing) return Status::kInvalidOption;
  const auto bits = [&](std::uint32_t k) { return ones[k] + entries * (lower_bits + k + 1); };
  std::uint32_t best = kV5.least;
  for (std::uint32_t k = best + 1; k <= kV5.most; ++k) {
    if (bits(k) < bits(best)) best = k;
  }

  auto data = detail::Buffer<std::byte>::zeroed((bits(best) + 7) / 8);
  if (!data.ok()) return data.status();
  BitWriter out(data->span());
  each_delta([&](const Limbs& delta) {
    std::uint32_t quotient = delta[limbs - 1] >> best;
    for (; quotient >= kLimbBits; quotient -= kLimbBits) out.write(~std::uint32_t{0}, kLimbBits);
    out.write((std::uint32_t{1} << quotient) - 1, quotient + 1);
    for (std::size_t limb = 0; limb + 1 < limbs; ++limb) out.write(delta[limb], kLimbBits);
    out.write(delta[limbs - 1] & ((std::uint32_t{1} << best) - 1), best);
  });
  return RiceEncoded{lower_bits + best, static_cast<std::uint32_t>(entries), std::move(*data)};
}

}  // namespace tamis::url
