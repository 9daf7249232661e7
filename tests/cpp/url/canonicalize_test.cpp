// The canonical form of URLs: the vectors of the protocol and of browsers, the rules for their
// gaps, random bytes against a slow reading of the rules, and linear time.

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "support/test_calloc.hpp"
#include "url/url_vectors.hpp"

namespace tamis::test {
namespace {

// The parts by their names in the vectors.
std::optional<std::string> part_of(const std::string& url, const std::string& name) {
  CanonicalUrl canonical;
  if (canonicalize(canonical, url) != Status::kOk) return std::nullopt;
  if (name == "expect_host") return std::string(canonical.host());
  if (name == "expect_path") return std::string(canonical.path());
  if (name == "expect_query") return std::string(canonical.query());
  const std::string text(canonical.text());
  return name == "expect_url" ? text : text.substr(0, text.find('?'));
}

TEST(CanonicalUrl, Vectors) {
  const auto vectors = url_vectors("canonicalize.json");
  ASSERT_EQ(vectors.size(), 91u);
  std::size_t checks = 0, conflicts = 0;
  for (const UrlVector& vector : vectors) {
    const std::string input = *member(vector, "input");
    const std::string text = canonical_text(input);
    if (member(vector, "fail")) {
      EXPECT_EQ(text, "") << input;
      ++checks;
    }
    for (const std::string name :
         {"expect_url", "expect_url_noquery", "expect_host", "expect_path", "expect_query"}) {
      const auto expected = member(vector, name);
      if (!expected) continue;
      ++checks;
      if (member(vector, "conflicts_with_spec")) {
        EXPECT_NE(part_of(input, name), expected) << input << ": follows what it was said not to";
        ++conflicts;
      } else {
        EXPECT_EQ(part_of(input, name), expected) << input;
      }
    }
  }
  EXPECT_EQ(checks, vectors.size());
  EXPECT_EQ(conflicts, 2u);
}

TEST(CanonicalUrl, VectorsOfAddresses) {
  const auto vectors = url_vectors("ip.json");
  ASSERT_EQ(vectors.size(), 81u);
  std::size_t conflicts = 0;
  for (const UrlVector& vector : vectors) {
    const std::string input = *member(vector, "input");
    canonical_text("http://" + input + "/");
    CanonicalUrl url;
    const bool is_valid = canonicalize(url, "http://" + input + "/") == Status::kOk;
    const auto found =
        is_valid && url.is_ip() ? std::optional(std::string(url.host())) : std::nullopt;
    const auto of_v5 = member(vector, "expect_v5");
    const auto expected = of_v5 ? of_v5 : member(vector, "expect");
    if (member(vector, "conflicts_with_spec")) {
      EXPECT_NE(found, expected) << input << ": follows what it was said not to";
      ++conflicts;
    } else {
      EXPECT_EQ(found, expected) << input;
    }
  }
  EXPECT_EQ(conflicts, 5u);
}

struct Example {
  std::string_view url, text;  // no text: no canonical form
};

void expect_all(const std::vector<Example>& examples) {
  for (const auto& [url, text] : examples) EXPECT_EQ(canonical_text(url), text) << url;
}

TEST(CanonicalUrl, Scheme) {
  expect_all({{"//h/p", "http://h/p"},
              {"FTP://H/P", "ftp://h/P"},
              {"a+b-c.1://h", "a+b-c.1://h/"},
              {"1a://h", "http://1a/h"},  // no scheme, so an empty port
              {"host:80/", ""},
              {"javascript:alert(1)", ""},
              {"data:,x", ""},
              {"http:/h", ""},
              {"http:h", ""},
              {"http%3A%2F%2Fh%2Fp", "http://h/p"},
              {"http", "http://http/"},
              {"http:", ""},
              {"http://", ""},
              {"//", ""},
              {"?q", ""}});
}

TEST(CanonicalUrl, Authority) {
  expect_all({{"http://u:p@h/", "http://h/"},
              {"http://a@b@h/@x", "http://h/@x"},
              {"http://h:/", "http://h/"},
              {"http://h:0080?q", "http://h/?q"},
              {"http://u@/", ""},
              {"http://:80/", ""},
              {"http://.../", ""},
              {"http://h:80:90/", ""},
              {"http://:1../", ""},
              {"http://h%3A80/", "http://h/"},
              {"http://a.-._b/", "http://a.-._b/"},
              {"http://A%2eB..C/", "http://a.b.c/"}});
}

TEST(CanonicalUrl, Addresses) {
  expect_all({{"http://0/", "http://0.0.0.0/"},
              {"http://0X7f.1:8/", "http://127.0.0.1/"},
              {"http://1..2./", "http://1.0.0.2/"},
              {"http://256.1/", "http://256.1/"},
              {"http://4294967295/", "http://255.255.255.255/"},
              {"http://4294967296/", "http://4294967296/"},
              {"http://1.2.3.256/", "http://1.2.3.256/"},
              {"http://1.2.3.4.5/", "http://1.2.3.4.5/"},
              {"http://1.2.3.4 xy/", "http://1.2.3.4%20xy/"},
              {"http://08/", "http://08/"},
              {"http://[::FFFF:1.2.3.4]:80/", "http://1.2.3.4/"},
              {"http://[0:0:0:0:0:ffff:102:304]/", "http://1.2.3.4/"},
              {"http://[64:ff9b::1.2.3.4]/", "http://1.2.3.4/"},
              {"http://[64:ff9b:1::1.2.3.4]/", "http://[64:ff9b:1::102:304]/"},
              {"http://[64:ff9b:0:0:0:1:102:304]/", "http://[64:ff9b::1:102:304]/"},
              {"http://[::fffe:102:304]/", "http://[::fffe:102:304]/"},
              {"http://[1:0:3:4:5:6:7:8]./", "http://[1:0:3:4:5:6:7:8]/"},
              {"http://[1::2:0:0:3]/", "http://[1::2:0:0:3]/"},
              {"http://[1:2:3:4:5:6:7::]/", "http://[1:2:3:4:5:6:7:0]/"},
              {"http://[1:2:3:4:5:6:0:0]/", "http://[1:2:3:4:5:6::]/"},
              {"http://[1::2:3:4:5:6:7:8]/", ""},
              {"http://[1:2:3:4:5:6:7:8::]/", ""},
              {"http://[12345::]/", ""},
              {"http://[::1.2.3.04]/", ""},
              {"http://[::1.2.3.256]/", ""},
              {"http://[::1.2.3]/", ""},
              {"http://[::1/", ""},
              {"http://::1]/", ""},
              {"http://[::1]x/", ""},
              {"http://[fe80::1%25eth0]/", ""}});
}

TEST(CanonicalUrl, Path) {
  expect_all({{"http://h/.", "http://h/"},
              {"http://h/..", "http://h/"},
              {"http://h/../../a", "http://h/a"},
              {"http://h/a/./b/../c", "http://h/a/c"},
              {"http://h/a/b/.", "http://h/a/b/"},
              {"http://h/a/..b/.c/...", "http://h/a/..b/.c/..."},
              {"http://h/foo/bar//..", "http://h/foo/bar/"},
              {"http://h/a//../b", "http://h/a/b"},
              {"http://h///a////b//", "http://h/a/b/"},
              {"http://h/%2e%2E%2fa", "http://h/a"},
              {"http://h/a\\b", "http://h/a\\b"},
              {"http://h/A B\x7f", "http://h/A%20B%7F"}});
}

TEST(CanonicalUrl, EscapesAndFragments) {
  expect_all({{"http://h/%", "http://h/%25"},
              {"http://h/%4", "http://h/%254"},
              {"http://h/%%341", "http://h/A"},
              {"http://h/%4\t1", "http://h/A"},
              {"http://h/%0a", "http://h/%0A"},
              {"http://h/%2323", "http://h/%2323"},
              {"http://h/a?b#c?d", "http://h/a?b"},
              {"http://h/ #c", "http://h/%20"},
              {"http://h#@evil/", "http://h/"},
              {"\x01http://h/\x1f", "http://h/"}});
  using namespace std::string_view_literals;
  EXPECT_EQ(canonical_text("http://h/\0a"sv), "http://h/%00a");
  EXPECT_EQ(canonical_text("\0 \t"sv), "");
}

TEST(CanonicalUrl, IdeographicDots) {
  expect_all({{"http://a\xe3\x80\x82"
               "b\xef\xbc\x8e"
               "c\xef\xbd\xa1/",
               "http://a.b.c/"},
              {"http://1\xe3\x80\x82"
               "2/",
               "http://1.0.0.2/"},
              {"http://\xe3\x80\x82/", ""},
              {"http://h/\xe3\x80\x82", "http://h/%E3%80%82"},
              {"http://a%e3%80%82"
               "B",
               "http://a.b/"},
              {"http://a\xe3\x80/", "http://a%E3%80/"}});
  CanonicalUrl url;
  ASSERT_EQ(url.parse(bytes_of("http://\xc3\xbc\xe3\x80\x82"
                               "DE/")),
            Status::kOk);
  EXPECT_TRUE(url.needs_idna());
  EXPECT_EQ(url.decoded_host(), "\xc3\xbc.de");
}

TEST(CanonicalUrl, HostOfThePlatform) {
  CanonicalUrl url;
  EXPECT_EQ(url.finish(), Status::kInvalidUrl);  // nothing was parsed
  ASSERT_EQ(url.parse(bytes_of("http://\xc3\x9c.de/p?q")), Status::kOk);
  ASSERT_EQ(url.finish("xn--tda.de"), Status::kOk);
  EXPECT_EQ(url.text(), "http://xn--tda.de/p?q");
  ASSERT_EQ(url.finish(".XN--TDA..De."), Status::kOk);  // IDNA makes dots of its own
  EXPECT_EQ(url.host(), "xn--tda.de");
  ASSERT_EQ(url.finish("127.1"), Status::kOk);
  EXPECT_EQ(url.text(), "http://127.0.0.1/p?q");
  EXPECT_TRUE(url.is_ip());
  ASSERT_EQ(url.finish(), Status::kOk);
  EXPECT_EQ(url.text(), "http://%C3%9C.de/p?q");
  EXPECT_FALSE(url.is_ip());
  for (const std::string_view host : {"", ".", "a/b", "a?b", "a@b", "a:80", "[a]", "[", "a%41",
                                      "a#", "a b", "\xc3\x9c", "a\x7f"}) {
    EXPECT_EQ(url.finish(host), Status::kInvalidUrl) << host;
    EXPECT_EQ(url.text(), "") << host;
  }
  EXPECT_EQ(url.finish(std::string(CanonicalUrl::kMaxBytes + 1, 'a')), Status::kInvalidUrl);
  EXPECT_EQ(url.parse(bytes_of("mailto:a")), Status::kInvalidUrl);
  EXPECT_FALSE(url.needs_idna());
  EXPECT_FALSE(url.has_query());
  EXPECT_EQ(url.finish(), Status::kInvalidUrl);  // and not the one before
}

TEST(CanonicalUrl, Length) {
  std::string url = "http://h/";
  url.resize(CanonicalUrl::kMaxBytes, 'a');
  EXPECT_EQ(canonical_text(url), url);
  EXPECT_EQ(canonical_text(url + "a"), "");
  EXPECT_EQ(canonical_text(" " + url + "#"), url) << "neither the blank nor the fragment counts";
  EXPECT_EQ(canonical_text(url + "#" + std::string(CanonicalUrl::kMaxBytes, 'f')), url);
  EXPECT_EQ(canonical_text(url + "a#"), "");
  EXPECT_EQ(canonical_text("http://h/#" + std::string(CanonicalUrl::kMaxBytes, '%')), "http://h/");
  EXPECT_EQ(canonical_text("http://h/a #b"), "http://h/a%20") << "a blank before the fragment";
}

TEST(CanonicalUrl, MemoryOfALongUrlIsGivenBack) {
  CanonicalUrl url;
  const std::string at_most = "http://h/" + std::string(20'000, 'a');
  const std::string longest = "http://h/" + std::string(CanonicalUrl::kMaxBytes - 9, '\x80');
  const auto allocations_of = [&](const std::string& text) {
    tamis_fail_allocation(0);
    EXPECT_EQ(canonicalize(url, text), Status::kOk);
    return tamis_allocations();
  };
  EXPECT_EQ(allocations_of(at_most), 2u);
  EXPECT_EQ(allocations_of("http://h/"), 0u) << "kept";
  EXPECT_EQ(allocations_of(longest), 2u);
  EXPECT_EQ(allocations_of(longest), 0u) << "kept while there are long ones";
  EXPECT_EQ(allocations_of("http://h/"), 2u) << "smaller ones in their place";
  EXPECT_EQ(allocations_of(at_most), 2u);
}

TEST(CanonicalUrl, MemoryIsKeptOrRefused) {
  CanonicalUrl url;
  for (const std::size_t first_refused : {1u, 2u}) {
    CanonicalUrl refused;
    tamis_fail_allocation(first_refused);
    EXPECT_EQ(canonicalize(refused, "http://h/path"), Status::kOutOfMemory);
    tamis_fail_allocation(0);
    EXPECT_EQ(refused.text(), "");
    EXPECT_EQ(canonicalize(refused, "http://h/path"), Status::kOk);
    EXPECT_EQ(refused.text(), "http://h/path");
  }
  ASSERT_EQ(canonicalize(url, "http://h/" + std::string(90, 'a')), Status::kOk);
  tamis_fail_allocation(0);
  for (std::size_t size = 0; size < 90; ++size) {
    ASSERT_EQ(canonicalize(url, "http://i/" + std::string(size, 'b')), Status::kOk);
    ASSERT_EQ(url.text(), "http://i/" + std::string(size, 'b'));
  }
  EXPECT_EQ(tamis_allocations(), 0u);
}

TEST(CanonicalUrl, EveryTruncation) {
  for (const std::string_view url :
       {" HTTP://u:p@WWW.\xe3\x80\x82\xc3\xbcmlat.com.:80/a/%2e./b//%25%32%35?c%#d ",
        "http://[64:FF9B:0::0001.002.3.4]:80/", "http://[::ffff:192.168.0.1]/../x",
        "http://0x7f.0000.017.65536.:8/?"}) {
    for (std::size_t size = 0; size <= url.size(); ++size) canonical_text(url.substr(0, size));
    for (std::size_t from = 0; from <= url.size(); ++from) canonical_text(url.substr(from));
  }
}

bool is_hex_digit(char letter) {
  return std::string_view("0123456789abcdefABCDEF").find(letter) != std::string_view::npos;
}

// The rule as it is written: whole rounds, until one changes nothing.
std::string unescaped(std::string text) {
  for (;;) {
    std::string next;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '%' && i + 2 < text.size() && is_hex_digit(text[i + 1]) &&
          is_hex_digit(text[i + 2])) {
        next += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
        i += 2;
      } else {
        next += text[i];
      }
    }
    if (next == text) return text;
    text = next;
  }
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte > 0x20 && byte < 0x7f && letter != '#' && letter != '%') {
      result += letter;
    } else {
      constexpr std::string_view kDigits = "0123456789ABCDEF";
      result += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return result;
}

TEST(CanonicalUrl, UnescapesAsInRounds) {
  std::mt19937 random(5);
  constexpr std::string_view kLetters = "%%%%%%2222555533460aAfF9#zZ/?. ";
  CanonicalUrl url;
  for (int i = 0; i < 100'000; ++i) {
    std::string query;
    for (std::size_t left = 1 + random() % 40; left > 0; --left) {
      const char letter =
          random() % 16 == 0 ? static_cast<char>(random()) : kLetters[random() % kLetters.size()];
      const bool is_dropped = letter == '#' || letter == '\t' || letter == '\r' || letter == '\n';
      query += is_dropped ? '%' : letter;
    }
    query += '%';  // so that no space is at the end
    ASSERT_EQ(canonicalize(url, "http://h/?" + query), Status::kOk);
    ASSERT_EQ(url.query(), escaped(unescaped(query))) << query;
  }
}

TEST(CanonicalUrl, RandomPiecesAreCanonicalOnce) {
  std::mt19937 random(6);
  constexpr std::string_view kPieces[] = {
      "http://", "//",   "/",       "..", ".",  "/../",         "/./",      ":",   ":80",
      "@",       "?",    "#",       "[",  "]",  "::",           "1",        "0x",  "08",
      "255",     "ffff", "64:ff9b", "a",  "B",  "com",          "%",        "25",  "2e",
      "2F",      "%3A",  "%40",     " ",  "\t", "\xe3\x80\x82", "\xc3\xbc", "\x80"};
  std::size_t valid = 0;
  for (int i = 0; i < 100'000; ++i) {
    std::string url = random() % 2 == 0 ? "http://" : "";
    for (std::size_t left = random() % 12; left > 0; --left) {
      url += kPieces[random() % std::size(kPieces)];
    }
    valid += !canonical_text(url).empty();
    if (HasFailure()) return;
  }
  EXPECT_GT(valid, 20'000u);
}

std::string repeated(std::string_view head, std::string_view piece, std::size_t size) {
  std::string text(head);
  while (text.size() + piece.size() <= size) text += piece;
  return text;
}

// One long URL takes about as long as 32 short ones with the same number of bytes. A quadratic step
// would take 32 times as long.
TEST(CanonicalUrl, TimeIsLinear) {
  const std::vector<std::pair<std::string_view, std::string_view>> shapes = {
      {"http://h/", "%25"},
      {"http://h/%", "25"},
      {"http://h/", "%"},
      {"http://h", "/a/.."},
      {"http://h", "/."},
      {"http://h", "/.."},
      {"http://h", "/"},
      {"http://h/a", "//.."},
      {"http://h/", "a"},
      {"http://", "."},
      {"http://", "a."},
      {"http://", "1."},
      {"http://", "1.."},
      {"http://", "0"},
      {"http://[", "0:"},
      {"http://", "@"},
      {"http://", ":"},
      {"http://h:", "1"},
      {"", "a"},
      {"", " "},
      {"", "\t"},
      {"http://h?", "?"},
      {"http://", "\xe3\x80\x82"},
      {"http://",
       "\xef\xbc\x8e"
       "a"},
      {"http://", "\x80"},
      {"http://h/", "/a%2f.."}};
  CanonicalUrl url;
  for (const auto& [head, piece] : shapes) {
    const std::string large = repeated(head, piece, CanonicalUrl::kMaxBytes / 4);
    const std::string small = repeated(head, piece, CanonicalUrl::kMaxBytes / 128);
    const auto time_to_read = [&](const std::string& text, int times) {
      return time_of([&] {
        for (int i = 0; i < times; ++i) static_cast<void>(canonicalize(url, text));
      });
    };
    EXPECT_LT(time_to_read(large, 1), 8 * time_to_read(small, 32)) << head << piece;
  }
}

}  // namespace
}  // namespace tamis::test
