// URLs that are looked up unchanged. A browser must not read any of them in another way.

#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <tamis/url/canonicalize.hpp>
#include <tamis/url/clean_hosts.hpp>

namespace tamis::url {
namespace {

bool plain(std::string_view url) { return !find_plain_host(std::as_bytes(std::span(url))).empty(); }

TEST(UrlPlain, MostUrlsOfTheWebAre) {
  for (const char* url :
       {"http://a.example", "https://a.example", "http://localhost", "http://localhost/",
        "https://www.a-b_c.example/", "http://1.2.3.example/x", "https://a.example/x/y.html",
        "https://a.example//x///y/", "https://a.example/~eve/(1)!$&'*+,;=:@-_", "http://a.b/?",
        "https://a.example/x?q=%2e%25&u=http://b.example/?x", "https://a.example/a..b/c./d..",
        "https://a.example/X?Y=../.", "http://a.example/x?y/../z"}) {
    EXPECT_TRUE(plain(url)) << url;
  }
}

TEST(UrlPlain, TheHostIsAPieceOfIt) {
  for (const char* url : {"http://b.a.example", "https://b.a.example/", "http://b.a.example/x?y"}) {
    EXPECT_EQ(find_plain_host(std::as_bytes(std::span(std::string_view(url)))), "b.a.example");
  }
}

TEST(CleanHosts, AreThoseThatWerePutInOfTheSameList) {
  CleanHosts hosts;
  EXPECT_FALSE(hosts.has(1, "a.example"));
  for (std::size_t bytes = 1; bytes <= CleanHosts::kMostBytes + 2; ++bytes) {
    const std::string host(bytes, 'a');
    hosts.put(7, host);
    EXPECT_EQ(hosts.has(7, host), bytes <= CleanHosts::kMostBytes);
    EXPECT_FALSE(hosts.has(8, host));
    EXPECT_FALSE(hosts.has(7, host + "b"));
    EXPECT_FALSE(hosts.has(7, host.substr(1) + "b"));
  }
}

// There are more hosts than places. Each host is the last that was put there, or forgotten.
TEST(CleanHosts, NoOtherHostIsTakenForOneOfItsPlace) {
  CleanHosts hosts;
  std::size_t remembered = 0;
  const auto name = [](int i) { return "h" + std::to_string(i) + ".example"; };
  for (int i = 0; i < 20'000; i += 2) hosts.put(1, name(i));
  for (int i = 0; i < 20'000; ++i) {
    const bool is_there = hosts.has(1, name(i));
    EXPECT_FALSE(is_there && i % 2 == 1) << i;
    remembered += is_there;
  }
  EXPECT_GT(remembered, 900u);
  EXPECT_LE(remembered, 1024u);
}

TEST(UrlPlain, WhatAParserWouldChangeIsNot) {
  for (const char* url : {
           // No scheme of the web, in lower case, with two slashes.
           "",
           "h",
           "http",
           "http:",
           "http:/",
           "http:/a.example/",
           "HTTP://a.example/",
           "ftp://a.example/",
           "httpss://a.example/",
           "http:a.example",
           "//a.example/",
           "a.example/",
           "https//a.example",
           " http://a.example/",
           "http:\\\\a.example/",
           // No host, or one that the parser reads for itself.
           "http://",
           "http:///",
           "http:///a.example/",
           "http://.a.example/",
           "http://a..example/",
           "http://a.example./",
           "http://A.example/",
           "http://a.example:80/",
           "http://a.example:/",
           "http://user@a.example/",
           "http://@a.example/",
           "http://a.example\\@b.example/",
           "http://%61.example/",
           "http://xn--a.example/",
           "http://a.xn--p1ai/",
           "http://[::1]/",
           "http://127.0.0.1/",
           "http://2130706433/",
           "http://0x7f000001/",
           "http://a.0x1/",
           "http://a.1/",
           "http://a.b1",
           "http://a.-/",
           "http://a.b-c/",
           "http://a b.example/",
           "http://\xc3\xbc.example/",
           "http://a.ex\tample/",
           // The host ends without a slash.
           "http://a.example?x",
           "http://a.example#x",
           "http://a.example\\x",
           // These URLs have dot segments, escapes, a fragment, or signs that would be escaped.
           "http://a.example/.",
           "http://a.example/..",
           "http://a.example/./x",
           "http://a.example/../x",
           "http://a.example/x/..",
           "http://a.example/x/../y",
           "http://a.example//../y",
           "http://a.example/.x",
           "http://a.example/%2e",
           "http://a.example/%41",
           "http://a.example/x%",
           "http://a.example/x#",
           "http://a.example/#",
           "http://a.example/x?y#z",
           "http://a.example/x\\y",
           "http://a.example/x y",
           "http://a.example/x ",
           "http://a.example/x\n",
           "http://a.example/x\ty",
           "http://a.example/\"",
           "http://a.example/<",
           "http://a.example/`",
           "http://a.example/{",
           "http://a.example/^",
           "http://a.example/|",
           "http://a.example/[",
           "http://a.example/x?'",
           "http://a.example/x?\"",
           "http://a.example/x?a b",
           "http://a.example/x?\\",
           "http://a.example/\xc3\xbc",
           "http://a.example/x?\xc3\xbc",
           "http://a.example/\x7f",
       }) {
    EXPECT_FALSE(plain(url)) << url;
  }
}

TEST(UrlPlain, AZeroByteIsNot) {
  for (const std::size_t at : {0U, 4U, 7U, 9U, 17U, 19U, 22U}) {
    std::string url = "http://a.example/xy?zz=";
    url[at] = '\0';
    EXPECT_FALSE(plain(url)) << at;
  }
}

}  // namespace
}  // namespace tamis::url
