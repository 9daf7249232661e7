// tamis/detail/ip_address.hpp - IP addresses in URLs: reads every spelling that browsers accept,
// and writes the canonical one.
//
// Sources: WHATWG URL, sections 3.5 and 3.6 (parsing and serializing hosts); RFC 5952, section 4.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tamis::detail {

using Ipv6 = std::array<std::uint16_t, 8>;

// Reads 1 to 4 parts, each decimal, octal (0...) or hexadecimal (0x...). The last part fills the
// remaining bytes. The result is empty if a part is too large. The host must not begin or end with
// a dot, or have two dots in a row.
[[nodiscard]] std::optional<std::uint32_t> parse_ipv4(std::string_view host) noexcept;

// Reads the text between the brackets.
[[nodiscard]] std::optional<Ipv6> parse_ipv6(std::string_view text) noexcept;

// The IPv4 address inside an IPv4-mapped address (::ffff:0:0/96, RFC 4291) or a NAT64 address
// (64:ff9b::/96, RFC 6052).
[[nodiscard]] std::optional<std::uint32_t> embedded_ipv4(const Ipv6& address) noexcept;

inline constexpr std::size_t kMaxIpBytes = 41;  // 8 x 4 digits, 7 colons, 2 brackets

// Write dotted decimal or, in brackets, RFC 5952. They return the end of the written text.
[[nodiscard]] char* write_ipv4(std::uint32_t address, char* out) noexcept;
[[nodiscard]] char* write_ipv6(const Ipv6& address, char* out) noexcept;

}  // namespace tamis::detail
