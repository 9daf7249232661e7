// tamis/url/url_delta.hpp - the changes from one version of a UrlList to the next. A delta applies
// only to the version from which it was made.
//
//   memory     4 bytes a removal, and the size of a prefix for an addition
//   wire       Rice-Golomb coding. With 50,000 prefixes of 4 bytes and 50 additions at once, an
//              addition needs about 27 bits; a removal needs 12 to 18
//   diff       makes two passes over both lists
//   apply      makes one pass over the old list, and two over the new one
//   never      gives a list that is not the new version: the result is checked
//   undefined  no call has undefined behaviour
//   threads    const members may run concurrently; all are const
//   wire id    type id 33, FORMAT.md "url-delta"
//
// Source: the partial updates of Safe Browsing v5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <tamis/detail/buffer.hpp>
#include <tamis/status.hpp>
#include <tamis/url/prefix_set.hpp>
#include <tamis/url/rice.hpp>
#include <tamis/url/url_list.hpp>
#include <tamis/wire.hpp>

namespace tamis::url {

// Changes from one version of a prefix list to the next, as in the partial updates of Safe
// Browsing. apply_delta() and diff() take linear time, and never unpack a list completely.

// Removals and additions are integers as in rice_encode(): big-endian and strictly increasing.
struct ListDelta {
  Bytes removals;   // indices into the old list, 4 bytes each
  Bytes additions;  // prefixes
};

// Removes the entries with the indices `removals` from the old list, and adds `additions`. Returns
// kCorrupt if an index is not in the list, or if removals or additions are not strictly increasing.
// An addition that is already in the old list is kCorrupt too, even if it is also removed, because
// such an update was made for another list. Only the checksum shows whether the result is the list
// of the update's publisher. Returns kTooLarge or kOutOfMemory.
[[nodiscard]] Result<PrefixSet> apply_delta(const PrefixSet& old,
                                            std::span<const std::byte> removals,
                                            std::span<const std::byte> additions) noexcept;

// Computes the changes with which apply_delta() turns `old` into `next`. Returns kIncompatible if
// the prefixes differ in length, or kOutOfMemory.
[[nodiscard]] Result<ListDelta> diff(const PrefixSet& old, const PrefixSet& next) noexcept;

class UrlDelta {
 public:
  static constexpr FilterType kType = FilterType::kUrlDelta;

  // base() is the first 8 bytes of the old list's UrlList::identity(), little-endian; result() is
  // the first 4 of the new list's identity. That is enough to tell versions apart if nobody forges
  // them, and keeps a daily update at about 200 bytes. If you do not trust the sender, compare the
  // whole identity of apply()'s result.
  [[nodiscard]] std::uint64_t base() const noexcept { return base_; }
  [[nodiscard]] std::uint32_t result() const noexcept { return result_; }
  [[nodiscard]] std::uint32_t prefix_bytes() const noexcept { return prefix_bytes_; }
  // The shapes of the new list.
  [[nodiscard]] Shapes shapes() const noexcept { return shapes_; }
  [[nodiscard]] std::uint64_t removals() const noexcept { return lists_.removals.size() / 4; }
  [[nodiscard]] std::uint64_t additions() const noexcept {
    return lists_.additions.size() / prefix_bytes_;
  }
  // The number of removals and additions.
  [[nodiscard]] std::uint64_t count() const noexcept { return removals() + additions(); }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept {
    return lists_.removals.size() + lists_.additions.size();
  }

  [[nodiscard]] Result<UrlDelta> clone() const noexcept;
  // Returns kCorrupt if removals or additions are not strictly increasing. It takes one pass.
  [[nodiscard]] Status validate() const noexcept;

  [[nodiscard]] Header header() const noexcept;
  void write(ByteWriter& out) const noexcept;
  [[nodiscard]] static Result<UrlDelta> read(Container& from) noexcept;

 private:
  friend Result<UrlDelta> diff(const UrlList& older, const UrlList& newer) noexcept;
  friend Result<UrlList> apply(const UrlList& list, const UrlDelta& delta) noexcept;

  UrlDelta(std::uint64_t base, std::uint32_t result, std::uint32_t prefix_bytes,
           Shapes shapes) noexcept
      : base_(base), result_(result), prefix_bytes_(prefix_bytes), shapes_(shapes) {}

  std::uint64_t base_;
  std::uint32_t result_;
  std::uint32_t prefix_bytes_;
  Shapes shapes_;
  ListDelta lists_;
  RiceListSize removals_size_;
  RiceListSize additions_size_;
};

// Computes the delta between two versions. Returns kIncompatible if their rules or prefix lengths
// differ, or kOutOfMemory.
[[nodiscard]] Result<UrlDelta> diff(const UrlList& older, const UrlList& newer) noexcept;

// Returns the next version; `list` does not change. Returns kIncompatible if the delta was made for
// another list, rule or prefix length. Returns kCorrupt if the result is not the list to which the
// delta leads. It can also return kTooLarge or kOutOfMemory.
[[nodiscard]] Result<UrlList> apply(const UrlList& list, const UrlDelta& delta) noexcept;

}  // namespace tamis::url
