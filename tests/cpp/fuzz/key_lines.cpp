// Any bytes as a text of lines, in pieces of any size. The lines are those of a plain reading, for
// any pieces.
//
// The first byte is the separator, the second the room for lines less 1. Then comes the number of
// pieces that have their own size, and these sizes. The pieces behind them have the last size.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <tamis/key_lines.hpp>
#include "detail/line_model.hpp"
#include "fuzz/fuzz.hpp"
#include "support/container.hpp"

namespace tamis::fuzz {
namespace {

struct Hand {
  std::byte separator;
  std::size_t room;
  std::span<const std::uint8_t> sizes;
};

std::vector<std::string> split(const std::string& text, const Hand& hand) {
  std::vector<std::string> lines;
  std::vector<std::uint32_t> starts(hand.room), ends(hand.room);
  std::size_t from = 0, to = 0, pieces = 0;
  for (bool has_all = false; !has_all;) {
    const std::size_t which = std::min(pieces++, hand.sizes.size() - 1);
    to = std::min(text.size(), to + 1 + hand.sizes[which]);
    // Bytes that were not consumed come again, with more behind them.
    for (std::size_t found = hand.room; found == hand.room;) {
      const test::HeapCopy copy(std::as_bytes(std::span(text).subspan(from, to - from)));
      const Piece piece{from == 0, to == text.size(), static_cast<std::uint32_t>(from)};
      const LineChunk chunk = split_lines(copy.span(), piece, hand.separator, starts, ends);
      MUST(chunk.lines <= hand.room && chunk.consumed <= to - from);
      for (std::size_t i = 0; i < chunk.lines; ++i) {
        MUST(from <= starts[i] && starts[i] < ends[i] && ends[i] <= from + chunk.consumed);
        lines.push_back(text.substr(starts[i], ends[i] - starts[i]));
      }
      from += chunk.consumed;
      found = chunk.lines;
      has_all = to == text.size();
    }
  }
  MUST(from == text.size());
  return lines;
}

}  // namespace
}  // namespace tamis::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  const std::size_t pieces = std::min<std::size_t>(data[2] % 8 + 1u, size - 3);
  const tamis::fuzz::Hand hand{std::byte{data[0]}, data[1] + std::size_t{1}, {data + 3, pieces}};
  const std::string text(reinterpret_cast<const char*>(data + 3 + pieces), size - 3 - pieces);
  const auto lines = tamis::fuzz::split(text, hand);
  MUST(lines == tamis::test::expected_lines(text, static_cast<char>(data[0])));
  return 0;
}
