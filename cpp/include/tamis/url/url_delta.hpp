// tamis/url/url_delta.hpp - what makes the next version of a UrlList of an earlier one, and of that
// one only.
//
//   memory     as on the wire
//   wire       some 30 bits an addition and 20 a removal, at 50,000 entries of which 50 change
//   diff       one pass over both lists
//   apply      one pass over the old list
//   never      gives a list that is not the one it was made of: the result is compared
//   undefined  nothing
//   threads    const members may run concurrently; all are const
//   wire id    type id 33, FORMAT.md "url-delta"
//
// Source: the partial updates of Safe Browsing v5.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <tamis/detail/buffer.hpp>
#include <tamis/hash.hpp>
#include <tamis/status.hpp>
#include <tamis/url/url_list.hpp>
#include <tamis/wire.hpp>

namespace tamis::url {

class UrlDelta {
 public:
  static constexpr FilterType kType = FilterType::kUrlDelta;

  // The first bytes of UrlList::identity(): enough to tell versions apart, where nobody forges
  // them. Who must not trust the sender compares the whole checksum of what apply() made.
  static constexpr std::size_t kIdBytes = 8;
  using Id = std::array<std::byte, kIdBytes>;

  [[nodiscard]] const Id& base() const noexcept { return base_; }
  [[nodiscard]] const Id& result() const noexcept { return result_; }
  [[nodiscard]] std::uint32_t prefix_bytes() const noexcept { return prefix_bytes_; }
  [[nodiscard]] std::uint64_t removals() const noexcept { return removals_; }
  [[nodiscard]] std::uint64_t additions() const noexcept { return additions_; }
  // Both.
  [[nodiscard]] std::uint64_t count() const noexcept { return removals_ + additions_; }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return data_.size(); }

  [[nodiscard]] Result<UrlDelta> clone() const noexcept;
  // kCorrupt where the Rice data are not what rice_encode() makes of their integers.
  [[nodiscard]] Status validate() const noexcept;

  [[nodiscard]] Header header() const noexcept;
  void write(ByteWriter& out) const noexcept;
  [[nodiscard]] static Result<UrlDelta> read(const Header& header, const Hasher& hasher,
                                             ByteReader& in) noexcept;

 private:
  friend Result<UrlDelta> diff(const UrlList& older, const UrlList& newer) noexcept;
  friend Result<UrlList> apply(const UrlList& list, const UrlDelta& delta) noexcept;

  UrlDelta() noexcept = default;

  Id base_{};
  Id result_{};
  std::uint32_t prefix_bytes_ = 4;
  std::uint64_t removals_ = 0;
  std::uint64_t additions_ = 0;
  detail::Buffer<std::byte> data_;  // both lists, as on the wire
};

// kIncompatible where the rules or the prefix lengths differ; kOutOfMemory.
[[nodiscard]] Result<UrlDelta> diff(const UrlList& older, const UrlList& newer) noexcept;

// The next version; `list` stays as it is. kIncompatible where the delta was made for another list,
// be it by its rule or prefix length; kCorrupt where the result is not what it was made of;
// kTooLarge, kOutOfMemory.
[[nodiscard]] Result<UrlList> apply(const UrlList& list, const UrlDelta& delta) noexcept;

}  // namespace tamis::url
