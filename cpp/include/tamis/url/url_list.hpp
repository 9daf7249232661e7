// tamis/url/url_list.hpp - a list of URL expressions that is sent to clients: hash prefixes, and
// the rule that made the expressions.
//
// Choose it for a blocklist that clients hold and keep up to date (url_delta.hpp). A filter
// (filters/) of the same expressions can have any rate, but must be sent again for each change.
//
//   memory     as its PrefixSet
//   wire       Rice-Golomb: log2(mean gap) + 1.5 bits an entry (2.0 bytes at 190,000 entries of 4
//              bytes); log2(2^32 / n) + 1.5 if the entries are hashes
//   build      makes one pass over the prefixes, for their checksum and the size of the file
//   query      as PrefixSet; shapes() tells which expressions of a URL are worth a look-up
//   never      reports a prefix of the list as absent, or one that is not in the list as present.
//              But below 32 bytes, two expressions may share a prefix. If a prefix is present, the
//              owner of the whole hashes must confirm it
//   undefined  nothing
//   threads    const members may run concurrently; all are const
//   wire id    type id 32, FORMAT.md "url-list"
//
// Source: the HashList of Safe Browsing v5.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include <tamis/hash/sha2.hpp>
#include <tamis/status.hpp>
#include <tamis/url/expressions.hpp>
#include <tamis/url/prefix_set.hpp>
#include <tamis/url/rice.hpp>
#include <tamis/wire.hpp>

namespace tamis::url {

// The rule that looks up each parent of a host.
inline constexpr std::string_view kParentsRule = "parents";

// The rule that made a list's expressions, as text: "parents", "labels5", or the name and version
// of a public suffix list. A look-up by another rule misses entries, so a list always has its rule
// with it.
class ListRule {
 public:
  static constexpr std::size_t kMaxBytes = 64;

  // Takes 1 to kMaxBytes bytes of printable ASCII, with spaces. Any other text is kInvalidOption.
  [[nodiscard]] static Result<ListRule> of(std::string_view text) noexcept {
    const auto is_printable = [](char c) { return c >= ' ' && c <= '~'; };
    if (text.empty() || text.size() > kMaxBytes) return Status::kInvalidOption;
    if (!std::all_of(text.begin(), text.end(), is_printable)) return Status::kInvalidOption;
    ListRule rule;
    std::copy_n(text.data(), text.size(), rule.bytes_.data());
    rule.size_ = text.size();
    return rule;
  }

  [[nodiscard]] std::string_view text() const noexcept { return {bytes_.data(), size_}; }
  // Compares one word, since zeros follow a short text.
  [[nodiscard]] bool has_parents() const noexcept {
    return std::memcmp(bytes_.data(), kParentsRule.data(), kParentsRule.size() + 1) == 0;
  }

 private:
  ListRule() noexcept = default;

  std::array<char, kMaxBytes> bytes_{};
  std::size_t size_ = 0;
};

class UrlList {
 public:
  static constexpr FilterType kType = FilterType::kUrlList;

  // `shapes` are those of the expressions of these prefixes. A caller who does not know them leaves
  // all. With fewer and kParentsRule, the prefixes have the marks of their hosts
  // (Expressions::mark()). Returns kInvalidOption for a rule that ListRule::of() refuses, and for
  // impossible shapes.
  [[nodiscard]] static Result<UrlList> of(PrefixSet&& prefixes, std::string_view rule,
                                          Shapes shapes = kAllShapes) noexcept;
  // Does the same with a checksum that somebody claims for the prefixes. It hashes nothing:
  // validate() compares it. It does not measure the list either: each header() and write() does.
  [[nodiscard]] static Result<UrlList> of(PrefixSet&& prefixes, std::string_view rule,
                                          Shapes shapes,
                                          const detail::Sha256Digest& checksum) noexcept;

  // True if the first prefix_bytes() bytes at `hash`, the SHA-256 of an expression, are an entry.
  [[nodiscard]] bool contains(const std::byte* hash) const noexcept {
    return prefixes_.contains(hash);
  }

  [[nodiscard]] const PrefixSet& prefixes() const noexcept { return prefixes_; }
  [[nodiscard]] std::uint32_t prefix_bytes() const noexcept { return prefixes_.prefix_bytes(); }
  [[nodiscard]] std::string_view rule() const noexcept { return rule_.text(); }
  // The list has no expressions of other shapes.
  [[nodiscard]] Shapes shapes() const noexcept { return shapes_; }
  // True for kParentsRule.
  [[nodiscard]] bool has_parents() const noexcept { return rule_.has_parents(); }
  // SHA-256 of all prefixes, one after the other, as in Safe Browsing.
  [[nodiscard]] const detail::Sha256Digest& checksum() const noexcept { return checksum_; }
  // SHA-256 of the rule, a zero byte, prefix_bytes() and shapes() as a byte each, and checksum().
  // It tells which list it is. The checksum alone tells which entries it has.
  [[nodiscard]] detail::Sha256Digest identity() const noexcept;

  [[nodiscard]] std::uint64_t count() const noexcept { return prefixes_.size(); }
  [[nodiscard]] std::uint64_t capacity() const noexcept { return count(); }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return prefixes_.size_bytes(); }

  [[nodiscard]] Result<UrlList> clone() const noexcept;
  // Returns kCorrupt if the checksum does not belong to the entries. It takes one pass.
  [[nodiscard]] Status validate() const noexcept;

  [[nodiscard]] Header header() const noexcept;
  void write(ByteWriter& out) const noexcept;
  [[nodiscard]] static Result<UrlList> read(Container& from) noexcept;

 private:
  UrlList(PrefixSet&& prefixes, const ListRule& rule, Shapes shapes,
          const detail::Sha256Digest& checksum, const RiceListSize& size) noexcept
      : prefixes_(std::move(prefixes)),
        rule_(rule),
        shapes_(shapes),
        checksum_(checksum),
        size_(size) {}

  // The size of the list in a file.
  [[nodiscard]] RiceListSize measured() const noexcept;

  PrefixSet prefixes_;
  ListRule rule_;
  Shapes shapes_;
  detail::Sha256Digest checksum_;
  RiceListSize size_;  // parameter 0: not measured
};

}  // namespace tamis::url
