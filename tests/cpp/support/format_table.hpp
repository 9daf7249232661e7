// Reads the tables of vectors in FORMAT.md, so that the numbers are in one place only.
#pragma once

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace tamis::test {

// The cells of the table with this header line, or nothing if there is no such table.
inline std::vector<std::vector<std::string>> format_table(std::string_view head) {
  std::ifstream file(TAMIS_VECTORS_DIR "/../../cpp/FORMAT.md");
  std::string line;
  while (std::getline(file, line) && line != head) {
  }
  std::getline(file, line);  // the line below the header line
  std::vector<std::vector<std::string>> rows;
  while (std::getline(file, line) && line.starts_with('|')) {
    std::istringstream cells(line.substr(1));
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, '|');) {
      const std::size_t from = cell.find_first_not_of(' '), to = cell.find_last_not_of(' ');
      rows.back().push_back(from == std::string::npos ? "" : cell.substr(from, to - from + 1));
    }
  }
  return rows;
}

inline std::uint64_t decimal(const std::string& cell) { return std::stoull(cell, nullptr, 10); }
inline std::uint64_t hexadecimal(const std::string& cell) { return std::stoull(cell, nullptr, 16); }

}  // namespace tamis::test
