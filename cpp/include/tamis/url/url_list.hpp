// tamis/url/url_list.hpp - a URL list that is sent to clients: hash prefixes of expressions, and
// the rule by which the expressions were made.
//
// Choose it for a blocklist that clients store and keep up to date (url_delta.hpp). A filter
// (filters/) with the same expressions can have any rate, but must be sent again for each change.
//
//   memory     the same as its PrefixSet
//   wire       Rice-Golomb coding: log2(mean gap) + 1.5 bits an entry (2.0 bytes at 190,000 entries
//              of 4 bytes); the mean gap of n such prefixes of hashes is 2^32 / n
//   build      makes one pass over the prefixes, for the checksum and the size in a file
//   query      the same as for PrefixSet; shapes() says which expressions of a URL need a look-up
//   never      reports a prefix of the list as absent, or any other prefix as present. But if
//              prefixes are shorter than 32 bytes, two expressions may share one, so a server with
//              the whole hashes must confirm a prefix that is present
//   undefined  no call has undefined behaviour
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

// The rule by which each parent domain of a host is looked up.
inline constexpr std::string_view kParentsRule = "parents";

// The rule by which a list's expressions were made, as text: "parents", "labels5", or the name and
// version of a public suffix list. Look-ups by another rule would miss entries.
class ListRule {
 public:
  static constexpr std::size_t kMaxBytes = 64;

  // Accepts 1 to kMaxBytes bytes of printable ASCII, with spaces. Other text is kInvalidOption.
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
  // Compares one word, which is enough because a short text is followed by zeros.
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

  // `shapes` are the shapes of the expressions with these prefixes; a caller who does not know them
  // leaves the default, all shapes. With fewer shapes and the rule kParentsRule, the prefixes must
  // include the marks of their hosts (Expressions::mark()). Returns kInvalidOption for a rule that
  // ListRule::of() refuses, and for impossible shapes.
  [[nodiscard]] static Result<UrlList> of(PrefixSet&& prefixes, std::string_view rule,
                                          Shapes shapes = kAllShapes) noexcept;
  // The same, with a claimed checksum of the prefixes. It hashes nothing; validate()
  // compares the checksum later. Each header() and write() computes the size in a file.
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
  // The shapes that the list's expressions have.
  [[nodiscard]] Shapes shapes() const noexcept { return shapes_; }
  // True if the rule is kParentsRule.
  [[nodiscard]] bool has_parents() const noexcept { return rule_.has_parents(); }
  // The SHA-256 of all prefixes, one after the other, as in Safe Browsing.
  [[nodiscard]] const detail::Sha256Digest& checksum() const noexcept { return checksum_; }
  // The SHA-256 of the rule, a zero byte, prefix_bytes() and shapes() as one byte each, and
  // checksum(). It identifies the list, while the checksum alone identifies its entries.
  [[nodiscard]] detail::Sha256Digest identity() const noexcept;

  [[nodiscard]] std::uint64_t count() const noexcept { return prefixes_.size(); }
  [[nodiscard]] std::uint64_t capacity() const noexcept { return count(); }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return prefixes_.size_bytes(); }

  [[nodiscard]] Result<UrlList> clone() const noexcept;
  // Returns kCorrupt if the checksum does not match the entries. It takes one pass.
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

  // The size of the list in a file. It is computed now if of() did not compute it.
  [[nodiscard]] RiceListSize measured() const noexcept;

  PrefixSet prefixes_;
  ListRule rule_;
  Shapes shapes_;
  detail::Sha256Digest checksum_;
  RiceListSize size_;  // parameter 0 means that it is not computed yet
};

}  // namespace tamis::url
