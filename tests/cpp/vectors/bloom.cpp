#include "vectors/vectors.hpp"

namespace tamis::vectors {
namespace {

BloomFilter bloom(BloomFilter::Config config, const Strings& keys) {
  auto filter = BloomFilter::create(config);
  if (!filter.ok()) fail("cannot create a Bloom filter");
  for (const auto& key : keys) {
    if (!filter->insert(key_of(key)).ok()) fail("cannot insert");
  }
  return std::move(*filter);
}

}  // namespace

template <>
void vectors<BloomFilter>(Writer& writer) {
  const Strings three{"alice", "bob", "carol"}, strangers = numbered("stranger-", 64);
  const auto valid = [&](const std::string& name, const BloomFilter& filter, const Strings& keys,
                         std::optional<SipKey> key = {}) {
    const auto has = [&](const std::string& k) { return filter.may_contain(key_of(k)); };
    writer.valid("bloom-" + name, filter, keys, strangers, has, key);
  };
  const auto config = [](std::uint64_t capacity, Hasher hasher) {
    BloomFilter::Config made;
    made.capacity = capacity;
    made.hasher = hasher;
    return made;
  };
  const auto geometry = [](std::uint64_t bits, std::uint32_t hashes, HashId id) {
    BloomFilter::Config made;
    made.bits = bits;
    made.hashes = hashes;
    made.hasher = Hasher(id);
    return made;
  };
  const auto with = [&](Hasher hasher) { return bloom(config(varied().size(), hasher), varied()); };

  const BloomFilter small = bloom(config(3, Hasher()), three);
  valid("three-keys", small, three);
  valid("empty", bloom(config(100, Hasher()), {}), {});
  valid("mcg", with(Hasher()), varied());
  valid("seeded", with(Hasher(HashId::kXxh3, 0x0123456789abcdef)), varied());
  valid("keyed", with(Hasher(sip_key(0), 7)), varied(), sip_key(0));
  valid("seeds", with(Hasher(HashId::kSeeds, ~std::uint64_t{0} - 1)), varied());
  valid("digest", with(Hasher(HashId::kDigest)), varied());
  valid("murmur2a-fnv1a", with(Hasher(HashId::kMurmur2aFnv1a)), varied());
  valid("guava", with(Hasher(HashId::kGuava)), varied());
  valid("one-bit", bloom(geometry(1, 1, HashId::kXxh3), {"x"}), {"x"});
  valid("64-hashes", bloom(geometry(1000, 64, HashId::kXxh3), three), three);
  valid("over-capacity", bloom(config(10, Hasher()), numbered("key-", 100)), numbered("key-", 100));
  BloomFilter full = bloom(config(3, Hasher()), {});
  full.fill();
  valid("full", full, three);

  const auto damaged = [&](const std::string& name, Status status,
                           const std::function<void(Bytes&)>& damage, bool raw = false) {
    writer.damaged("bloom-bad-" + name, small, status, damage, raw);
  };
  damaged("magic", Status::kNotTamis, [](Bytes& b) { b[0] = std::byte{0x88}; });
  damaged(
      "line-feed", Status::kNotTamis, [](Bytes& b) { b.erase(b.begin() + 4); }, true);
  damaged("7-bytes", Status::kNotTamis, [](Bytes& b) { b.resize(7); });
  damaged("nothing", Status::kNotTamis, [](Bytes& b) { b.clear(); });
  damaged("8-bytes", Status::kTruncated, [](Bytes& b) { b.resize(8); });
  damaged("version", Status::kUnsupportedVersion, [](Bytes& b) { b[8] = std::byte{2}; });
  damaged("version-high", Status::kUnsupportedVersion, [](Bytes& b) { b[9] = std::byte{1}; });
  damaged("63-bytes", Status::kTruncated, [](Bytes& b) { b.resize(63); });
  damaged(
      "header-bit", Status::kCorrupt, [](Bytes& b) { b[40] ^= std::byte{1}; }, true);
  damaged(
      "header-crc", Status::kCorrupt, [](Bytes& b) { b[63] ^= std::byte{0x80}; }, true);
  damaged(
      "payload-bit", Status::kCorrupt, [](Bytes& b) { b[80] ^= std::byte{1}; }, true);
  damaged("type", Status::kUnknownType, [](Bytes& b) { b[10] = std::byte{200}; });
  damaged("hash-none", Status::kCorrupt, [](Bytes& b) { b[11] = std::byte{0}; });
  damaged("hash-prefix", Status::kCorrupt, [](Bytes& b) { b[11] = std::byte{7}; });
  damaged("hash-unknown", Status::kUnsupportedVersion, [](Bytes& b) { b[11] = std::byte{8}; });
  damaged("hash-255", Status::kUnsupportedVersion, [](Bytes& b) { b[11] = std::byte{255}; });
  damaged("reserved", Status::kCorrupt, [](Bytes& b) { b[15] = std::byte{1}; });
  damaged("digest-seed", Status::kCorrupt, [](Bytes& b) { b[11] = std::byte{4}, set64(b, 16, 1); });
  damaged("key-id", Status::kCorrupt, [](Bytes& b) { set64(b, 24, 1); });
  damaged("capacity-0", Status::kCorrupt, [](Bytes& b) { set64(b, 32, 0); });
  damaged("capacity", Status::kTooLarge, [](Bytes& b) { set64(b, 32, std::uint64_t{1} << 53); });
  damaged("count", Status::kTooLarge, [](Bytes& b) { set64(b, 40, std::uint64_t{1} << 53); });
  damaged("count-0", Status::kCorrupt, [](Bytes& b) { set64(b, 40, 0); });
  damaged("payload-bytes", Status::kTooLarge,
          [](Bytes& b) { set64(b, 48, std::uint64_t{1} << 40); });
  damaged("truncated", Status::kTruncated, [](Bytes& b) { b.pop_back(); });
  damaged("extended", Status::kCorrupt, [](Bytes& b) { b.push_back(std::byte{0}); });
  damaged("record-cut", Status::kCorrupt, [](Bytes& b) { b.resize(76), set64(b, 48, 12); });
  damaged("bits-0", Status::kCorrupt, [](Bytes& b) { set64(b, 64, 0); });
  damaged("bits", Status::kCorrupt, [](Bytes& b) { set64(b, 64, 65); });
  damaged("bits-huge", Status::kCorrupt, [](Bytes& b) { set64(b, 64, ~std::uint64_t{0}); });
  damaged("hashes-0", Status::kCorrupt, [](Bytes& b) { set32(b, 72, 0); });
  damaged("hashes-65", Status::kCorrupt, [](Bytes& b) { set32(b, 72, 65); });
  damaged("record-zero", Status::kCorrupt, [](Bytes& b) { set32(b, 76, 1); });
  damaged("padding", Status::kCorrupt, [](Bytes& b) { b[87] |= std::byte{0x80}; });
  damaged("murmur2a-fnv1a-hashes", Status::kCorrupt, [](Bytes& b) { b[11] = std::byte{5}; });
  damaged("guava-bits", Status::kCorrupt, [](Bytes& b) { b[11] = std::byte{6}; });
  writer.damaged("bloom-bad-digest-long", bloom(geometry(1 << 9, 1, HashId::kDigest), three),
                 Status::kCorrupt, [](Bytes& b) { set32(b, 72, 57); });

  const BloomFilter keyed = bloom(config(3, Hasher(sip_key(0))), three);
  const auto as_is = [](Bytes&) {};
  writer.damaged("bloom-bad-no-key", keyed, Status::kKeyRequired, as_is);
  writer.damaged("bloom-bad-other-key", keyed, Status::kWrongKey, as_is, false, sip_key(1));
  writer.damaged("bloom-bad-needless-key", small, Status::kWrongKey, as_is, false, sip_key(0));
}

}  // namespace tamis::vectors
