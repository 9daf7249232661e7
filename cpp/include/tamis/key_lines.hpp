// tamis/key_lines.hpp - keys from the lines of a text, without a copy per key.
//
// A separator ends a line. One CR before a line feed, a UTF-8 byte order mark at the start and
// empty lines are dropped. The last line needs no separator. Where the separator is a byte of the
// mark, there is no mark.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tamis {

struct LineChunk {
  std::size_t lines;     // entries written to starts and ends
  std::size_t consumed;  // bytes that the next call need not see again
};

// Where a piece of a text stands in it.
struct Piece {
  bool is_first;         // a byte order mark may come
  bool is_last;          // an unfinished line counts
  std::uint32_t offset;  // added to all starts and ends
};

// Splits the front of a text that is handed over piece by piece, as far as `starts` and `ends` have
// room. 0 consumed: the line is longer than `bytes`.
[[nodiscard]] LineChunk split_lines(std::span<const std::byte> bytes, Piece piece,
                                    std::byte separator, std::span<std::uint32_t> starts,
                                    std::span<std::uint32_t> ends) noexcept;

}  // namespace tamis
