#include <tamis/detail/ip_address.hpp>

#include <algorithm>
#include <cstddef>

#include <tamis/detail/ascii.hpp>

namespace tamis::detail {
namespace {

using std::string_view_literals::operator""sv;  // avoids strlen at run time

constexpr std::uint64_t kTooHigh = std::uint64_t{1} << 32;

// Reads a number. Numbers above kTooHigh are returned as kTooHigh.
std::optional<std::uint64_t> parse_number(std::string_view part) noexcept {
  std::uint32_t base = 10;
  if (part.size() >= 2 && part[0] == '0') {
    const bool is_hex = to_lower(part[1]) == 'x';
    base = is_hex ? 16 : 8;
    part.remove_prefix(is_hex ? 2 : 1);
  }
  std::uint64_t value = 0;
  for (const char letter : part) {
    const std::uint32_t digit = hex_value(letter);
    if (digit >= base) return std::nullopt;
    value = std::min(value * base + digit, kTooHigh);
  }
  return value;
}

// Reads the strict form at the end of an IPv6 address: four decimal numbers without leading zeros.
std::optional<std::uint32_t> parse_dotted(std::string_view text) noexcept {
  std::uint32_t address = 0;
  for (int part = 0; part < 4; ++part) {
    if (part > 0) {
      if (!text.starts_with('.')) return std::nullopt;
      text.remove_prefix(1);
    }
    std::size_t digits = 0;
    std::uint32_t value = 0;
    for (; digits < text.size() && digits < 4 && is_digit(text[digits]); ++digits) {
      value = value * 10 + hex_value(text[digits]);
    }
    if (digits == 0 || value > 255 || (digits > 1 && text[0] == '0')) return std::nullopt;
    address = address << 8 | value;
    text.remove_prefix(digits);
  }
  if (!text.empty()) return std::nullopt;
  return address;
}

char* write_number(std::uint32_t value, std::uint32_t base, char* out) noexcept {
  std::uint32_t unit = 1;
  while (value / unit >= base) unit *= base;
  for (; unit != 0; unit /= base) *out++ = "0123456789abcdef"[value / unit % base];
  return out;
}

}  // namespace

std::optional<std::uint32_t> parse_ipv4(std::string_view host) noexcept {
  std::array<std::uint64_t, 4> parts{};
  std::size_t count = 0;
  while (!host.empty()) {
    const std::string_view part = host.substr(0, host.find('.'));
    host.remove_prefix(std::min(part.size() + 1, host.size()));
    const auto number = parse_number(part);
    if (!number || count == parts.size()) return std::nullopt;
    parts[count++] = *number;
  }
  if (count == 0) return std::nullopt;
  const std::uint64_t last = parts[count - 1];
  if (last >> (8 * (5 - count)) != 0) return std::nullopt;
  auto address = static_cast<std::uint32_t>(last);
  for (std::size_t i = 0; i + 1 < count; ++i) {
    if (parts[i] > 255) return std::nullopt;
    address |= static_cast<std::uint32_t>(parts[i]) << (24 - 8 * i);
  }
  return address;
}

std::optional<Ipv6> parse_ipv6(std::string_view text) noexcept {
  Ipv6 pieces{};
  std::size_t count = 0;
  std::size_t after_gap = 0;  // the piece after ::, which stands for one piece or more; 0 for none
  std::size_t at = 0;
  if (text.starts_with(':')) {
    if (!text.starts_with("::"sv)) return std::nullopt;
    at = 2;
    after_gap = count = 1;
  }
  while (at < text.size()) {
    if (count == pieces.size()) return std::nullopt;
    if (text[at] == ':') {
      if (after_gap != 0) return std::nullopt;
      ++at;
      after_gap = ++count;
      continue;
    }
    const std::size_t start = at;
    std::uint32_t value = 0;
    for (; at < text.size() && at < start + 4 && hex_value(text[at]) != kNoDigit; ++at) {
      value = value << 4 | hex_value(text[at]);
    }
    if (at < text.size() && text[at] == '.') {
      const auto ipv4 = parse_dotted(text.substr(start));
      if (!ipv4 || count + 2 > pieces.size()) return std::nullopt;
      pieces[count++] = static_cast<std::uint16_t>(*ipv4 >> 16);
      pieces[count++] = static_cast<std::uint16_t>(*ipv4);
      break;
    }
    if (at < text.size()) {
      if (text[at] != ':' || ++at == text.size()) return std::nullopt;
    }
    pieces[count++] = static_cast<std::uint16_t>(value);
  }
  if (after_gap == 0) {
    if (count != pieces.size()) return std::nullopt;
    return pieces;
  }
  // Uses pointers, because offsets of iterators are signed.
  auto* const first = pieces.data();
  auto* const gap_end = std::copy_backward(first + after_gap, first + count, first + pieces.size());
  std::fill(first + after_gap, gap_end, std::uint16_t{0});
  return pieces;
}

std::optional<std::uint32_t> embedded_ipv4(const Ipv6& address) noexcept {
  constexpr std::array<std::uint16_t, 6> kMapped{0, 0, 0, 0, 0, 0xffff}, kNat64{0x64, 0xff9b};
  const auto starts_as = [&address](const std::array<std::uint16_t, 6>& prefix) {
    return std::equal(prefix.begin(), prefix.end(), address.begin());
  };
  if (!starts_as(kMapped) && !starts_as(kNat64)) return std::nullopt;
  return std::uint32_t{address[6]} << 16 | address[7];
}

char* write_ipv4(std::uint32_t address, char* out) noexcept {
  for (int shift = 24; shift >= 0; shift -= 8) {
    out = write_number(address >> shift & 255, 10, out);
    if (shift != 0) *out++ = '.';
  }
  return out;
}

char* write_ipv6(const Ipv6& address, char* out) noexcept {
  // Finds the longest run of at least two zeros; if several are equal, the first.
  std::size_t gap = address.size(), gap_size = 1;
  for (std::size_t i = 0, run = 0; i < address.size(); ++i) {
    run = address[i] == 0 ? run + 1 : 0;
    if (run > gap_size) {
      gap_size = run;
      gap = i + 1 - run;
    }
  }
  *out++ = '[';
  for (std::size_t i = 0; i < address.size(); ++i) {
    if (i == gap) {
      *out++ = ':';
      *out++ = ':';
      i += gap_size - 1;
      continue;
    }
    if (i != 0 && i != gap + gap_size) *out++ = ':';
    out = write_number(address[i], 16, out);
  }
  *out++ = ']';
  return out;
}

}  // namespace tamis::detail
