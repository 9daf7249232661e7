// tamis/url/url_delta.hpp - what makes the next version of a UrlList of an earlier one, and of that
// one only.
//
//   memory     4 bytes a removal, and an addition's prefix
//   wire       Rice-Golomb: some 27 bits an addition to 50,000 prefixes of 4 bytes where 50 come
//              at once, 12 to 18 a removal
//   diff       two passes over both lists
//   apply      one pass over the old list, two over the new one
//   never      gives a list that is not the one it was made of: the result is compared
//   undefined  nothing
//   threads    const members may run concurrently; all are const
//   wire id    type id 33, FORMAT.md "url-delta"
//
// Source: the partial updates of Safe Browsing v5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <tamis/detail/buffer.hpp>
#include <tamis/hash.hpp>
#include <tamis/status.hpp>
#include <tamis/url/prefix_set.hpp>
#include <tamis/url/rice.hpp>
#include <tamis/url/url_list.hpp>
#include <tamis/wire.hpp>

namespace tamis::url {

// What changes from one version of a prefix list to the next, as the partial updates of Safe
// Browsing have it. Both directions take time in proportion to the lists, and never unpack one as a
// whole.

// As rice_encode() and rice_decode() have their integers: big-endian, strictly increasing.
struct ListDelta {
  detail::Buffer<std::byte> removals;   // indices into the old list, 4 bytes each
  detail::Buffer<std::byte> additions;  // prefixes
};

// The old list without its entries at the indices `removals`, and with `additions`. kCorrupt where
// an index is not in the list, or either is not strictly increasing. Also where an addition is in
// the old list already, even if it is removed: such an update was made for another list. Whether
// the result is what the update's maker had, only the checksum tells. kTooLarge, kOutOfMemory.
[[nodiscard]] Result<PrefixSet> apply_delta(const PrefixSet& old,
                                            std::span<const std::byte> removals,
                                            std::span<const std::byte> additions) noexcept;

// What apply_delta() makes `next` of `old` with. kIncompatible for prefixes of two lengths,
// kOutOfMemory.
[[nodiscard]] Result<ListDelta> diff(const PrefixSet& old, const PrefixSet& next) noexcept;

class UrlDelta {
 public:
  static constexpr FilterType kType = FilterType::kUrlDelta;

  // The first 8 bytes of the old list's UrlList::identity(), and 4 of the new one's, the least
  // significant first. That is enough to tell versions apart where nobody forges them, and an
  // update of a day is some 200 bytes. Who does not trust the sender compares the whole identity of
  // what apply() made.
  [[nodiscard]] std::uint64_t base() const noexcept { return base_; }
  [[nodiscard]] std::uint32_t result() const noexcept { return result_; }
  [[nodiscard]] std::uint32_t prefix_bytes() const noexcept { return prefix_bytes_; }
  // Of the new list.
  [[nodiscard]] Shapes shapes() const noexcept { return shapes_; }
  [[nodiscard]] std::uint64_t removals() const noexcept { return lists_.removals.size() / 4; }
  [[nodiscard]] std::uint64_t additions() const noexcept {
    return lists_.additions.size() / prefix_bytes_;
  }
  // Both.
  [[nodiscard]] std::uint64_t count() const noexcept { return removals() + additions(); }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept {
    return lists_.removals.size() + lists_.additions.size();
  }

  [[nodiscard]] Result<UrlDelta> clone() const noexcept;
  // kCorrupt where a list is not strictly increasing. One pass.
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

// kIncompatible where the rules or the prefix lengths differ; kOutOfMemory.
[[nodiscard]] Result<UrlDelta> diff(const UrlList& older, const UrlList& newer) noexcept;

// The next version; `list` stays as it is. kIncompatible where the delta was made for another list,
// be it by its rule or prefix length. kCorrupt where the result is not what it was made of.
// kTooLarge, kOutOfMemory.
[[nodiscard]] Result<UrlList> apply(const UrlList& list, const UrlDelta& delta) noexcept;

}  // namespace tamis::url
