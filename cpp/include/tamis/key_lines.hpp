// tamis/key_lines.hpp - finds the keys in the lines of a text, without copying them.
//
// A separator ends a line; the last line needs none. Three things are dropped: one CR before a line
// feed, a UTF-8 byte order mark at the start, and empty lines. If the separator is one of the
// mark's bytes, the mark is not recognized.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tamis {

struct LineChunk {
  std::size_t lines;     // the number of entries written to starts and ends
  std::size_t consumed;  // the next call starts after this many bytes
};

// Where a piece is in the whole text.
struct Piece {
  bool is_first;         // true if the piece may begin with a byte order mark
  bool is_last;          // true if the last line may lack a separator
  std::uint32_t offset;  // added to all starts and ends
};

// Splits a text that arrives in pieces: finds the lines at the front of `bytes`, until `starts` and
// `ends` are full. If it consumes 0 bytes, the first line is longer than `bytes`.
[[nodiscard]] LineChunk split_lines(std::span<const std::byte> bytes, Piece piece,
                                    std::byte separator, std::span<std::uint32_t> starts,
                                    std::span<std::uint32_t> ends) noexcept;

}  // namespace tamis
