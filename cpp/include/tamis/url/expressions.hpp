// tamis/url/expressions.hpp - the expressions of a URL: the strings that a URL list may contain.
//
// An expression is a suffix of the host followed by a prefix of the path; each host suffix has up
// to six path prefixes. A list that contains evil.com/ matches every page below it. No expression
// of a URL occurs twice; their order has no meaning.
//
//   hosts      the host itself, and suffixes of it by one of three rules. Two rules give up to
//              four suffixes; `parents` gives all that are DNS names. An IP address has none
//   paths      the path with its query, if that is not empty; the path; /, /a/, /a/b/ and /a/b/c/
//   shapes     a list says which kinds of paths it has (Shapes below), and only those are made
//   cost       linear in the labels and directories that are read, without allocation. With
//              `parents` there may be 127 hosts, and for each the path is hashed again
//   undefined  use after the next parse() or finish() of the CanonicalUrl, which owns the bytes
//   threads    const members may run concurrently
//
// Source: https://developers.google.com/safe-browsing/v4/urls-hashing and its version 5.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <tamis/hash/sha2.hpp>
#include <tamis/status.hpp>
#include <tamis/url/canonicalize.hpp>

namespace tamis::url {

// The kinds of paths that expressions have, one bit for each. Bit 0: the host alone. Bits 1 to 3:
// a folder at that depth. Bit 4: a page or a deeper folder. Bit 5: a page with a query.
using Shapes = std::uint32_t;
inline constexpr std::uint32_t kFolderShapes = 4, kPageShape = 4, kQueryShape = 5;
inline constexpr Shapes kAllShapes = 0x3f, kHostShape = 1;

// True if a list of `count` entries may have these shapes.
[[nodiscard]] constexpr bool are_shapes(Shapes shapes, std::uint64_t count) noexcept {
  return (shapes & ~kAllShapes) == 0 && (shapes != 0 || count == 0);
}

class Expressions {
 public:
  static constexpr std::size_t kMaxHosts = 5, kMaxPaths = 6, kMaxCount = kMaxHosts * kMaxPaths;
  // The longest suffix that `parents` adds to those of `labels5`. No DNS name is longer.
  static constexpr std::size_t kMaxParentBytes = 253;

  // By the rule `labels5` (Safe Browsing version 4): the host and its suffixes of two to five
  // labels. `url` must be finished. The rule `parents` begins with the same expressions: pass
  // `goes_on`, and call advance() for the longer suffixes.
  [[nodiscard]] static Expressions labels5(const CanonicalUrl& url, Shapes shapes = kAllShapes,
                                           bool goes_on = false) noexcept;

  // The expressions with the shape kHostShape. `host` must be canonical and not an IP address; the
  // byte after it in memory must be a slash.
  [[nodiscard]] static Expressions labels5_of_name(std::string_view host,
                                                   bool goes_on = false) noexcept;

  // By the rule of version 5: the host, and suffixes from the registrable domain (one label more
  // than a public suffix) to three labels more. The caller passes the length in bytes of the
  // registrable domain, at the end of host(); 0 means that the host has none. Returns
  // kInvalidOption if a suffix of that length does not begin at a label.
  [[nodiscard]] static Result<Expressions> public_suffix(const CanonicalUrl& url,
                                                         std::size_t registrable_bytes,
                                                         Shapes shapes = kAllShapes) noexcept;

  // Replaces these expressions by those of the next longer suffixes, at most five. If no suffix is
  // left, it returns false, and the object has no expressions.
  bool advance() noexcept;

  // The mark of the host: a dot, its last three labels and a slash. It is empty if advance() has no
  // more suffixes. A list with the rule `parents` contains the mark of each listed host of six
  // labels or more. So if it lacks this mark, advance() is not needed.
  [[nodiscard]] std::string_view mark() const noexcept { return all_[size_]; }
  // All expressions, followed by the mark if there is one.
  [[nodiscard]] std::span<const std::string_view> with_mark() const noexcept {
    return {all_.data(), mark().empty() ? size_ : size_ + 1};
  }
  [[nodiscard]] std::string_view host() const noexcept { return host_; }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::string_view operator[](std::size_t i) const noexcept { return all_[i]; }
  [[nodiscard]] const std::string_view* begin() const noexcept { return all_.data(); }
  [[nodiscard]] const std::string_view* end() const noexcept { return all_.data() + size_; }

 private:
  Expressions() noexcept = default;
  Expressions(const CanonicalUrl& url, Shapes shapes) noexcept;
  void add_host(std::size_t bytes) noexcept;
  void add_name(bool goes_on) noexcept;
  void add_parents(std::size_t most, std::size_t most_bytes) noexcept;

  std::string_view host_;
  std::size_t last_ = 0;  // bytes of the longest suffix so far, or of the host if none follows
  std::array<std::size_t, kMaxPaths> paths_;  // the length of each path
  std::size_t path_count_ = 0;
  std::array<std::string_view, kMaxCount + kMaxPaths> all_;  // the mark comes last
  std::size_t size_ = 0;
};

// The SHA-256 of an expression. A URL list contains its first bytes.
using ExpressionHash = detail::Sha256Digest;

[[nodiscard]] inline ExpressionHash hash_expression(std::string_view expression) noexcept {
  return detail::sha256(std::as_bytes(std::span<const char>(expression)));
}

// Sets hashes[i] to the hash of expressions[i]. Short ones are hashed four at a time.
inline void hash_expressions(std::span<const std::string_view> expressions,
                             ExpressionHash* hashes) noexcept {
  detail::sha256(expressions, hashes);
}

}  // namespace tamis::url
