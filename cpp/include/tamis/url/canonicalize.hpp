// tamis/url/canonicalize.hpp - the canonical form of a URL, by the rules of Google Safe Browsing.
//
// URLs that lead to the same page but are spelled differently get the same bytes, so that a URL
// list can contain them (url/expressions.hpp).
//
//   input      raw bytes, at most 2 MiB before the fragment, as in Chromium. Fragment, user name,
//              password and port are dropped. Callers with a URL parser should pass its result
//              (URL.href), since the browser opens that URL
//   output     scheme://host/path[?query], in ASCII. The canonical form of the output is the output
//              itself, if it is short enough to be an input
//   cost       linear in the length of the input. Memory is reused from one URL to the next; the
//              memory for a long URL is freed at the next short one
//   never      converts IDNA itself: the platform has the tables for that (needs_idna())
//   threads    one CanonicalUrl per thread
//
// Where the sources differ or say nothing:
//   scheme     defaults to http. A URL with a scheme but no // (mailto:, also host:80) is invalid
//   host       is invalid if it contains a colon that does not begin a port, or a bracket that does
//              not begin an IPv6 address, as in browsers
//   IPv4       is read in every spelling of WHATWG URL. With a number out of range, the host is a
//              name (browsers refuse it; early Safe Browsing clients cut the number off)
//   IPv6       is written as RFC 5952 says, in hexadecimal only, as browsers do. IPv4-mapped and
//              NAT64 addresses become the IPv4 address, as in version 5 of the protocol
//   path       dot segments are resolved before repeated slashes are merged, as browsers do:
//              /foo/bar//.. becomes /foo/bar/
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
  CanonicalUrl(CanonicalUrl&&) = delete;  // the views point into the object

  // The first step: all parts but the host. It copies `url`. Returns kInvalidUrl or kOutOfMemory.
  [[nodiscard]] Status parse(std::span<const std::byte> url) noexcept;

  // True after parse() if the host has a byte from 0x80 on. Then pass the platform's IDNA form of
  // decoded_host() to finish() (UTS 46, nontransitional, without the STD 3 rules). If there is
  // none, or if the host is not UTF-8, call finish() without an argument.
  [[nodiscard]] bool needs_idna() const noexcept { return needs_idna_; }
  [[nodiscard]] std::string_view decoded_host() const noexcept { return decoded_host_; }

  // The second step, which can be repeated. Without `ascii_host`, the host's bytes from 0x80 on are
  // escaped. Returns kOutOfMemory, or kInvalidUrl, which also means that no URL was parsed or that
  // `ascii_host` contains a byte that no ASCII host contains.
  [[nodiscard]] Status finish(std::optional<std::string_view> ascii_host = std::nullopt) noexcept;

  // The result of finish(), until the next parse() or finish(). Empty if finish() failed.
  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  [[nodiscard]] std::string_view host() const noexcept { return host_; }
  [[nodiscard]] std::string_view path() const noexcept { return path_; }
  // The query without its question mark. It is also empty if the URL has no query (has_query()).
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

// Returns the host of a plain URL, or an empty view for any other URL. The platform's URL parser
// would return a plain URL unchanged, or with a slash after its host. So CanonicalUrl can read a
// plain URL without that parser, and the canonical form has this host. Most URLs are plain:
//
// - the scheme is http or https, in lower case;
// - the host consists of labels with single dots between them; labels have lower-case letters,
// digits, '-' and '_';
// - no label begins with xn--, and the last has only letters (so the host is no IPv4 address);
// - no segment of the path begins with a dot; the path and the query have letters, digits and the
// signs in kPlaces, and only the query has '%'.
//
// Source: WHATWG URL, 3.5 (hosts) and 4.4 (the parser's states and what they percent-encode).
[[nodiscard]] std::string_view find_plain_host(std::span<const std::byte> url) noexcept;

}  // namespace tamis::url
