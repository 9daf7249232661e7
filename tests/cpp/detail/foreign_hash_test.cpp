// The hashes of other libraries against published values. Each names the file that it is from.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <initializer_list>

#include <tamis/hash/foreign_hash.hpp>
#include "support/support.hpp"

namespace tamis::test {
namespace {

using detail::fnv1a_32;
using detail::fnv1a_64_utf16;
using detail::murmur2a;
using detail::murmur3_x64_128;
using detail::murmur64a;
using detail::spark_murmur3;
using detail::xxh64;

// SMHasher's VerificationTest: keys 00 .. of the lengths 0..255 with the seed 256 - length, and the
// first 32 bits of the hash (seed 0) of all those hashes together.
template <std::size_t kHashBytes, class Hash>
std::uint32_t verification_value(Hash hash) {
  Bytes hashes;
  for (std::uint32_t length = 0; length < 256; ++length) {
    const std::array<std::byte, kHashBytes> one =
        hash(HeapCopy(counting_bytes(length)).span(), 256 - length);
    hashes.insert(hashes.end(), one.begin(), one.end());
  }
  return detail::load_le32(hash(hashes, 0).data());
}

TEST(Murmur2A, SmhasherVerificationValue) {
  // https://github.com/aappleby/smhasher, main.cpp.
  const auto hash = [](std::span<const std::byte> bytes, std::uint32_t seed) {
    std::array<std::byte, 4> out;
    detail::store_le32(out.data(), murmur2a(bytes, seed));
    return out;
  };
  EXPECT_EQ(verification_value<4>(hash), 0x7FBD4396u);
}

TEST(Murmur3, SmhasherVerificationValue) {
  const auto hash = [](std::span<const std::byte> bytes, std::uint32_t seed) {
    std::array<std::byte, 16> out;
    const detail::HashPair both = murmur3_x64_128(bytes, seed);
    detail::store_le64(out.data(), both.low);
    detail::store_le64(out.data() + 8, both.high);
    return out;
  };
  EXPECT_EQ(verification_value<16>(hash), 0x6384BA69u);
}

TEST(Murmur3, Hello) {
  // The value is Guava 31.1's.
  const detail::HashPair hash = murmur3_x64_128(bytes_of("hello"), 0);
  EXPECT_EQ(hash.low, 0xcbd8a7b341bd9b02);
  EXPECT_EQ(hash.high, 0x5b1e906a48ae1d19);
}

TEST(Murmur3, LongerIsTheHashOfOneByteMore) {
  for (std::uint32_t length = 0; length < 64; ++length) {
    const Bytes key = counting_bytes(length);
    Bytes longer = key;
    longer.push_back(std::byte{1});
    const detail::LongerHash both = detail::murmur3_x64_128_longer(HeapCopy(key).span());
    const detail::HashPair plain = murmur3_x64_128(key, 0);
    const detail::HashPair expected = murmur3_x64_128(longer, 0);
    EXPECT_EQ(both.plain.low, plain.low) << length;
    EXPECT_EQ(both.plain.high, plain.high) << length;
    EXPECT_EQ(both.longer.low, expected.low) << length;
    EXPECT_EQ(both.longer.high, expected.high) << length;
  }
}

TEST(Fnv1a, PublishedVectors) {
  // The 32-bit FNV-1a column of the FNV test suite (http://www.isthe.com/chongo/src/fnv,
  // test_fnv.c).
  EXPECT_EQ(fnv1a_32(bytes_of("")), 0x811c9dc5u);
  EXPECT_EQ(fnv1a_32(bytes_of("a")), 0xe40c292cu);
  EXPECT_EQ(fnv1a_32(bytes_of("b")), 0xe70c2de5u);
  EXPECT_EQ(fnv1a_32(bytes_of("fo")), 0x6222e842u);
  EXPECT_EQ(fnv1a_32(bytes_of("foob")), 0x3f5076efu);
  EXPECT_EQ(fnv1a_32(bytes_of("foobar")), 0xbf9cf968u);
}

TEST(Fnv1a, BytesAreUnsigned) {
  // Computed by hand: (basis ^ 0xff) * prime. A signed char would flip the upper 24 bits as well.
  EXPECT_EQ(fnv1a_32(bytes_of("\xff")), (2166136261u ^ 0xffu) * 16777619u);
}

TEST(Fnv1a, AUnitEndsWithItsSequence) {
  // U+00E9 and then a byte that continues nothing, which is a unit of its own value.
  constexpr std::uint64_t kBasis = 14695981039346656037u, kPrime = 1099511628211u;
  EXPECT_EQ(fnv1a_64_utf16(bytes_of("\xc3\xa9\x80")),
            (((kBasis ^ 0xe9u) * kPrime) ^ 0x80u) * kPrime);
}

TEST(Murmur64A, SmhasherVerificationValue) {
  const auto hash = [](std::span<const std::byte> bytes, std::uint64_t seed) {
    std::array<std::byte, 8> out;
    detail::store_le64(out.data(), murmur64a(bytes, seed));
    return out;
  };
  EXPECT_EQ(verification_value<8>(hash), 0x1F0D3804u);
}

TEST(Murmur64A, SeededWithItsOwnResult) {
  // The value is RedisBloom's. The seed has 64 bits.
  EXPECT_EQ(murmur64a(bytes_of("hello"), 0), 0x1e68d17c457bf117);
  const std::uint64_t first = murmur64a(bytes_of("hello"), 0xc6a4a7935bd1e995);
  EXPECT_EQ(first, 0x5ba5b8a59803e699);
  EXPECT_EQ(murmur64a(bytes_of("hello"), first), 0xa7d451d588a0c2a4);
}

TEST(Xxh64, SmhasherVerificationValue) {
  const auto hash = [](std::span<const std::byte> bytes, std::uint64_t seed) {
    std::array<std::byte, 8> out;
    detail::store_le64(out.data(), xxh64(bytes, seed));
    return out;
  };
  EXPECT_EQ(verification_value<8>(hash), 0x024B7CF4u);
}

TEST(Xxh64, EveryKindOfTail) {
  // libxxhash 0.8.1, of the bytes 0, 1, 2 and so on.
  struct Row {
    std::size_t length;
    std::uint64_t plain, seeded;
  };
  for (const Row& row : {Row{0, 0xef46db3751d8e999, 0x298f4c84b24f5380},
                         Row{1, 0xe934a84adb052768, 0x8ba3328805e37c90},
                         Row{3, 0xe5c7bb4533bc65dd, 0x2766da80af982d5d},
                         Row{4, 0xffced8604453cc1e, 0x50ee1d0d77c6ca04},
                         Row{8, 0x884a173614b81b8d, 0x367a57c649c7a5ac},
                         Row{14, 0x5cda8b69bbfc1d45, 0x5e7888662545b1b2},
                         Row{31, 0xc346d2b59b4d8ee1, 0x208e0384ffffdb7a},
                         Row{32, 0xcbf59c5116ff32b4, 0x35220dfdb7d4d7c9},
                         Row{33, 0x0c535d1acafb8ead, 0x5677d5193d356c20},
                         Row{100, 0x6ac1e58032166597, 0x09a991a091c9f6d7}}) {
    const HeapCopy key(counting_bytes(row.length));
    EXPECT_EQ(xxh64(key.span(), 0), row.plain) << row.length;
    EXPECT_EQ(xxh64(key.span(), ~std::uint64_t{0}), row.seeded) << row.length;
  }
  EXPECT_EQ(xxh64(bytes_of("hello"), 0), 0x26c7827d889f6da3);
  EXPECT_EQ(xxh64(bytes_of("hello"), 42), 0xc3629e6318d53932);
}

TEST(SparkMurmur3, Hello) {
  EXPECT_EQ(spark_murmur3(bytes_of("hello"), 0), 0xb21f6e00u);
  EXPECT_EQ(spark_murmur3(bytes_of("hello"), 0xb21f6e00), 0x92ddc9f9u);
  const Bytes answer = from_hex("2a00000000000000");
  EXPECT_EQ(spark_murmur3(answer, 0), 0x6f8f913eu);
  EXPECT_EQ(spark_murmur3(answer, 0x6f8f913e), 0xe046ff83u);
}

TEST(SparkMurmur3, TheTailIsSignedBytes) {
  // The values are from cpp/format/hashes.py, which rebuilds Spark's own files.
  struct Row {
    const char* key;
    std::uint32_t plain, seeded;
  };
  for (const Row& row :
       {Row{"", 0x00000000, 0x81f16f39}, Row{"00", 0x9b9cb39a, 0x7a8f0db7},
        Row{"7f", 0xbb798e6a, 0x09ec8dfa}, Row{"80", 0xb744e3d6, 0xa6b9cd29},
        Row{"61626364ff", 0x043a99bf, 0x1c2f9fee}, Row{"ffffffffffffff", 0x6ea7966c, 0x7de88ba1},
        Row{"c3a9", 0xf6d63f31, 0x25e74b5c}}) {
    const HeapCopy key(from_hex(row.key));
    EXPECT_EQ(spark_murmur3(key.span(), 0), row.plain) << row.key;
    EXPECT_EQ(spark_murmur3(key.span(), 0xffffffff), row.seeded) << row.key;
  }
  // The published MurmurHash3_x86_32 of "hello" is another.
  EXPECT_NE(spark_murmur3(bytes_of("hello"), 0), 0x248bfa47u);
}

TEST(Fnv1aUtf16, AsciiIsThePublishedHash) {
  // The 64-bit FNV-1a column of the FNV test suite.
  EXPECT_EQ(fnv1a_64_utf16(bytes_of("")), 0xcbf29ce484222325);
  EXPECT_EQ(fnv1a_64_utf16(bytes_of("a")), 0xaf63dc4c8601ec8c);
  EXPECT_EQ(fnv1a_64_utf16(bytes_of("foobar")), 0x85944171f73967e8);
  EXPECT_EQ(fnv1a_64_utf16(bytes_of("hello")), 0xa430d84680aabd0b);
}

TEST(Fnv1aUtf16, UnitsFollowFromTheBitPatterns) {
  const auto of_units = [](std::initializer_list<std::uint64_t> units) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const std::uint64_t unit : units) hash = (hash ^ unit) * 0x100000001b3;
    return hash;
  };
  struct Row {
    const char* key;
    std::uint64_t expected;
  };
  for (const Row& row : {
           Row{"c3a9", of_units({0xe9})},
           Row{"e282ac", of_units({0x20ac})},
           Row{"f09f9880", of_units({0xd83d, 0xde00})},
           Row{"f48fbfbf", of_units({0xdbff, 0xdfff})},
           // The keys have surrogates in three bytes each, forms that are too long, and numbers
           // past Unicode's end.
           Row{"eda0bdedb880", of_units({0xd83d, 0xde00})},
           Row{"c080", of_units({0})},
           Row{"e080af", of_units({0x2f})},
           Row{"f0808181", of_units({0x41})},
           Row{"f7bfbfbf", of_units({0xdfbf, 0xdfff})},
           // These bytes begin no whole sequence.
           Row{"80", of_units({0x80})},
           Row{"c3", of_units({0xc3})},
           Row{"e282", of_units({0xe2, 0x82})},
           Row{"f09f98", of_units({0xf0, 0x9f, 0x98})},
           Row{"c3c3a9", of_units({0xc3, 0xe9})},
           Row{"61e228a162", of_units({0x61, 0xe2, 0x28, 0xa1, 0x62})},
           Row{"f888808080", of_units({0xf8, 0x88, 0x80, 0x80, 0x80})},
           Row{"ff", of_units({0xff})},
       }) {
    const HeapCopy key(from_hex(row.key));
    EXPECT_EQ(fnv1a_64_utf16(key.span()), row.expected) << row.key;
  }
  EXPECT_EQ(fnv1a_64_utf16(from_hex("f09f9880")), 0xe5e45a0a241b88d8);
}

TEST(ForeignHash, CountriesModulo8192) {
  struct Row {
    const char* name;
    std::uint32_t murmur, fnv;
  };
  for (const Row& row : {Row{"Holland", 7720, 3193}, Row{"Russia", 6114, 6732},
                         Row{"Canada", 2464, 3067}, Row{"China", 6877, 816}}) {
    EXPECT_EQ(murmur2a(bytes_of(row.name), 0) % 8192, row.murmur) << row.name;
    EXPECT_EQ(fnv1a_32(bytes_of(row.name)) % 8192, row.fnv) << row.name;
  }
}

}  // namespace
}  // namespace tamis::test
