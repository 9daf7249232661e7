// Reads the golden files' manifest, with the lists that it refers to by name.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/support.hpp"

namespace tamis::test {

struct Golden {
  std::string file, type, error;
  std::optional<SipKey> key;
  std::vector<std::string> present, absent;  // keys in hex, or indices
  std::string answers;                       // for each of `absent` 1 (it seems to be in) or 0
};

// The texts in quotes. None of them contains a quote.
inline std::vector<std::string> quoted(const std::string& text) {
  std::vector<std::string> pieces;
  for (std::size_t from = text.find('"'); from != text.npos; from = text.find('"', from)) {
    const std::size_t to = text.find('"', from + 1);
    if (to == text.npos) break;
    pieces.push_back(text.substr(from + 1, to - from - 1));
    from = to + 1;
  }
  return pieces;
}

inline std::string field(const std::string& line, const std::string& name) {
  const std::string head = "\"" + name + "\":\"";
  const std::size_t at = line.find(head);
  return at == line.npos ? "" : quoted(line.substr(at + head.size() - 1)).at(0);
}

// The manifest has one list per line, and then one file per line, which names its lists.
inline std::vector<Golden> golden_files(const std::string& folder) {
  std::map<std::string, std::vector<std::string>> lists;
  std::vector<Golden> all;
  for (const std::string& line : vector_lines(folder + "manifest.json")) {
    if (const std::size_t at = line.find("\":["); at != line.npos) {
      lists[quoted(line.substr(0, at + 1)).at(0)] = quoted(line.substr(at + 2));
    }
    if (field(line, "file").empty()) continue;
    Golden golden{
        folder + field(line, "file"), field(line, "type"), field(line, "error"), {}, {}, {}, {}};
    if (const Bytes key = from_hex(field(line, "key")); !key.empty()) {
      golden.key.emplace();
      EXPECT_EQ(key.size(), golden.key->size());
      std::copy_n(key.begin(), golden.key->size(), golden.key->begin());
    }
    if (golden.error.empty()) {
      golden.present = lists.at(field(line, "present"));
      golden.absent = lists.at(field(line, "absent"));
      golden.answers = field(line, "answers");
    }
    all.push_back(golden);
  }
  return all;
}

// Checks that each of the lines is in the array of tests/vectors/`name`. If the environment has
// `update`, writes the file instead.
inline void expect_stated(const std::vector<std::string>& lines, const std::string& name,
                          const char* update) {
  if (std::getenv(update) != nullptr) {
    std::ofstream file(TAMIS_VECTORS_DIR "/" + name);
    file << "[\n";
    for (const std::string& line : lines)
      file << "  " << line << (&line == &lines.back() ? "\n" : ",\n");
    file << "]\n";
    ASSERT_TRUE(file.flush().good());
  }
  std::string stated;
  for (const std::string& line : vector_lines(name)) stated += line + "\n";
  for (const std::string& line : lines) {
    EXPECT_NE(stated.find("  " + line), std::string::npos)
        << line << ": other bytes, or not in " << name;
  }
}

inline Bytes read_file(const std::string& name) {
  std::ifstream file(std::string(TAMIS_VECTORS_DIR "/") + name, std::ios::binary);
  EXPECT_TRUE(file.good()) << name;
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return {bytes_of(text).begin(), bytes_of(text).end()};
}

}  // namespace tamis::test
