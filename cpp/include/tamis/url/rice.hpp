// tamis/url/rice.hpp - Rice-Golomb coding of sorted integers, as Safe Browsing sends its lists.
//
// v5: strictly increasing integers of 32, 64, 128 or 256 bits, the bytes of hash prefixes as they
// stand, so that the order of the integers is that of the bytes. v4: 32 bits, and a prefix is the
// integer's bytes with the least significant first, so that the integers' order is another.
//
//   stream     for each delta d to the integer before it, with the parameter k: d >> k in unary (so
//              many ones and a zero), then the low k bits of d, the least significant first. A
//              byte is filled from its least significant bit on; v5 ends with zero bits
//   parameter  v5: width - 29 to width - 2; v4: 2 to 28
//   size       log2(mean gap) + 1.5 bits an integer, where they are spread evenly
//   never      reads or gives a list that is not strictly increasing
//   threads    free functions
//
// Golomb, IEEE Trans. Inf. Theory 12, 1966; Rice, JPL 79-22, 1979; the messages RiceDeltaEncoded*
// of Safe Browsing v5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <tamis/detail/buffer.hpp>
#include <tamis/status.hpp>

namespace tamis::url {

// As the wire has it. Where there is no delta, the parameter says nothing and is not looked at.
struct RiceDeltas {
  std::span<const std::byte> first_value;  // big-endian: 4, 8, 16 or 32 bytes
  std::uint32_t parameter = 0;
  std::uint64_t entries_count = 0;  // of deltas: one less than integers
  std::span<const std::byte> data;
};

// All integers, big-endian, one after the other. kCorrupt for all that is not as it must be,
// before memory is taken for more integers than the data can hold; kInvalidOption for another width
// of first_value, kOutOfMemory.
[[nodiscard]] Result<detail::Buffer<std::byte>> rice_decode(const RiceDeltas& deltas) noexcept;

// The same of v4: integers, such as the indices of removals.
[[nodiscard]] Result<detail::Buffer<std::byte>> rice_decode_v4(const RiceDeltas& deltas) noexcept;
// And prefixes of 4 bytes, sorted.
[[nodiscard]] Result<detail::Buffer<std::byte>> rice_decode_v4_prefixes(
    const RiceDeltas& deltas) noexcept;

struct RiceEncoded {
  std::uint32_t parameter;
  std::uint32_t entries_count;
  detail::Buffer<std::byte> data;
};

// v5, with the parameter that gives the fewest bits, the least of several. `values` holds one
// integer of `value_bytes` (4, 8, 16 or 32) bytes or more, big-endian; the first of them is the
// first_value. kInvalidOption, also where they are not strictly increasing; kTooLarge above 2^31
// integers, kOutOfMemory.
[[nodiscard]] Result<RiceEncoded> rice_encode(std::span<const std::byte> values,
                                              std::uint32_t value_bytes) noexcept;

}  // namespace tamis::url
