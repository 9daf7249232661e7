// Helpers for URL tests: the vectors in tests/vectors/url, and canonical URLs from heap blocks of
// exact size.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tamis/url/canonicalize.hpp>
#include "support/support.hpp"

namespace tamis::test {

using url::CanonicalUrl;

// A vector: each member's strings, several if the member is an array, none if it is null.
using UrlVector = std::map<std::string, std::vector<std::string>>;

// Reads a line: an object of strings, arrays of strings, and unquoted words. A character is a byte.
inline UrlVector url_vector(std::string_view line) {
  std::size_t at = 0;
  const auto text = [&] {
    std::string value;
    for (++at; line.at(at) != '"'; ++at) {
      if (line[at] != '\\') {
        value += line[at];
        continue;
      }
      constexpr std::string_view kNames = "\"\\/nrtbf", kValues = "\"\\/\n\r\t\b\f";
      if (line.at(++at) == 'u') {
        value += static_cast<char>(std::stoi(std::string(line.substr(at + 1, 4)), nullptr, 16));
        at += 4;
      } else {
        value += kValues.at(kNames.find(line[at]));
      }
    }
    ++at;
    return value;
  };
  UrlVector vector;
  while (line.at(at) != '}') {
    ++at;  // { or ,
    std::vector<std::string>& values = vector[text()];
    ++at;  // :
    const bool is_array = line.at(at) == '[';
    if (is_array) ++at;
    for (;;) {
      if (line.at(at) == '"') {
        values.push_back(text());
      } else {
        const std::size_t end = line.find_first_of(",]}", at);
        const std::string_view word = line.substr(at, end - at);
        if (word != "null") values.emplace_back(word);
        at = end;
      }
      if (!is_array || line.at(at) == ']') break;
      ++at;  // ,
    }
    if (is_array) ++at;
  }
  return vector;
}

inline std::vector<UrlVector> url_vectors(const std::string& name) {
  std::vector<UrlVector> vectors;
  for (const std::string& line : vector_lines("url/" + name)) {
    if (line.starts_with("{\"input\"")) vectors.push_back(url_vector(line));
  }
  return vectors;
}

inline std::optional<std::string> member(const UrlVector& vector, const std::string& name) {
  const auto found = vector.find(name);
  if (found == vector.end() || found->second.empty()) return std::nullopt;
  return found->second.front();
}

// Stands in for the platform's IDNA, for the hosts in the vectors.
inline std::optional<std::string_view> idna(std::string_view host) {
  if (host == "www.\xc3\xbcmlat.com") return "www.xn--mlat-zra.com";
  return std::nullopt;
}

inline Status canonicalize(CanonicalUrl& canonical, std::string_view url) {
  const Status status = canonical.parse(HeapCopy(bytes_of(url)).span());
  if (status != Status::kOk) return status;
  return canonical.finish(canonical.needs_idna() ? idna(canonical.decoded_host()) : std::nullopt);
}

// The canonical form, or empty if there is none. Checks its parts, and its own canonical form.
inline std::string canonical_text(std::string_view url) {
  CanonicalUrl canonical;
  const Status status = canonicalize(canonical, url);
  const std::string text(canonical.text());
  if (status != Status::kOk) {
    EXPECT_EQ(status, Status::kInvalidUrl);
    EXPECT_TRUE(text.empty() && canonical.host().empty() && !canonical.is_ip());
    return "";
  }
  const std::string tail = std::string(canonical.host()) + std::string(canonical.path()) +
                           (canonical.has_query() ? "?" : "") + std::string(canonical.query());
  EXPECT_TRUE(text.ends_with("://" + tail)) << text;
  for (const char letter : text) EXPECT_TRUE(letter > ' ' && letter < 0x7f && letter != '#');

  CanonicalUrl again;
  EXPECT_EQ(canonicalize(again, text), Status::kOk) << text;
  EXPECT_EQ(again.text(), text) << "of " << hex(bytes_of(url));
  EXPECT_EQ(again.host(), canonical.host());
  EXPECT_EQ(again.is_ip(), canonical.is_ip());
  return text;
}

}  // namespace tamis::test
