// tamis/url/expressions.hpp - the expressions of a URL: what a list of URLs may hold of it.
//
// Up to five suffixes of the host, each with up to six prefixes of the path. A list that holds
// evil.com/ matches every page below it. No expression stands twice; their order means nothing.
//
//   hosts      the host itself; up to four suffixes, by one of two rules. An IP address has none
//   paths      the path with its query, if that is not empty; the path; /, /a/, /a/b/ and /a/b/c/
//   shapes     a list says which of them it has, and only those are made: Shapes below
//   cost       linear in the labels and directories that are looked at; no allocation
//   undefined  use after the CanonicalUrl's next parse() or finish(), whose bytes these are
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

// What the paths of expressions look like, a bit each. Bit 0 is the host alone, 1 to 3 a folder as
// deep as that. Bit 4 is a page (and a folder that is deeper), 5 a page with its query.
using Shapes = std::uint32_t;
inline constexpr std::uint32_t kFolderShapes = 4, kPageShape = 4, kQueryShape = 5;
inline constexpr Shapes kAllShapes = 0x3f, kHostShape = 1;

// What a list of `count` entries may say that it has.
[[nodiscard]] constexpr bool are_shapes(Shapes shapes, std::uint64_t count) noexcept {
  return (shapes & ~kAllShapes) == 0 && (shapes != 0 || count == 0);
}

class Expressions {
 public:
  static constexpr std::size_t kMaxHosts = 5, kMaxPaths = 6, kMaxCount = kMaxHosts * kMaxPaths;

  // Version 4, rule `labels5`: suffixes of two to five labels. `url` is finished.
  [[nodiscard]] static Expressions labels5(const CanonicalUrl& url,
                                           Shapes shapes = kAllShapes) noexcept;

  // The same of a host in canonical form that is no IP address, with a slash behind it in memory:
  // those of the shape kHostShape.
  [[nodiscard]] static Expressions labels5_of_name(std::string_view host) noexcept;

  // Version 5: from the registrable domain (one label more than a public suffix) to three labels
  // more. The caller knows the domain's length in bytes at the end of host(); 0: the host has none.
  // kInvalidOption where the length is no whole labels of the host.
  [[nodiscard]] static Result<Expressions> public_suffix(const CanonicalUrl& url,
                                                         std::size_t registrable_bytes,
                                                         Shapes shapes = kAllShapes) noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::string_view operator[](std::size_t i) const noexcept { return all_[i]; }
  [[nodiscard]] const std::string_view* begin() const noexcept { return all_.data(); }
  [[nodiscard]] const std::string_view* end() const noexcept { return all_.data() + size_; }

 private:
  Expressions() noexcept = default;
  Expressions(const CanonicalUrl& url, Shapes shapes) noexcept;
  void add_host(std::string_view suffix) noexcept;
  void add_labels5(std::string_view host) noexcept;

  std::array<std::size_t, kMaxPaths> paths_;  // how many bytes each has
  std::size_t path_count_ = 0;
  std::array<std::string_view, kMaxCount> all_;
  std::size_t size_ = 0;
};

// Its first bytes are what a list of URLs holds.
using ExpressionHash = detail::Sha256Digest;

[[nodiscard]] inline ExpressionHash hash_expression(std::string_view expression) noexcept {
  return detail::sha256(std::as_bytes(std::span<const char>(expression)));
}

// hashes[i] of expressions[i]; short ones, as most are, four at a time.
inline void hash_expressions(std::span<const std::string_view> expressions,
                             ExpressionHash* hashes) noexcept {
  detail::sha256(expressions, hashes);
}

}  // namespace tamis::url
