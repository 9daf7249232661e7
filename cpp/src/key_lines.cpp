#include <tamis/key_lines.hpp>

#include <algorithm>
#include <bit>

#include <tamis/detail/simd.hpp>

namespace tamis {
namespace {

constexpr std::byte kLineFeed{'\n'}, kCarriageReturn{'\r'};
constexpr std::byte kByteOrderMark[] = {std::byte{0xef}, std::byte{0xbb}, std::byte{0xbf}};

}  // namespace

LineChunk split_lines(std::span<const std::byte> bytes, Piece piece, std::byte separator,
                      std::span<std::uint32_t> starts, std::span<std::uint32_t> ends) noexcept {
  const std::size_t size = bytes.size();
  const std::size_t most = std::min(starts.size(), ends.size());
  LineChunk chunk{0, 0};

  std::size_t start = 0;
  if (piece.is_first && size >= std::size(kByteOrderMark) &&
      std::equal(std::begin(kByteOrderMark), std::end(kByteOrderMark), bytes.begin()) &&
      std::count(std::begin(kByteOrderMark), std::end(kByteOrderMark), separator) == 0) {
    start = std::size(kByteOrderMark);
  }

  const auto put = [&](std::size_t end) {
    if (end == start) return;
    starts[chunk.lines] = piece.offset + static_cast<std::uint32_t>(start);
    ends[chunk.lines] = piece.offset + static_cast<std::uint32_t>(end);
    ++chunk.lines;
  };
  const auto finish_line = [&](std::size_t at) {
    const bool has_return =
        separator == kLineFeed && at > start && bytes[at - 1] == kCarriageReturn;
    put(has_return ? at - 1 : at);
    start = chunk.consumed = at + 1;
  };

  for (std::size_t block = 0; block < size; block += 16) {
    std::uint32_t mask = 0;
    if (size - block >= 16) {
      mask = detail::match16(bytes.data() + block, separator);
    } else {
      for (std::size_t i = block; i < size; ++i) {
        mask |= static_cast<std::uint32_t>(bytes[i] == separator) << (i - block);
      }
    }
    for (; mask != 0; mask &= mask - 1) {
      if (chunk.lines == most) return chunk;
      finish_line(block + static_cast<std::size_t>(std::countr_zero(mask)));
    }
  }
  if (piece.is_last && chunk.lines < most) {
    put(size);
    chunk.consumed = size;
  }
  return chunk;
}

}  // namespace tamis
