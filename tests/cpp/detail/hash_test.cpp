// The hash functions against published values. Each names the file or paper that it is from.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include <tamis/hash.hpp>
#include <tamis/hash/sha2.hpp>
#include <tamis/hash/siphash.hpp>
#include "support/support.hpp"

namespace tamis::test {
namespace {

using detail::sha512;
using detail::siphash_2_4;

std::string sha512_hex(std::string_view text) { return hex(sha512(bytes_of(text))); }

std::array<std::byte, 16> counting_key() {
  std::array<std::byte, 16> key;
  std::ranges::copy(counting_bytes(key.size()), key.begin());
  return key;
}

TEST(Endian, ReadsAndWritesAtAnyAlignment) {
  const Bytes bytes = counting_bytes(17);
  for (std::size_t at = 0; at <= 9; ++at) {
    std::uint64_t little = 0;
    std::uint64_t big = 0;
    for (unsigned i = 0; i < 8; ++i) {
      little += static_cast<std::uint64_t>(at + i) << (8 * i);
      big = big * 256 + at + i;
    }
    const std::byte* from = bytes.data() + at;
    EXPECT_EQ(detail::load_le64(from), little);
    EXPECT_EQ(detail::load_be64(from), big);
    EXPECT_EQ(detail::load_le32(from), static_cast<std::uint32_t>(little));

    Bytes out(17);
    detail::store_le64(out.data() + at, little);
    EXPECT_TRUE(std::equal(from, from + 8, out.data() + at));
    detail::store_be64(out.data() + at, big);
    EXPECT_TRUE(std::equal(from, from + 8, out.data() + at));
    Bytes half(17);
    detail::store_le32(half.data() + at, static_cast<std::uint32_t>(little));
    EXPECT_TRUE(std::equal(from, from + 4, half.data() + at));
    EXPECT_EQ(std::ranges::count(half, std::byte{0}), at == 0 ? 14 : 13);
  }
}

TEST(SipHash, PublishedVectors) {
  const std::vector<std::string> expected = vector_lines("siphash-2-4.txt");
  ASSERT_EQ(expected.size(), 64u);
  for (std::size_t length = 0; length < expected.size(); ++length) {
    const Bytes input = counting_bytes(length);
    std::array<std::byte, 8> hash;
    detail::store_le64(hash.data(), siphash_2_4(HeapCopy(input).span(), counting_key()));
    EXPECT_EQ(hex(hash), expected[length]) << "length " << length;
  }
}

TEST(SipHash, PaperExample) {
  // Appendix A of the paper: the input 00 .. 0e.
  EXPECT_EQ(siphash_2_4(counting_bytes(15), counting_key()), 0xa129ca6149be45e5);
}

TEST(Xxh3, PublishedVectors) {
  Bytes buffer(4'160);
  std::uint64_t generator = 2654435761;
  for (std::byte& byte : buffer) {
    byte = static_cast<std::byte>(generator >> 56);
    generator *= 11400714785074694797u;
  }
  const std::vector<std::string> lines = vector_lines("xxh3-64.txt");
  ASSERT_EQ(lines.size(), 40u);
  for (const std::string& line : lines) {
    std::istringstream fields(line);
    std::size_t length = 0;
    std::uint64_t seed = 0, expected = 0;
    ASSERT_TRUE(fields >> std::dec >> length >> std::hex >> seed >> expected) << line;
    EXPECT_EQ(xxh3_64(HeapCopy(std::span(buffer).first(length)).span(), seed), expected) << line;
  }
}

TEST(Hasher, IsTheHashOfItsId) {
  const Bytes key = counting_bytes(77);
  EXPECT_EQ(Hasher()(key), Hash{xxh3_64(key, 0)});
  EXPECT_EQ(Hasher(HashId::kXxh3, 5)(key), Hash{xxh3_64(key, 0)})
      << "the seed comes after the hash";
  EXPECT_EQ(Hasher(counting_key(), 5)(key), Hash{siphash_2_4(key, counting_key())});
}

TEST(Hasher, MixIsTheFinalizerOfTheSum) {
  EXPECT_EQ(Hasher(HashId::kXxh3, 3).mix(Hash{4}), fmix64(7));
  EXPECT_EQ(Hasher(HashId::kXxh3, ~std::uint64_t{0}).mix(Hash{2}), fmix64(1));
  // MurmurHash3's fmix64, by cpp/format/hashes.py.
  EXPECT_EQ(fmix64(0), 0u);
  EXPECT_EQ(fmix64(1), 0xb456bcfc34c2cb2c);
  EXPECT_EQ(fmix64(0x0123456789abcdef), 0x87cbfbfe89022cea);
}

TEST(Hasher, UnfmixIsTheInverseOfFmix) {
  static_assert(unfmix64(fmix64(0x0123456789abcdef)) == 0x0123456789abcdef);
  EXPECT_EQ(unfmix64(0), 0u);
  EXPECT_EQ(unfmix64(0xb456bcfc34c2cb2c), 1u);
  for (int bit = 0; bit < 64; ++bit) {
    const std::uint64_t x = std::uint64_t{1} << bit;
    for (const std::uint64_t y : {x, x - 1, ~x, x | 1}) {
      ASSERT_EQ(unfmix64(fmix64(y)), y);
      ASSERT_EQ(fmix64(unfmix64(y)), y);
    }
  }
  for (std::uint64_t i = 0; i < 100'000; ++i) ASSERT_EQ(unfmix64(fmix64(i)), i);
}

TEST(Hasher, WithSeedIsTheSameRoadWithAnotherSeed) {
  const Bytes key = counting_bytes(9);
  for (const Hasher& hasher : {Hasher(HashId::kXxh3, 5), Hasher(counting_key(), 5)}) {
    const Hasher other = hasher.with_seed(9);
    EXPECT_EQ(other.id(), hasher.id());
    EXPECT_EQ(other.key_id(), hasher.key_id());
    EXPECT_EQ(other.seed(), 9u);
    EXPECT_EQ(other(key), hasher(key));
    EXPECT_EQ(other.mix(Hash{4}), fmix64(13));
    EXPECT_EQ(other.with_seed(5), hasher);
    EXPECT_NE(other, hasher);
  }
}

TEST(SplitMix64, PublishedSequences) {
  constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;
  // The first outputs of the generator of the paper, from the states 0 and 1234567.
  EXPECT_EQ(splitmix64(0), 0xe220a8397b1dcdaf);
  EXPECT_EQ(splitmix64(kStep), 0x6e789e6aa1b965f4);
  EXPECT_EQ(splitmix64(2 * kStep), 0x06c45d188009454f);
  EXPECT_EQ(splitmix64(1234567), 6457827717110365317u);
  EXPECT_EQ(splitmix64(1234567 + kStep), 3203168211198807973u);
  EXPECT_EQ(splitmix64(1234567 + 2 * kStep), 9817491932198370423u);
  static_assert(splitmix64(~kStep + 1) == 0);
}

TEST(Hasher, KeyIds) {
  EXPECT_EQ(Hasher(counting_key()).key_id(), 0xa58f174f54081c60);
  EXPECT_EQ(Hasher(HashId::kXxh3, 1).key_id(), 0u);
  std::array<std::byte, 16> other = counting_key();
  other[15] ^= std::byte{1};
  EXPECT_NE(Hasher(other), Hasher(counting_key()));
  EXPECT_EQ(Hasher(other, 2), Hasher(other, 2));
  EXPECT_NE(Hasher(other, 2), Hasher(other, 3));
  EXPECT_NE(Hasher(HashId::kSeeds), Hasher(HashId::kXxh3));
}

TEST(Hasher, ZeroesItsKey) {
  alignas(Hasher) std::array<std::byte, sizeof(Hasher)> place{};
  std::array<std::byte, 16> key;
  key.fill(std::byte{0xab});
  std::destroy_at(new (place.data()) Hasher(key));
  EXPECT_EQ(std::ranges::count(place, std::byte{0xab}), 0);
}

TEST(MulHi, IsTheHighWordOfTheProduct) {
  __extension__ using Wide = unsigned __int128;
  std::vector<std::uint64_t> values;
  for (unsigned bit = 0; bit < 64; ++bit) {
    const std::uint64_t power = std::uint64_t{1} << bit;
    values.insert(values.end(), {power - 1, power, power + 1, ~power, fmix64(power)});
  }
  for (const std::uint64_t x : values) {
    for (const std::uint64_t n : values) {
      const auto expected = static_cast<std::uint64_t>(Wide{x} * n >> 64);
      ASSERT_EQ(mulhi(x, n), expected) << x << " " << n;
      ASSERT_EQ(mulhi_portable(x, n), expected) << x << " " << n;
      if (n <= 0xffffffff) {
        ASSERT_EQ(mulhi_narrow(x, n), expected) << x << " " << n;
      }
    }
  }
}

TEST(Sha512, PublishedVectors) {
  // NIST, "Examples with Intermediate Values" (SHA-512) and CAVP SHA512ShortMsg (length 0).
  EXPECT_EQ(sha512_hex(""),
            "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
            "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e");
  EXPECT_EQ(sha512_hex("abc"),
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
            "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f");
  EXPECT_EQ(sha512_hex("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                       "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"),
            "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
            "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909");
  EXPECT_EQ(sha512_hex(std::string(1'000'000, 'a')),
            "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
            "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b");
}

TEST(Sha512, EveryLengthTo300) {
  // Python's hashlib: the digest of the digests of the first n bytes, n = 0..300, one after the
  // other; byte i is i mod 251.
  const Bytes input = counting_bytes(300, 251);
  Bytes digests;
  for (std::size_t length = 0; length <= input.size(); ++length) {
    const HeapCopy copy{std::span(input).first(length)};
    const std::array<std::byte, 64> digest = sha512(copy.span());
    digests.insert(digests.end(), digest.begin(), digest.end());
  }
  EXPECT_EQ(hex(sha512(digests)),
            "da20b3b598f77f25e2e2d1941e345bfe16543f32378fbc8447fbb64f038964ce"
            "a0808c9d450e5e83ac095f5656c102b2ff15a8e0501c7553a7afe1e0256b5e09");
}

}  // namespace
}  // namespace tamis::test
