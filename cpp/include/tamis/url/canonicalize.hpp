// tamis/url/canonicalize.hpp - the one form of a URL, by the rules of Google Safe Browsing.
//
// Two URLs that lead to the same page in different disguises get the same bytes, and a list of URLs
// can then hold them (url/expressions.hpp).
//
//   input      raw bytes, at most 2 MiB before the fragment, as in Chromium. The fragment, the user
//              name, the password and the port are dropped.
//              Callers with a parser of URLs pass its result (URL.href). Only that is the URL that
//              will be navigated to, with its backslashes
//   output     scheme://host/path[?query], in ASCII. It is its own canonical form, if it is short
//              enough to be an input
//   cost       linear in any input. Memory is kept from one URL to the next. The memory of a long URL
//              is freed by the next short one
//   never      allocates for IDNA: the platform has its tables, see needs_idna()
//   threads    one CanonicalUrl for each
//
// If the sources differ or are silent:
//   scheme     it is http if there is none; one without // (mailto:, but host:80 too) has no
//              canonical form
//   host       a colon that begins no port, and a bracket that begins no IPv6 address, make a host
//              invalid, as in browsers
//   IPv4       it is read in every spelling of WHATWG URL. A number out of its range makes the host a
//              name (browsers refuse it, and the first clients of Safe Browsing cut it off)
//   IPv6       it is RFC 5952 in hexadecimal throughout, as browsers write it. IPv4-mapped and NAT64
//              addresses become the IPv4 address, as in version 5 of the protocol
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
  CanonicalUrl(CanonicalUrl&&) = delete;  // the views point into it

  // Makes the first step, for all but the host. `url` is not needed afterwards. Returns kInvalidUrl
  // or kOutOfMemory.
  [[nodiscard]] Status parse(std::span<const std::byte> url) noexcept;

  // True after parse() if the host has a byte from 0x80. Then finish() should get the platform's
  // form of decoded_host(). That is UTS 46, not transitional, without the rules of STD 3. If that
  // fails, or the host is no UTF-8, finish() gets nothing.
  [[nodiscard]] bool needs_idna() const noexcept { return needs_idna_; }
  [[nodiscard]] std::string_view decoded_host() const noexcept { return decoded_host_; }

  // Makes the second step. Without `ascii_host`, bytes from 0x80 are escaped like others. It may be
  // called again. Returns kOutOfMemory, or kInvalidUrl. That is also for a call without a parsed
  // URL, and for an `ascii_host` with a byte that no ASCII host has.
  [[nodiscard]] Status finish(std::optional<std::string_view> ascii_host = std::nullopt) noexcept;

  // The result of finish(), until the next call of parse() or finish(). It is empty if finish()
  // failed.
  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  [[nodiscard]] std::string_view host() const noexcept { return host_; }
  [[nodiscard]] std::string_view path() const noexcept { return path_; }
  // The query without its question mark. text() tells an empty query from none.
  [[nodiscard]] std::string_view query() const noexcept { return query_; }
  [[nodiscard]] bool has_query() const noexcept { return decoded_query_.has_value(); }
  // True if the host is an IPv4 address, or an IPv6 address in brackets.
  [[nodiscard]] bool is_ip() const noexcept { return is_ip_; }

 private:
  void forget_text() noexcept;
  [[nodiscard]] char* write_host(std::string_view host, char* out) noexcept;

  detail::Buffer<char> decoded_;    // the URL without its escapes
  detail::Buffer<char> canonical_;  // text_ and its parts point into it
  std::string_view decoded_scheme_, decoded_host_, decoded_path_;
  std::optional<std::string_view> decoded_query_;
  std::string_view text_, host_, path_, query_;
  bool needs_idna_ = false;
  bool is_ip_ = false;
};

// The host of a plain URL, or an empty view for another URL. The URL parser of the web platform
// returns a plain URL unchanged, or with a slash behind its host. So CanonicalUrl can take such a
// URL without a parser, and its result has this host. Most URLs are plain:
//
// - http and https are in lower case;
// - the host has lower-case letters, digits, '-' and '_' in labels that single dots divide;
// - the last label has letters alone (so it is no IPv4 address), and no label is IDNA's;
// - the path has no escapes and dot segments; the query has letters, digits and the usual signs.
//
// It takes one pass. Source: WHATWG URL, 3.5 (hosts) and 4.4 (the parser's states and their
// percent-encode sets).
[[nodiscard]] std::string_view find_plain_host(std::span<const std::byte> url) noexcept;

}  // namespace tamis::url
