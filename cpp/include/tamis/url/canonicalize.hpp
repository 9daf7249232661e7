// tamis/url/canonicalize.hpp - the one form of a URL, by the rules of Google Safe Browsing.
//
// Two URLs that lead to the same page in different disguises get the same bytes, which a list of
// URLs can then hold (url/expressions.hpp).
//
//   input      raw bytes, at most 2 MiB before the fragment, as in Chromium; that, the user name,
//              the password and the port are dropped.
//              Callers with a parser of URLs hand over what it gives (URL.href): only that is
//              what will be navigated to, backslashes and all
//   output     scheme://host/path[?query], in ASCII; canonical again without a change, where it is
//              short enough to be handed over
//   cost       linear in the input, whatever it holds. Memory is kept from one URL to the next, but
//              what a long one took is given back by the next short one
//   never      allocates for IDNA: the platform has its tables, see needs_idna()
//   threads    one CanonicalUrl for each
//
// Where the sources differ or are silent:
//   scheme     without one, http; one without // (mailto:, but host:80 too) has no canonical form
//   host       a colon that is no port's and a bracket that begins no IPv6 address are no host's:
//              invalid, as in browsers
//   IPv4       in every spelling of WHATWG URL. A number out of its range makes a name of the host
//              (browsers refuse it, the first clients of Safe Browsing cut it off)
//   IPv6       RFC 5952 in hexadecimal throughout, as browsers write it. IPv4-mapped and NAT64
//              addresses become the IPv4 address, as version 5 of the protocol has it
//   path       dot segments are resolved before runs of slashes become one, as browsers do:
//              /foo/bar//.. is /foo/bar/
//
// Sources: https://developers.google.com/safe-browsing/v4/urls-hashing and its version 5; WHATWG
// URL; RFC 5952.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include <tamis/detail/buffer.hpp>
#include <tamis/status.hpp>

namespace tamis::url {

class CanonicalUrl {
 public:
  static constexpr std::size_t kMaxBytes = 2 * 1024 * 1024;

  CanonicalUrl() noexcept = default;
  CanonicalUrl(CanonicalUrl&&) = delete;  // the views lead into it

  // The first step: all but the host. `url` is not needed afterwards. kInvalidUrl, kOutOfMemory.
  [[nodiscard]] Status parse(std::span<const std::byte> url) noexcept;

  // After parse(): the host has a byte from 0x80, so finish() should be given what the platform
  // makes of decoded_host(). That is UTS 46, not transitional, without the rules of STD 3. Where it
  // fails, or the host is no UTF-8, nothing is given.
  [[nodiscard]] bool needs_idna() const noexcept { return needs_idna_; }
  [[nodiscard]] std::string_view decoded_host() const noexcept { return decoded_host_; }

  // The second step. Without `ascii_host`, bytes from 0x80 are escaped like others. May be called
  // again. kInvalidUrl, also where nothing was parsed and for an `ascii_host` with a byte that no
  // ASCII host has; kOutOfMemory.
  [[nodiscard]] Status finish(std::optional<std::string_view> ascii_host = std::nullopt) noexcept;

  // What finish() made, until the next call of parse() or finish(); empty where it failed.
  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  [[nodiscard]] std::string_view host() const noexcept { return host_; }
  [[nodiscard]] std::string_view path() const noexcept { return path_; }
  // Without its question mark. An empty query is not the same as none in text().
  [[nodiscard]] std::string_view query() const noexcept { return query_; }
  [[nodiscard]] bool has_query() const noexcept { return decoded_query_.has_value(); }
  // The host is an IPv4 address, or an IPv6 address in brackets.
  [[nodiscard]] bool is_ip() const noexcept { return is_ip_; }

 private:
  void forget_text() noexcept;
  [[nodiscard]] char* write_host(std::string_view host, char* out) noexcept;

  detail::Buffer<char> decoded_;    // the URL without its escapes
  detail::Buffer<char> canonical_;  // what text_ and its parts lead into
  std::string_view decoded_scheme_, decoded_host_, decoded_path_;
  std::optional<std::string_view> decoded_query_;
  std::string_view text_, host_, path_, query_;
  bool needs_idna_ = false;
  bool is_ip_ = false;
};

// The host of a plain URL; empty for another. The URL parser of the web platform surely gives a
// plain URL back as it is, or with a slash behind its host. So what CanonicalUrl makes of it needs no
// parser, and has this host. Most URLs are like that:
//
// - http and https in lower case;
// - a host of lower-case letters, digits, '-' and '_' in labels divided by single dots;
// - of its labels the last is of letters alone (so no IPv4 address), and none is IDNA's;
// - a path without escapes and dot segments; a query of letters, digits and the usual signs.
//
// One pass. Source: WHATWG URL, 3.5 (hosts) and 4.4 (the parser's states and their percent-encode
// sets).
[[nodiscard]] std::string_view find_plain_host(std::span<const std::byte> url) noexcept;

}  // namespace tamis::url
