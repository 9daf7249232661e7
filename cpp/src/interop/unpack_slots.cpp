#include <tamis/interop/foreign_filter.hpp>

#include <tamis/detail/endian.hpp>
#include <tamis/detail/simd.hpp>

namespace tamis::interop {

Status unpack_slots(std::span<std::byte> slots, std::size_t packed, const std::byte* map,
                    std::uint32_t width) noexcept {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  // For each byte of a word, the bit of the map that says whether the byte is present.
  const std::uint64_t bits = width == 1   ? 0x8040201008040201
                             : width == 2 ? 0x0808040402020101
                                          : 0x0202020201010101;
  const std::size_t slots_of_word = 8 / width;
  std::size_t slot = slots.size() / 8 * slots_of_word;
  // Goes from the last word to the first, so that no byte is overwritten before it is read.
  for (std::size_t to = slots.size(); to > 0;) {
    to -= 8;
    slot -= slots_of_word;
    const std::uint64_t used = std::to_integer<std::uint64_t>(map[slot / 8]) >> slot % 8;
    // 1 in each byte that is present. `ranks` then counts the present bytes up to and including
    // each byte.
    const std::uint64_t there = ((used * kOnes & bits) + 0x7f * kOnes) >> 7 & kOnes;
    const std::uint64_t ranks = there * kOnes;
    packed -= ranks >> 56;
    // This is also true if `packed` became negative and wrapped around.
    if (packed > to) return Status::kCorrupt;
    const std::uint64_t word = detail::load_le64(slots.data() + packed);
    detail::store_le64(slots.data() + to,
                       detail::shuffle8(word, (ranks - there) | (there ^ kOnes) << 7));
  }
  return packed == 0 ? Status::kOk : Status::kCorrupt;
}

}  // namespace tamis::interop
