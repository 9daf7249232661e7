// tamis/url/url_list.hpp - a list of URL expressions that travels: hash prefixes and the rule that
// the expressions were made by.
//
// Choose it for a blocklist that clients hold and keep up to date (url_delta.hpp). A filter
// (filters/) of the same expressions can have any rate, but must be sent anew for each change.
//
//   memory     that of its PrefixSet
//   wire       Rice-Golomb: log2(mean gap) + 1.5 bits an entry (2.0 bytes at 190,000 entries of 4
//              bytes); log2(2^32 / n) + 1.5 where the entries are hashes
//   build      one pass over the prefixes, for their checksum and the size on the wire
//   query      as PrefixSet; shapes() says which expressions of a URL are worth a look-up
//   never      reports a prefix of the list as absent, or one that is not in the list as present.
//              But for prefixes of 32 bytes, two expressions may share one: a prefix that is
//              present is a question to who has the whole hashes
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
#include <string_view>
#include <utility>

#include <tamis/hash.hpp>
#include <tamis/hash/sha2.hpp>
#include <tamis/status.hpp>
#include <tamis/url/expressions.hpp>
#include <tamis/url/prefix_set.hpp>
#include <tamis/url/rice.hpp>
#include <tamis/wire.hpp>

namespace tamis::url {

// The rule by which a list's expressions are made, as text: "labels5", or a name of a public suffix
// list and its version. Who asks a list by another rule than it was made by misses entries, so the
// rule goes where the list goes.
class ListRule {
 public:
  static constexpr std::size_t kMaxBytes = 64;

  // 1 to kMaxBytes bytes of printable ASCII, spaces too; else kInvalidOption.
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

 private:
  ListRule() noexcept = default;

  std::array<char, kMaxBytes> bytes_{};
  std::size_t size_ = 0;
};

class UrlList {
 public:
  static constexpr FilterType kType = FilterType::kUrlList;

  // `shapes` are those of the expressions whose prefixes these are; who does not know them leaves
  // all. kInvalidOption for a rule that ListRule::of() refuses, and shapes that cannot be.
  [[nodiscard]] static Result<UrlList> of(PrefixSet&& prefixes, std::string_view rule,
                                          Shapes shapes = kAllShapes) noexcept;
  // The same with the checksum that somebody says is that of the prefixes. Nothing is hashed here:
  // validate() says whether it is. Nor is the list measured: each header() and write() does.
  [[nodiscard]] static Result<UrlList> of(PrefixSet&& prefixes, std::string_view rule,
                                          Shapes shapes,
                                          const detail::Sha256Digest& checksum) noexcept;

  // Whether the first prefix_bytes() bytes at `hash`, the SHA-256 of an expression, are an entry.
  [[nodiscard]] bool contains(const std::byte* hash) const noexcept {
    return prefixes_.contains(hash);
  }

  [[nodiscard]] const PrefixSet& prefixes() const noexcept { return prefixes_; }
  [[nodiscard]] std::uint32_t prefix_bytes() const noexcept { return prefixes_.prefix_bytes(); }
  [[nodiscard]] std::string_view rule() const noexcept { return rule_.text(); }
  // Expressions of other shapes are not in the list.
  [[nodiscard]] Shapes shapes() const noexcept { return shapes_; }
  // SHA-256 of all prefixes one after the other, as Safe Browsing has it.
  [[nodiscard]] const detail::Sha256Digest& checksum() const noexcept { return checksum_; }
  // SHA-256 of the rule, a zero byte, prefix_bytes() and shapes() as a byte each, and checksum().
  // It says which list it is, where the checksum alone says which entries it has.
  [[nodiscard]] detail::Sha256Digest identity() const noexcept;

  [[nodiscard]] std::uint64_t count() const noexcept { return prefixes_.size(); }
  [[nodiscard]] std::uint64_t capacity() const noexcept { return count(); }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return prefixes_.size_bytes(); }

  [[nodiscard]] Result<UrlList> clone() const noexcept;
  // kCorrupt where the entries are not those of the checksum. One pass.
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

  // On the wire.
  [[nodiscard]] RiceListSize measured() const noexcept;

  PrefixSet prefixes_;
  ListRule rule_;
  Shapes shapes_;
  detail::Sha256Digest checksum_;
  RiceListSize size_;  // parameter 0: not measured
};

}  // namespace tamis::url
