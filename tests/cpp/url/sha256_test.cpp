// SHA-256: published vectors, a message in parts, and many messages at once.

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tamis/hash/sha2.hpp>

#include "support/support.hpp"

namespace tamis::test {
namespace {

using detail::Sha256;
using detail::sha256;
using detail::Sha256Digest;

TEST(Sha256, PublishedVectors) {
  const auto lines = vector_lines("url/sha256.txt");
  ASSERT_FALSE(lines.empty());
  for (const std::string& line : lines) {
    std::string text = line.substr(65);
    // "a{1000000}" means a million times a.
    if (text.ends_with('}')) text = std::string(std::stoul(text.substr(2)), text[0]);
    EXPECT_EQ(hex(sha256(bytes_of(text))), line.substr(0, 64)) << text.substr(0, 99);
  }
  EXPECT_EQ(hex(sha256(std::span<const std::byte>())),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, EveryLengthTo300) {
  // Python's hashlib: the digest of the digests of the first n bytes, n = 0..300, one after the
  // other; byte i is i mod 251.
  const Bytes input = counting_bytes(300, 251);
  Bytes digests;
  for (std::size_t length = 0; length <= input.size(); ++length) {
    const HeapCopy copy{std::span(input).first(length)};
    const Sha256Digest digest = sha256(copy.span());
    digests.insert(digests.end(), digest.begin(), digest.end());
  }
  EXPECT_EQ(hex(sha256(digests)),
            "b90e35153500e9a471591550ee25a954527c6b4448afff95f7949a2ca93300ce");
}

TEST(Sha256, InPartsAsInOne) {
  const Bytes input = counting_bytes(200, 251);
  for (std::size_t length = 0; length <= input.size(); ++length) {
    const std::span all = std::span(input).first(length);
    const Sha256Digest expected = sha256(all);
    for (std::size_t at = 0; at <= length; ++at) {
      Sha256 in_two;
      for (const auto part : {all.first(at), all.subspan(at)}) {
        in_two.update(HeapCopy{part}.span());
      }
      ASSERT_EQ(in_two.finish(), expected) << length << " at " << at;
    }
    Sha256 in_bytes;
    for (std::size_t i = 0; i < length; ++i) in_bytes.update(all.subspan(i, 1));
    ASSERT_EQ(in_bytes.finish(), expected) << length;
  }
}

// The messages' digests, many at once and one by one.
void expect_same(std::span<const Bytes> messages) {
  std::vector<HeapCopy> copies;
  std::vector<std::string_view> views;
  for (const Bytes& message : messages) {
    const auto bytes = copies.emplace_back(std::span(message)).span();
    views.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  std::vector<Sha256Digest> digests(messages.size());
  sha256(views, digests.data());
  for (std::size_t i = 0; i < messages.size(); ++i) {
    ASSERT_EQ(digests[i], sha256(messages[i])) << i << " of " << messages.size();
  }
}

TEST(Sha256, ManyAtOnceAsOneByOne) {
  std::mt19937_64 random(1);
  for (std::size_t count = 0; count < 40; ++count) {
    std::vector<Bytes> messages(count);
    for (Bytes& message : messages) {
      message.resize(random() % 150);
      for (std::byte& byte : message) byte = static_cast<std::byte>(random());
    }
    expect_same(messages);
  }
  // All lengths around a block, in each lane.
  for (std::size_t length = 50; length <= 70; ++length) {
    for (std::size_t lane = 0; lane < 4; ++lane) {
      std::vector<Bytes> messages(4, counting_bytes(3));
      messages[lane] = counting_bytes(length);
      expect_same(messages);
    }
  }
}

}  // namespace
}  // namespace tamis::test
