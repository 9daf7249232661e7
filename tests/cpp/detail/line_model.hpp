// Finds the lines of a text by the rules in tamis/key_lines.hpp, implemented directly.
#pragma once

#include <string>
#include <vector>

namespace tamis::test {

inline std::vector<std::string> expected_lines(std::string text, char separator = '\n') {
  const std::string mark = "\xef\xbb\xbf";
  if (text.starts_with(mark) && mark.find(separator) == mark.npos) text.erase(0, 3);
  std::vector<std::string> lines;
  std::string line;
  const auto finish = [&](bool has_separator) {
    if (has_separator && separator == '\n' && line.ends_with('\r')) line.pop_back();
    if (!line.empty()) lines.push_back(line);
    line.clear();
  };
  for (const char letter : text) {
    if (letter == separator) {
      finish(true);
    } else {
      line += letter;
    }
  }
  finish(false);
  return lines;
}

}  // namespace tamis::test
