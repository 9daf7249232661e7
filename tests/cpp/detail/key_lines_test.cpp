// Lines of a text, whole and in pieces of every size, against a plain reading of the rules.

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <tamis/key_lines.hpp>
#include "detail/line_model.hpp"
#include "support/support.hpp"

namespace tamis::test {
namespace {

// Passes the text in pieces of `piece` bytes with room for `room` lines a call, as a stream would.
// Bytes that were not consumed come again, with more behind them.
std::vector<std::string> split(const std::string& text, std::size_t piece, std::size_t room,
                               char separator = '\n') {
  std::vector<std::string> lines;
  std::vector<std::uint32_t> starts(room), ends(room);
  std::size_t from = 0;
  std::size_t to = std::min(piece, text.size());
  for (;;) {
    const HeapCopy copy(bytes_of(text).subspan(from, to - from));
    const Piece piece_in_hand{from == 0, to == text.size(), static_cast<std::uint32_t>(from)};
    const LineChunk chunk =
        split_lines(copy.span(), piece_in_hand, static_cast<std::byte>(separator), starts, ends);
    EXPECT_LE(chunk.lines, room);
    EXPECT_LE(chunk.consumed, to - from);
    for (std::size_t i = 0; i < chunk.lines; ++i) {
      EXPECT_GE(starts[i], from);
      EXPECT_LT(starts[i], ends[i]);
      EXPECT_LE(ends[i], to);
      lines.push_back(text.substr(starts[i], ends[i] - starts[i]));
    }
    from += chunk.consumed;
    if (chunk.lines == room) continue;  // there may be more in hand
    if (to == text.size()) return lines;
    to = std::min(to + piece, text.size());
  }
}

constexpr const char* kTexts[] = {
    "",
    "\n",
    "\r\n",
    "\r",
    "a",
    "a\n",
    "a\nb",
    "a\r\nb\r\n",
    "a\r\r\nb",
    "\n\n\na\n\n\nb\n\n",
    "a\r",
    "\ra\n",
    "\xef\xbb\xbf",
    "\xef\xbb\xbf"
    "a\nb",
    "\xef\xbb\xbf\n",
    "\xef\xbb",
    "a\n\xef\xbb\xbf"
    "b",
    "\xef\xbb\xbf\xef\xbb\xbf"
    "a\n",
    "exactly 15 byt\nexactly 16 byte\nexactly 17 bytes\n",
    "https://www.example.com/a\r\nhttps://www.example.com/b\r\n",
};

TEST(KeyLines, WholeTexts) {
  for (const std::string text : kTexts) {
    EXPECT_EQ(split(text, text.size() + 1, 100), expected_lines(text)) << hex(bytes_of(text));
  }
}

TEST(KeyLines, InPiecesAndWithLittleRoom) {
  for (const std::string text : kTexts) {
    for (std::size_t piece = 1; piece <= text.size() + 1; ++piece) {
      for (const std::size_t room : {1u, 2u, 100u}) {
        ASSERT_EQ(split(text, piece, room), expected_lines(text))
            << hex(bytes_of(text)) << " by " << piece << ", room " << room;
      }
    }
  }
}

TEST(KeyLines, OtherSeparatorsKeepTheirReturns) {
  for (const char separator : {'\0', ';', '\r', '\xff'}) {
    const std::string mark(1, separator);
    const std::string text = "a\r" + mark + "b" + mark + mark + "c\n" + mark;
    EXPECT_EQ(split(text, 100, 100, separator), expected_lines(text, separator));
    EXPECT_EQ(split(text, 1, 1, separator), expected_lines(text, separator));
  }
}

TEST(KeyLines, ASeparatorMayBeAByteOfTheByteOrderMark) {
  for (const char separator : {'\xef', '\xbb', '\xbf'}) {
    const std::string text = std::string("\xef\xbb\xbf") + "a" + separator + "b";
    const auto expected = expected_lines(text, separator);
    EXPECT_EQ(expected.size(), separator == '\xef' ? 2u : 3u) << "the mark's bytes are content";
    for (const std::size_t piece : {1u, 2u, 3u, 100u}) {
      EXPECT_EQ(split(text, piece, 100, separator), expected);
    }
  }
}

TEST(KeyLines, RandomTexts) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 2'000; ++round) {
    std::string text;
    for (std::size_t length = random() % 80; text.size() < length;)
      text += "ab\r\n\n"[random() % 5];
    const std::size_t piece = 1 + random() % 40;
    const std::size_t room = 1 + random() % 5;
    ASSERT_EQ(split(text, piece, room), expected_lines(text))
        << hex(bytes_of(text)) << " by " << piece << ", room " << room;
  }
}

TEST(KeyLines, ALineLongerThanThePieceConsumesNothing) {
  std::vector<std::uint32_t> starts(4), ends(4);
  const Bytes bytes(100, std::byte{'x'});
  const LineChunk chunk = split_lines(bytes, {true, false, 0}, std::byte{'\n'}, starts, ends);
  EXPECT_EQ(chunk.lines, 0u);
  EXPECT_EQ(chunk.consumed, 0u);
}

TEST(KeyLines, AByteOrderMarkIsOneOnlyInTheFirstPiece) {
  std::vector<std::uint32_t> starts(4), ends(4);
  const auto first_start = [&](bool is_first) {
    const LineChunk chunk = split_lines(bytes_of("\xef\xbb\xbf"
                                                 "a\n"),
                                        {is_first, true, 0}, std::byte{'\n'}, starts, ends);
    EXPECT_EQ(chunk.lines, 1u);
    return starts[0];
  };
  EXPECT_EQ(first_start(true), 3u);
  EXPECT_EQ(first_start(false), 0u);
}

TEST(KeyLines, OffsetsAreAdded) {
  std::vector<std::uint32_t> starts(4), ends(4);
  const LineChunk chunk =
      split_lines(bytes_of("ab\ncd\n"), {false, false, 1'000}, std::byte{'\n'}, starts, ends);
  ASSERT_EQ(chunk.lines, 2u);
  EXPECT_EQ(starts[0], 1'000u);
  EXPECT_EQ(ends[0], 1'002u);
  EXPECT_EQ(starts[1], 1'003u);
  EXPECT_EQ(ends[1], 1'005u);
}

}  // namespace
}  // namespace tamis::test
