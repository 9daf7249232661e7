#include "vectors/high_part.hpp"

namespace tamis::vectors {

namespace {

// A file for each scheme of another library, and for seeds at the ends of their range.
void foreign_schemes(const Golden<BloomFilter>& golden) {
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  const std::pair<const char*, Hasher> schemes[] = {
      {"guava-32", Hasher(HashId::kGuava32)},
      {"spark-v1", Hasher(HashId::kSparkV1)},
      {"spark-v2", Hasher(HashId::kSparkV2)},
      {"spark-v2-seeded", Hasher(HashId::kSparkV2, 0xffff'fff9)},
      {"go", Hasher(HashId::kGo)},
      {"redisbloom", Hasher(HashId::kRedisBloom)},
      {"npm-bloom-filters", Hasher(HashId::kNpmBloomFilters, 0x12'3456'7890)},
      {"npm-bloom-filters-seed-wraps", Hasher(HashId::kNpmBloomFilters, kMost)},
      {"npm-bloomfilter", Hasher(HashId::kNpmBloomfilter)},
  };
  for (const auto& [name, hasher] : schemes) {
    BloomFilter::Config config{.capacity = kVaried, .hasher = hasher};
    // Filters of this scheme are built with whole words of bits, and any other number is read.
    if (hasher.id() == HashId::kRedisBloom) config.bits = 271, config.hashes = 6;
    golden.valid(name, config, varied());
    golden.valid(std::string(name) + "-64-hashes", {.bits = 6'400, .hashes = 64, .hasher = hasher},
                 kThree);
  }
  // This one drops the empty key, the first of them.
  const Strings not_empty = part(varied(), 1, std::ssize(varied()));
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{123'456'789}, kMost}) {
    const Hasher hasher(HashId::kDataSketches, seed);
    const std::string name = "datasketches-seed-" + std::to_string(seed);
    golden.valid(name, {.capacity = kVaried, .hasher = hasher}, not_empty);
  }
  BloomFilter full =
      filled<BloomFilter>({.bits = 64, .hashes = 7, .hasher = Hasher(HashId::kDataSketches)}, {});
  full.fill();
  golden.valid("datasketches-full", full, kThree, {""}, has_of(full));

  // Keys that UTF-16 hashes tell apart: pairs and halves of surrogates, and bytes of no whole
  // sequence.
  const Strings units{"\xf0\x9f\x98\x80", "\xed\xa0\xbd", "\xe2\x82", "\xc3\xc3\xa9",
                      "\xf7\xbf\xbf\xbf"};
  golden.valid("npm-bloomfilter-units", {.capacity = 50, .hasher = Hasher(HashId::kNpmBloomfilter)},
               units);
  // The ends of the ranges of lead bytes, and the first number that takes a pair.
  golden.valid("npm-bloomfilter-unit-ends",
               {.capacity = 50, .hasher = Hasher(HashId::kNpmBloomfilter)},
               {"\xbf\x80", "\xdf\xbf", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf8\x80\x80\x80"});
  // The largest byte without a sign and the smallest with one, in the tail.
  golden.valid("spark-v1-signs", {.capacity = 50, .hasher = Hasher(HashId::kSparkV1)},
               {"\x7f", "\x80", "tail\x7f", "tail\x80"});
  golden.valid("spark-v2-seed-most",
               {.capacity = 50, .hasher = Hasher(HashId::kSparkV2, 0xffff'ffff)}, kThree);
  // m^k is below 2^512 by a third of a bit.
  golden.valid("digest-most", {.bits = 255, .hashes = 64, .hasher = Hasher(HashId::kDigest)},
               {"x"});
}

// Positions that the other form of `hi` gives otherwise.
void high_parts(const Golden<BloomFilter>& golden) {
  constexpr std::uint64_t kBits = 9'973;
  constexpr std::uint32_t kHashes = 5;
  golden.valid("hi", {.bits = kBits, .hashes = kHashes},
               telling_of_mcg(8, Hasher(), kBits, kHashes));
  Strings keys;
  for (int i = 0; keys.size() < 4; ++i) {
    const std::string key = "key-" + std::to_string(i);
    bool tells = false;
    for (std::uint64_t j = 0; j < kHashes; ++j) {
      tells |= differs(xxh3_64(key_of(key), splitmix64(7 + j)), kBits);
    }
    if (tells) keys.push_back(key);
  }
  golden.valid("hi-seeds", {.bits = kBits, .hashes = kHashes, .hasher = Hasher(HashId::kSeeds, 7)},
               keys);
}

// XXH3 has its own path above 240 bytes, and divides a key into blocks of 1,024. Keys that differ
// in one bit are absent.
void long_keys(const Golden<BloomFilter>& golden) {
  Strings keys, others = kThree;
  for (const std::uint64_t size : {240u, 241u, 1024u, 1025u, 4000u}) {
    std::string key;
    for (std::uint64_t i = 0; i < size; ++i) {
      // No byte repeats. Otherwise no test would notice a reader that takes a block twice.
      key += static_cast<char>(splitmix64(size << 32 | i));
    }
    keys.push_back(key);
    key[key.size() / 2] = static_cast<char>(key[key.size() / 2] ^ 1);
    others.push_back(key);
  }
  const std::pair<const char*, Hasher> schemes[] = {
      {"", Hasher()}, {"-keyed", keyed(7)}, {"-seeds", Hasher(HashId::kSeeds, 7)}};
  for (const auto& [name, hasher] : schemes) {
    const auto filter =
        filled<BloomFilter>({.capacity = 5, .fpr = 0x1p-20, .hasher = hasher}, keys);
    const bool is_keyed = hasher.id() == HashId::kSipHash;
    golden.valid(std::string("long-keys") + name, filter, keys, others, has_of(filter),
                 is_keyed ? std::optional(sip_key()) : std::nullopt);
  }
}

void foreign_damage(const Golden<BloomFilter>& golden) {
  const auto of_words = [](HashId id) {
    return filled<BloomFilter>({.bits = 128, .hashes = 3, .hasher = Hasher(id)}, kThree);
  };
  golden.damaged(of_words(HashId::kGuava32), {{"guava-32-seed", {u64(kSeedAt, 1)}}});
  golden.damaged(of_words(HashId::kSparkV1), {{"spark-v1-seed", {u64(kSeedAt, 1)}}});
  golden.damaged(of_words(HashId::kSparkV2),
                 {{"spark-v2-seed", {u64(kSeedAt, std::uint64_t{1} << 32)}}});
  golden.damaged(of_words(HashId::kGuava32), {{"guava-32-bits", {u64(64, 127), fill(80, 0)}}});
}

}  // namespace

template <>
void vectors<BloomFilter>(Writer& writer) {
  const Golden<BloomFilter> golden(writer);
  const auto bloom = filled<BloomFilter>;
  const BloomFilter small = bloom({.capacity = 3}, kThree);
  golden.valid("three-keys", small, kThree);
  golden.valid("empty", {.capacity = 100}, {});
  const std::pair<const char*, Hasher> schemes[] = {
      {"mcg", Hasher()},
      {"seeded", seeded()},
      {"keyed", keyed(7)},
      {"seeds", Hasher(HashId::kSeeds, ~std::uint64_t{0} - 1)},
      {"digest", Hasher(HashId::kDigest)},
      {"murmur2a-fnv1a", Hasher(HashId::kMurmur2aFnv1a)},
      {"guava", Hasher(HashId::kGuava)},
  };
  for (const auto& [name, hasher] : schemes) {
    golden.valid(name, {.capacity = kVaried, .hasher = hasher}, varied());
  }
  foreign_schemes(golden);
  golden.valid("one-bit", {.bits = 1, .hashes = 1}, {"x"});
  golden.valid("64-hashes", {.bits = 1000, .hashes = 64}, kThree);
  long_keys(golden);
  high_parts(golden);
  golden.valid("over-capacity", {.capacity = 10}, numbered("key-", 100));
  BloomFilter full = bloom({.capacity = 3}, {});
  full.fill();
  golden.valid("full", full, kThree);

  constexpr std::uint64_t kTooMany = std::uint64_t{1} << 53;
  golden.damaged(
      small,
      {
          {"magic", {u8(0, 0x88)}, Status::kNotTamis},
          {"line-feed", {[](Bytes& b) { b.erase(b.begin() + 4); }}, Status::kNotTamis, true},
          {"7-bytes", {cut(7)}, Status::kNotTamis},
          {"nothing", {cut(0)}, Status::kNotTamis},
          {"8-bytes", {cut(8)}, Status::kTruncated},
          {"version", {u8(kVersionAt, 2)}, Status::kUnsupportedVersion},
          {"version-high", {u8(kVersionAt + 1, 1)}, Status::kUnsupportedVersion},
          {"63-bytes", {cut(63)}, Status::kTruncated},
          {"header-bit", {flip(kCountAt, 1)}, Status::kCorrupt, true},
          {"header-crc", {flip(kHeaderCrcAt + 3, 0x80)}, Status::kCorrupt, true},
          {"payload-bit", {flip(80, 1)}, Status::kCorrupt, true},
          {"type", {u8(kTypeAt, 200)}, Status::kUnknownType},
          {"hash-none", {u8(kHashAt, 0)}},
          {"hash-prefix", {u8(kHashAt, 7)}},
          {"hash-unknown", {u8(kHashAt, 8)}},  // guava-32, and bits of no whole word
          {"hash-17", {u8(kHashAt, 17)}, Status::kUnsupportedVersion},
          {"hash-parquet", {u8(kHashAt, 16)}},
          {"hash-255", {u8(kHashAt, 255)}, Status::kUnsupportedVersion},
          {"reserved", {u8(kReservedAt + 3, 1)}},
          {"digest-seed", {u8(kHashAt, 4), u64(kSeedAt, 1)}},
          {"go-seed", {u8(kHashAt, 11), u64(kSeedAt, 1)}},
          {"redisbloom-seed", {u8(kHashAt, 12), u64(kSeedAt, 1)}},
          {"npm-bloomfilter-seed", {u8(kHashAt, 15), u64(kSeedAt, 1)}},
          {"key-id", {u64(kKeyIdAt, 1)}},
          {"capacity-0", {u64(kCapacityAt, 0)}},
          {"capacity", {u64(kCapacityAt, kTooMany)}, Status::kTooLarge},
          {"count", {u64(kCountAt, kTooMany)}, Status::kTooLarge},
          {"count-0", {u64(kCountAt, 0)}},
          {"payload-bytes", {u64(kPayloadBytesAt, std::uint64_t{1} << 40)}, Status::kTooLarge},
          {"truncated", {[](Bytes& b) { b.pop_back(); }}, Status::kTruncated},
          {"extended", {[](Bytes& b) { b.push_back({}); }}},
          {"record-cut", {sized(76)}},
          {"9-bytes", {cut(9)}, Status::kTruncated},
          {"version-of-10-bytes", {u8(kVersionAt, 2), cut(10)}, Status::kUnsupportedVersion, true},
          {"payload-most", {u64(kPayloadBytesAt, (1 << 28) - 64)}, Status::kTruncated},
          {"payload-over", {u64(kPayloadBytesAt, (1 << 28) - 63)}, Status::kTooLarge},
          {"bits-0", {u64(64, 0)}},
          {"bits-0-alone", {u64(64, 0), u64(kCountAt, 0), sized(80)}},
          {"bits", {u64(64, 65)}},
          {"bits-huge", {u64(64, ~std::uint64_t{0})}},
          {"hashes-0", {u32(72, 0)}},
          {"hashes-65", {u32(72, 65)}},
          {"record-zero", {u32(76, 1)}},
          {"padding", {set_bits(87, 0x80)}},
          {"murmur2a-fnv1a-hashes", {u8(kHashAt, 5)}},
          {"guava-bits", {u8(kHashAt, 6)}},
          {"spark-v1-bits", {u8(kHashAt, 9)}},
          {"spark-v2-bits", {u8(kHashAt, 10)}},
          {"datasketches-bits", {u8(kHashAt, 13)}},
      });
  foreign_damage(golden);
  golden.damaged(bloom({.bits = 1 << 9, .hashes = 1, .hasher = Hasher(HashId::kDigest)}, kThree),
                 {{"digest-long", {u32(72, 57)}}});
  golden.damaged(bloom({.bits = 256, .hashes = 63, .hasher = Hasher(HashId::kDigest)}, kThree),
                 {{"digest-2-to-512", {u32(72, 64)}}});
  golden.keys_refused(bloom({.capacity = 3, .hasher = keyed()}, kThree));
  golden.key_refused(small);
}

}  // namespace tamis::vectors
