// tamis/url/list_delta.hpp - what changes from one version of a prefix list to the next, as the
// partial updates of Safe Browsing have it. Both directions take time in proportion to the lists,
// and never unpack one as a whole.
#pragma once

#include <cstddef>
#include <span>

#include <tamis/detail/buffer.hpp>
#include <tamis/status.hpp>
#include <tamis/url/prefix_set.hpp>

namespace tamis::url {

// As rice_encode() and rice_decode() have their integers: big-endian, strictly increasing.
struct ListDelta {
  detail::Buffer<std::byte> removals;   // indices into the old list, 4 bytes each
  detail::Buffer<std::byte> additions;  // prefixes
};

// The old list without its entries at the indices `removals`, and with `additions`. kCorrupt where
// an index is not in the list, either is not strictly increasing, or an addition is in the old list
// already, even if it is removed: such an update was made for another list. Whether the result is
// what the update's maker had, only the checksum tells. kTooLarge, kOutOfMemory.
[[nodiscard]] Result<PrefixSet> apply_delta(const PrefixSet& old,
                                            std::span<const std::byte> removals,
                                            std::span<const std::byte> additions) noexcept;

// What apply_delta() makes `next` of `old` with. kIncompatible for prefixes of two lengths,
// kOutOfMemory.
[[nodiscard]] Result<ListDelta> diff(const PrefixSet& old, const PrefixSet& next) noexcept;

}  // namespace tamis::url
