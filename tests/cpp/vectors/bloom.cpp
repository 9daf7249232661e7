#include "vectors/vectors.hpp"

namespace tamis::vectors {

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
  golden.valid("one-bit", {.bits = 1, .hashes = 1}, {"x"});
  golden.valid("64-hashes", {.bits = 1000, .hashes = 64}, kThree);
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
          {"hash-unknown", {u8(kHashAt, 8)}, Status::kUnsupportedVersion},
          {"hash-255", {u8(kHashAt, 255)}, Status::kUnsupportedVersion},
          {"reserved", {u8(kReservedAt + 3, 1)}},
          {"digest-seed", {u8(kHashAt, 4), u64(kSeedAt, 1)}},
          {"key-id", {u64(kKeyIdAt, 1)}},
          {"capacity-0", {u64(kCapacityAt, 0)}},
          {"capacity", {u64(kCapacityAt, kTooMany)}, Status::kTooLarge},
          {"count", {u64(kCountAt, kTooMany)}, Status::kTooLarge},
          {"count-0", {u64(kCountAt, 0)}},
          {"payload-bytes", {u64(kPayloadBytesAt, std::uint64_t{1} << 40)}, Status::kTooLarge},
          {"truncated", {[](Bytes& b) { b.pop_back(); }}, Status::kTruncated},
          {"extended", {[](Bytes& b) { b.push_back({}); }}},
          {"record-cut", {sized(76)}},
          {"bits-0", {u64(64, 0)}},
          {"bits", {u64(64, 65)}},
          {"bits-huge", {u64(64, ~std::uint64_t{0})}},
          {"hashes-0", {u32(72, 0)}},
          {"hashes-65", {u32(72, 65)}},
          {"record-zero", {u32(76, 1)}},
          {"padding", {set_bits(87, 0x80)}},
          {"murmur2a-fnv1a-hashes", {u8(kHashAt, 5)}},
          {"guava-bits", {u8(kHashAt, 6)}},
      });
  golden.damaged(bloom({.bits = 1 << 9, .hashes = 1, .hasher = Hasher(HashId::kDigest)}, kThree),
                 {{"digest-long", {u32(72, 57)}}});
  golden.keys_refused(bloom({.capacity = 3, .hasher = keyed()}, kThree));
  golden.key_refused(small);
}

}  // namespace tamis::vectors
