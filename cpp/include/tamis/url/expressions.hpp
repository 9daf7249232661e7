// tamis/url/expressions.hpp - the expressions of a URL: what a list of URLs may hold of it.
//
// Up to five suffixes of the host, each with up to six prefixes of the path: a list that holds
// evil.com/ matches every page below it. No expression stands twice; their order means nothing.
//
//   hosts      the host itself; up to four suffixes, by one of two rules. An IP address has none
//   paths      the path with its query, if that is not empty; the path; /, /a/, /a/b/ and /a/b/c/
//   cost       linear in the labels and directories that are looked at; no allocation
//   undefined  use after the CanonicalUrl's next parse() or finish(), whose bytes these are
//   threads    const members may run concurrently
//
// Source: https://developers.google.com/safe-browsing/v4/urls-hashing and its version 5.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include <tamis/status.hpp>
#include <tamis/url/canonicalize.hpp>

namespace tamis::url {

class Expressions {
 public:
  static constexpr std::size_t kMaxHosts = 5, kMaxPaths = 6, kMaxCount = kMaxHosts * kMaxPaths;

  // Version 4, rule `labels5`: suffixes of two to five labels. `url` is finished.
  [[nodiscard]] static Expressions labels5(const CanonicalUrl& url) noexcept;

  // Version 5: from the registrable domain (one label more than a public suffix), whose length in
  // bytes at the end of host() the caller knows, to four labels more; 0: the host has none.
  // kInvalidOption where the length is no whole labels of the host.
  [[nodiscard]] static Result<Expressions> public_suffix(const CanonicalUrl& url,
                                                         std::size_t registrable_bytes) noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::string_view operator[](std::size_t i) const noexcept { return all_[i]; }
  [[nodiscard]] const std::string_view* begin() const noexcept { return all_.data(); }
  [[nodiscard]] const std::string_view* end() const noexcept { return all_.data() + size_; }

 private:
  Expressions() noexcept = default;
  void add_host(const CanonicalUrl& url, std::string_view suffix) noexcept;

  std::array<std::string_view, kMaxCount> all_;
  std::size_t size_ = 0;
};

}  // namespace tamis::url
