// tamis/url/expressions.hpp - the expressions of a URL, which a list of URLs may hold.
//
// They are suffixes of the host, each with up to six prefixes of the path. A list that holds
// evil.com/ matches every page below it. No expression occurs twice. Their order means nothing.
//
//   hosts      the host itself, and suffixes by one of three rules. Two have up to four suffixes,
//              and `parents` has each that is a name of DNS. An IP address has none
//   paths      the path with its query, if that is not empty; the path; /, /a/, /a/b/ and /a/b/c/
//   shapes     a list tells which of them it has, and only those are made: Shapes below
//   cost       linear in the labels and directories that are read; no allocation. By `parents` there
//              may be 127 hosts, and each hash reads the path
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

// The kinds of paths of expressions, one bit for each. Bit 0 is the host alone, and bits 1 to 3 are
// a folder of that depth. Bit 4 is a page, or a deeper folder, and bit 5 a page with its query.
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
  // Suffixes beyond those of labels5 are not longer: no name of DNS is.
  static constexpr std::size_t kMaxParentBytes = 253;

  // Version 4, rule `labels5`: suffixes of two to five labels. `url` must be finished. The rule
  // `parents` begins with the same. It `goes_on`: advance() has the longer suffixes.
  [[nodiscard]] static Expressions labels5(const CanonicalUrl& url, Shapes shapes = kAllShapes,
                                           bool goes_on = false) noexcept;

  // The expressions of the shape kHostShape for a host in canonical form. It is no IP address, and
  // has a slash behind it in memory.
  [[nodiscard]] static Expressions labels5_of_name(std::string_view host,
                                                   bool goes_on = false) noexcept;

  // Version 5: from the registrable domain (one label more than a public suffix) to three labels
  // more. The caller knows the length of the domain in bytes, at the end of host(). 0 means that
  // the host has none. Returns kInvalidOption if the length is not whole labels of the host.
  [[nodiscard]] static Result<Expressions> public_suffix(const CanonicalUrl& url,
                                                         std::size_t registrable_bytes,
                                                         Shapes shapes = kAllShapes) noexcept;

  // Replaces these expressions by those of the next longer suffixes, at most five. Returns false,
  // and has none, if none is left.
  bool advance() noexcept;

  // The mark of the host, if advance() has a suffix, and else an empty text. It is a dot, the last
  // three labels and a slash. A list by the rule `parents` has the mark of each of its hosts of six
  // labels or more, so that a look-up of another host need not go on.
  [[nodiscard]] std::string_view mark() const noexcept { return all_[size_]; }
  // All expressions, and the mark behind them if there is one.
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
  std::size_t last_ = 0;  // the bytes of the longest suffix so far; of the host if none follows
  std::array<std::size_t, kMaxPaths> paths_;  // the length of each
  std::size_t path_count_ = 0;
  std::array<std::string_view, kMaxCount + kMaxPaths> all_;  // the mark is behind the others
  std::size_t size_ = 0;
};

// The SHA-256 of an expression. A list of URLs holds its first bytes.
using ExpressionHash = detail::Sha256Digest;

[[nodiscard]] inline ExpressionHash hash_expression(std::string_view expression) noexcept {
  return detail::sha256(std::as_bytes(std::span<const char>(expression)));
}

// Sets hashes[i] to the hash of expressions[i]. Most are short, and are hashed four at a time.
inline void hash_expressions(std::span<const std::string_view> expressions,
                             ExpressionHash* hashes) noexcept {
  detail::sha256(expressions, hashes);
}

}  // namespace tamis::url
