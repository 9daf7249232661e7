// Lists of hash prefixes for the tests of url/.
#pragma once

#include <cstddef>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/support.hpp"

namespace tamis::test {

using PrefixModel = std::set<Bytes>;

// The words in a line of a vector file. "-" stands for an empty word.
inline std::vector<std::string> words(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word == "-" ? "" : word);
  return out;
}

inline Bytes random_bytes(std::mt19937_64& random, std::size_t size) {
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

// `count` prefixes of `width` bytes, which all begin with the same number of zero bytes.
inline PrefixModel random_prefixes(std::mt19937_64& random, std::size_t width, std::size_t count,
                                   std::size_t same = 0) {
  PrefixModel set;
  while (set.size() < count) {
    Bytes value = random_bytes(random, width);
    std::fill_n(value.begin(), same, std::byte{0});
    set.insert(value);
  }
  return set;
}

// All prefixes, one after the other.
inline Bytes joined(const PrefixModel& set) {
  Bytes values;
  for (const Bytes& value : set) values.insert(values.end(), value.begin(), value.end());
  return values;
}

}  // namespace tamis::test
