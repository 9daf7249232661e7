// tamis/key_lines.hpp - keys from the lines of a text, without a copy of each key.
//
// A separator ends a line. Three things are dropped: one CR before a line feed, a UTF-8 byte order
// mark at the start, and empty lines. The last line needs no separator. If the separator is a byte
// of the mark, there is no mark.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tamis {

struct LineChunk {
  std::size_t lines;     // entries that were written to starts and ends
  std::size_t consumed;  // bytes that the next call need not see again
};

// The place of a piece in the whole text.
struct Piece {
  bool is_first;         // a byte order mark may come
  bool is_last;          // an unfinished line counts
  std::uint32_t offset;  // is added to all starts and ends
};

// Splits the front of a text that comes piece by piece, until `starts` and `ends` are full. If it
// consumes 0 bytes, the line is longer than `bytes`.
[[nodiscard]] LineChunk split_lines(std::span<const std::byte> bytes, Piece piece,
                                    std::byte separator, std::span<std::uint32_t> starts,
                                    std::span<std::uint32_t> ends) noexcept;

}  // namespace tamis
