// The expressions of URLs: the vectors, the rules of hosts against a plain reading of them, and the
// bounds.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <tamis/url/expressions.hpp>
#include "url/url_vectors.hpp"

namespace tamis::test {
namespace {

using url::Expressions;

using Strings = std::set<std::string>;

// Checks that no expression occurs twice, and that all are the URL's.
Strings strings_of(const Expressions& expressions) {
  Strings strings;
  for (const std::string_view expression : expressions) {
    EXPECT_TRUE(strings.emplace(expression).second) << expression << " stands twice";
  }
  EXPECT_EQ(strings.size(), expressions.size());
  EXPECT_LE(strings.size(), Expressions::kMaxCount);
  return strings;
}

// The registrable domain by a list of public suffixes that has *, co.uk and nothing else.
std::size_t registrable_bytes(std::string_view host) {
  const bool is_of_two = host == "co.uk" || host.ends_with(".co.uk");
  std::size_t dot = host.size();
  for (int labels = is_of_two ? 3 : 2; labels > 0; --labels) {
    dot = dot == 0 ? host.npos : host.rfind('.', dot - 1);
    if (dot == host.npos) return labels == 1 ? host.size() : 0;
  }
  return host.size() - dot - 1;
}

Strings labels5(std::string_view url) {
  CanonicalUrl canonical;
  EXPECT_EQ(canonicalize(canonical, url), Status::kOk) << url;
  return strings_of(Expressions::labels5(canonical));
}

// By the rule `parents`, all steps together. There is a mark exactly if there is a second one.
Strings parents(std::string_view url) {
  CanonicalUrl canonical;
  EXPECT_EQ(canonicalize(canonical, url), Status::kOk) << url;
  auto expressions = Expressions::labels5(canonical, url::kAllShapes, true);
  Strings all = strings_of(expressions);
  EXPECT_EQ(all, strings_of(Expressions::labels5(canonical))) << url;
  const bool has_mark = !expressions.mark().empty();
  while (expressions.advance()) {
    EXPECT_EQ(expressions.mark(), "") << url;
    const std::size_t size = all.size();
    all.merge(strings_of(expressions));
    EXPECT_EQ(all.size(), size + expressions.size()) << url;
  }
  EXPECT_EQ(expressions.size(), 0u);
  EXPECT_FALSE(expressions.advance());
  EXPECT_EQ(has_mark, all.size() > Expressions::labels5(canonical).size()) << url;
  return all;
}

Strings public_suffix(std::string_view url) {
  CanonicalUrl canonical;
  EXPECT_EQ(canonicalize(canonical, url), Status::kOk) << url;
  const auto expressions =
      Expressions::public_suffix(canonical, registrable_bytes(canonical.host()));
  EXPECT_TRUE(expressions.ok()) << url;
  return expressions.ok() ? strings_of(*expressions) : Strings{};
}

// The text before, or from, the first slash.
Strings hosts_of(const Strings& expressions) {
  Strings hosts;
  for (const std::string& expression : expressions) {
    hosts.insert(expression.substr(0, expression.find('/')));
  }
  return hosts;
}
Strings paths_of(const Strings& expressions) {
  Strings paths;
  for (const std::string& expression : expressions) {
    paths.insert(expression.substr(expression.find('/')));
  }
  return paths;
}

bool holds_all(const std::vector<std::string>& list, const Strings& some) {
  const Strings all(list.begin(), list.end());
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

TEST(Expressions, Vectors) {
  const auto vectors = url_vectors("expressions.json");
  ASSERT_EQ(vectors.size(), 16u);
  std::size_t conflicts = 0;
  for (const UrlVector& vector : vectors) {
    const std::string url = *member(vector, "input"), rules = *member(vector, "rules");
    if (member(vector, "conflicts_with_spec")) {
      ++conflicts;
    } else if (rules == "go-superset") {  // seven labels in the place of five
      EXPECT_TRUE(holds_all(vector.at("expressions"), labels5(url))) << url;
      EXPECT_TRUE(holds_all(vector.at("expressions"), public_suffix(url))) << url;
    } else if (rules == "go-superset-hosts") {
      EXPECT_TRUE(holds_all(vector.at("hosts"), hosts_of(labels5(url)))) << url;
    } else if (rules == "paths") {
      const auto& paths = vector.at("paths");
      EXPECT_EQ(paths_of(labels5(url)), Strings(paths.begin(), paths.end())) << url;
    } else {
      const auto& expressions = vector.at("expressions");
      const Strings expected(expressions.begin(), expressions.end());
      if (rules != "v5") EXPECT_EQ(labels5(url), expected) << url;
      EXPECT_EQ(public_suffix(url), expected) << url;
    }
  }
  EXPECT_EQ(conflicts, 1u);
}

TEST(Expressions, TheirHashIsThatOfTheProtocol) {
  EXPECT_EQ(hex(url::hash_expression("foo.com/")),
            "af30010e4c011fc77e1ab03ef898ab2f8dec17c0bd178a875ad0cd9b7a6e5973");
}

TEST(Expressions, HostsByLabels) {
  const auto hosts = [](std::string_view url) { return hosts_of(labels5(url)); };
  EXPECT_EQ(hosts("localhost"), Strings{"localhost"});
  EXPECT_EQ(hosts("co.uk"), Strings{"co.uk"});
  EXPECT_EQ(hosts("www.example.co.uk"), (Strings{"www.example.co.uk", "example.co.uk", "co.uk"}));
  EXPECT_EQ(hosts("a.b.c.d.e"), (Strings{"a.b.c.d.e", "b.c.d.e", "c.d.e", "d.e"}));
  EXPECT_EQ(hosts("a.b.c.d.e.f"), (Strings{"a.b.c.d.e.f", "b.c.d.e.f", "c.d.e.f", "d.e.f", "e.f"}));
  EXPECT_EQ(hosts("a.b.c.d.e.example.co.uk"),
            (Strings{"a.b.c.d.e.example.co.uk", "d.e.example.co.uk", "e.example.co.uk",
                     "example.co.uk", "co.uk"}));
  EXPECT_EQ(hosts("http://[::ffff:1.2.3.4]/"), Strings{"1.2.3.4"});
  EXPECT_EQ(hosts("http://[1::2]/"), Strings{"[1::2]"});
}

TEST(Expressions, HostsByParents) {
  const auto hosts = [](std::string_view url) { return hosts_of(parents(url)); };
  EXPECT_EQ(hosts("localhost"), Strings{"localhost"});
  EXPECT_EQ(hosts("www.example.co.uk"), (Strings{"www.example.co.uk", "example.co.uk", "co.uk"}));
  EXPECT_EQ(hosts("a.b.c.d.e.f.g"),
            (Strings{"a.b.c.d.e.f.g", "b.c.d.e.f.g", "c.d.e.f.g", "d.e.f.g", "e.f.g", "f.g"}));
  EXPECT_EQ(hosts("http://1.2.3.4/"), Strings{"1.2.3.4"});
  EXPECT_EQ(hosts("http://[1::2]/"), Strings{"[1::2]"});
  const auto labels = [](std::size_t count, std::string_view last) {
    std::string host(last);
    for (std::size_t i = 1; i < count; ++i) host.insert(0, "x.");
    return host;
  };
  for (const std::size_t count : {6u, 7u, 11u, 12u, 20u, 127u}) {
    EXPECT_EQ(hosts(labels(count, "y")).size(), count - 1);
  }
  // Those of DNS: 253 bytes at most.
  EXPECT_EQ(hosts(labels(128, "y")).size(), 127u);
  EXPECT_EQ(hosts(labels(1000, "y")).size(), 127u);
  EXPECT_EQ(hosts(labels(1000, "yz")).size(), 126u);
  const std::string wide(254, 'w');
  EXPECT_EQ(hosts("a." + wide + ".b.c.d.e.f").size(), 5u);
  EXPECT_EQ(hosts("a.b." + wide + ".c.d.e.f").size(), 5u);
}

TEST(Expressions, TheMark) {
  const auto mark = [](std::string_view text, bool goes_on = true) {
    CanonicalUrl url;
    EXPECT_EQ(canonicalize(url, text), Status::kOk) << text;
    const auto all = Expressions::labels5(url, url::kHostShape, goes_on);
    const auto with_mark = all.with_mark();
    EXPECT_EQ(with_mark.size(), all.size() + (all.mark().empty() ? 0 : 1)) << text;
    if (!all.mark().empty()) EXPECT_EQ(with_mark.back(), all.mark());
    EXPECT_EQ(all.host(), url.host());
    return std::string(all.mark());
  };
  EXPECT_EQ(mark("a.b.c.d.e.f/x"), "");
  EXPECT_EQ(mark("a.b.c.d.e.f.g/x"), ".e.f.g/");
  EXPECT_EQ(mark("a.b.c.d.e.f.g/x", false), "");
  EXPECT_EQ(mark("http://a.b.c.d.e.f.g.h?q"), ".f.g.h/");
  EXPECT_EQ(mark("a.b." + std::string(243, 'w') + ".d.e.f.g"), ".e.f.g/");
  EXPECT_EQ(mark("a.b." + std::string(244, 'w') + ".d.e.f.g"), "");
  EXPECT_EQ(mark("1.2.3.4"), "");
}

TEST(Expressions, HostsByPublicSuffix) {
  const auto hosts = [](std::string_view url) { return hosts_of(public_suffix(url)); };
  EXPECT_EQ(hosts("localhost"), Strings{"localhost"});
  EXPECT_EQ(hosts("co.uk"), Strings{"co.uk"});
  EXPECT_EQ(hosts("example.co.uk"), Strings{"example.co.uk"});
  EXPECT_EQ(hosts("www.example.co.uk"), (Strings{"www.example.co.uk", "example.co.uk"}));
  EXPECT_EQ(hosts("a.b.c.d.e.example.co.uk"),
            (Strings{"a.b.c.d.e.example.co.uk", "c.d.e.example.co.uk", "d.e.example.co.uk",
                     "e.example.co.uk", "example.co.uk"}));
  EXPECT_EQ(hosts("a.b.c.d.example.co.uk"),
            (Strings{"a.b.c.d.example.co.uk", "b.c.d.example.co.uk", "c.d.example.co.uk",
                     "d.example.co.uk", "example.co.uk"}));
}

TEST(Expressions, TheRegistrableDomainIsWholeLabels) {
  CanonicalUrl url;
  ASSERT_EQ(canonicalize(url, "http://ab.cd.com/x"), Status::kOk);
  for (std::size_t bytes = 0; bytes <= 20; ++bytes) {
    const bool is_whole = bytes == 0 || bytes == 3 || bytes == 6 || bytes == 9;
    const auto expressions = Expressions::public_suffix(url, bytes);
    EXPECT_EQ(expressions.status(), is_whole ? Status::kOk : Status::kInvalidOption) << bytes;
    if (bytes == 0) EXPECT_EQ(hosts_of(strings_of(*expressions)), Strings{"ab.cd.com"});
  }
  EXPECT_EQ(Expressions::public_suffix(url, ~std::size_t{0}).status(), Status::kInvalidOption);
}

TEST(Expressions, Paths) {
  const auto paths = [](std::string_view url) { return paths_of(labels5(url)); };
  EXPECT_EQ(paths("h/?"), Strings{"/"});
  EXPECT_EQ(paths("h/?q"), (Strings{"/", "/?q"}));
  EXPECT_EQ(paths("h/1"), (Strings{"/", "/1"}));
  EXPECT_EQ(paths("h/1/"), (Strings{"/", "/1/"}));
  EXPECT_EQ(paths("h/1/2/3/"), (Strings{"/", "/1/", "/1/2/", "/1/2/3/"}));
  EXPECT_EQ(paths("h/1/2/3/4"), (Strings{"/", "/1/", "/1/2/", "/1/2/3/", "/1/2/3/4"}));
  EXPECT_EQ(paths("h/1/2/3/4/5/?/a/b"),
            (Strings{"/", "/1/", "/1/2/", "/1/2/3/", "/1/2/3/4/5/", "/1/2/3/4/5/?/a/b"}));
  EXPECT_EQ(labels5("a.b.c.d.e.f/1/2/3/4?q").size(), Expressions::kMaxCount);
  EXPECT_EQ(public_suffix("a.b.c.d.e.f/1/2/3/4?q").size(), Expressions::kMaxCount);
}

// The rules as they are written, on lists of labels and segments.
Strings plain_reading(const std::string& host, const std::string& path, const std::string& query,
                      std::size_t least_labels, std::size_t most_labels) {
  std::vector<std::string> suffixes;  // of one label and up
  for (std::size_t dot = host.size(); dot != host.npos;) {
    dot = dot == 0 ? host.npos : host.rfind('.', dot - 1);
    suffixes.push_back(dot == host.npos ? host : host.substr(dot + 1));
  }
  Strings hosts{host};
  for (std::size_t labels = least_labels; labels <= std::min(most_labels, suffixes.size());
       ++labels) {
    hosts.insert(suffixes[labels - 1]);
  }
  Strings paths{path};
  if (!query.empty()) paths.insert(path + "?" + query);
  std::size_t directories = 0;
  for (std::size_t i = 0; i < path.size() && directories < 4; ++i) {
    if (path[i] != '/') continue;
    paths.insert(path.substr(0, i + 1));
    ++directories;
  }
  Strings all;
  for (const std::string& one : hosts) {
    for (const std::string& other : paths) all.insert(one + other);
  }
  return all;
}

TEST(Expressions, AsAPlainReading) {
  std::mt19937 random(7);
  const auto word = [&random] { return std::string(1 + random() % 3, "xyz"[random() % 3]); };
  for (int i = 0; i < 5'000; ++i) {
    std::string host = word(), path = "/", query = random() % 2 == 0 ? word() : "";
    for (std::size_t left = random() % 14; left > 0; --left) host += "." + word();
    for (std::size_t left = random() % 7; left > 0; --left) path += word() + "/";
    if (random() % 2 == 0) path += word();
    const std::string url = host + path + "?" + query;
    ASSERT_EQ(labels5(url), plain_reading(host, path, query, 2, 5)) << url;
    ASSERT_EQ(parents(url), plain_reading(host, path, query, 2, 127)) << url;
    const std::size_t least = host.find('.') == host.npos ? 1 : 2;
    ASSERT_EQ(public_suffix(url), plain_reading(host, path, query, least, least + 3)) << url;
  }
}

url::Shapes shape_of(std::string_view expression) {
  if (expression.find('?') != expression.npos) return 1u << 5;
  const auto slashes = std::count(expression.begin(), expression.end(), '/');
  return expression.back() == '/' && slashes <= 4 ? 1u << (slashes - 1) : 1u << 4;
}

// The expressions of some shapes are those of all that have one of them, in the same order.
TEST(Expressions, OfSomeShapes) {
  for (const std::string_view text :
       {"h", "h/?q", "a.b.h/1", "h/1/", "h/1/2/?q", "a.h/1/2/3/", "h/1/2/3/4?q", "h/1/2/3/4/",
        "a.b.c.d.e.f.h/1/2/3/4/5/?q", "1.2.3.4/x/y"}) {
    CanonicalUrl url;
    ASSERT_EQ(canonicalize(url, text), Status::kOk);
    const std::size_t suffix = url.host().ends_with(".h") ? 1 : 0;
    for (url::Shapes shapes = 0; shapes <= url::kAllShapes; ++shapes) {
      const auto of = [&](const Expressions& expressions) {
        return std::vector<std::string_view>(expressions.begin(), expressions.end());
      };
      const auto expect = [&](std::vector<std::string_view> all, const Expressions& some) {
        std::erase_if(all, [&](std::string_view one) { return (shape_of(one) & shapes) == 0; });
        EXPECT_EQ(of(some), all) << text << " " << shapes;
      };
      expect(of(Expressions::labels5(url)), Expressions::labels5(url, shapes));
      expect(of(*Expressions::public_suffix(url, suffix)),
             *Expressions::public_suffix(url, suffix, shapes));
      auto all = Expressions::labels5(url, url::kAllShapes, true);
      auto some = Expressions::labels5(url, shapes, true);
      while (all.advance()) {
        some.advance();
        expect(of(all), some);
      }
      EXPECT_FALSE(some.advance());
    }
  }
}

}  // namespace
}  // namespace tamis::test
