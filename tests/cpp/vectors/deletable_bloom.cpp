#include "vectors/vectors.hpp"

namespace tamis::vectors {
namespace {

using Config = DeletableBloomFilter::Config;

void add(DeletableBloomFilter& filter, const Strings& keys) {
  for (const auto& key : keys) {
    if (!filter.insert(key_of(key)).ok()) fail("cannot insert");
  }
}

DeletableBloomFilter deletable(const Config& config, const Strings& keys) {
  auto filter = DeletableBloomFilter::create(config);
  if (!filter.ok()) fail("cannot create a deletable Bloom filter");
  add(*filter, keys);
  return std::move(*filter);
}

// Deletes what can be deleted of the keys, and gives those that stay.
Strings erase(DeletableBloomFilter& filter, const Strings& keys) {
  Strings stay;
  for (const auto& key : keys) {
    const auto erased = filter.erase(key_of(key));
    if (!erased.ok() && erased.status() != Status::kNotDeletable) fail("cannot erase");
    if (erased.ok() && !*erased) fail("a key is missing");
    if (!erased.ok()) stay.push_back(key);
  }
  return stay;
}

}  // namespace

template <>
void vectors<DeletableBloomFilter>(Writer& writer) {
  const Strings three{"alice", "bob", "carol"}, strangers = numbered("stranger-", 64);
  const auto valid = [&](const std::string& name, const DeletableBloomFilter& filter,
                         const Strings& keys, std::optional<SipKey> key = {},
                         const Strings& others = {}) {
    const auto has = [&](const std::string& k) { return filter.may_contain(key_of(k)); };
    Strings absent = others;
    absent.insert(absent.end(), strangers.begin(), strangers.end());
    writer.valid("deletable-bloom-" + name, filter, keys, absent, has, key);
  };
  const auto config = [](std::uint64_t capacity, Hasher hasher = Hasher(), double fpr = 0.01,
                         std::uint64_t regions = 0) {
    Config made;
    made.capacity = capacity;
    made.fpr = fpr;
    made.regions = regions;
    made.hasher = hasher;
    return made;
  };
  const auto with = [&](Hasher hasher) {
    return deletable(config(varied().size(), hasher), varied());
  };

  const DeletableBloomFilter small = deletable(config(3), three);
  valid("three-keys", small, three);
  valid("empty", deletable(config(100), {}), {});
  valid("varied", with(Hasher()), varied());
  valid("seeded", with(Hasher(HashId::kXxh3, 0x0123456789abcdef)), varied());
  valid("keyed", with(Hasher(sip_key(0), 7)), varied(), sip_key(0));
  // One key in 2 bits, two regions.
  valid("tiny", deletable(config(1, Hasher(), 0.5, 2), {"x"}), {"x"});
  valid("rate-2-48", deletable(config(3, Hasher(), 0x1p-48), three), three);
  valid("one-region", deletable(config(3, Hasher(), 0.01, 1), three), three);
  valid("region-a-bit", deletable(config(20, Hasher(), 0.01, 194), numbered("key-", 20)),
        numbered("key-", 20));
  // 194 bits in regions of 1 or 2.
  valid("uneven-regions", deletable(config(20, Hasher(), 0.01, 131), numbered("key-", 20)),
        numbered("key-", 20));
  valid("over-capacity", deletable(config(10), numbered("key-", 100)), numbered("key-", 100));

  DeletableBloomFilter twice = deletable(config(3), three);
  add(twice, three);
  if (!erase(twice, three).empty()) valid("added-twice", twice, three);

  const Strings keys = numbered("key-", 100), first(keys.begin(), keys.begin() + 50);
  DeletableBloomFilter erased = deletable(config(100), keys);
  Strings stay = erase(erased, first);
  if (stay.empty() || stay.size() == 50) fail("no deletes, or nothing but deletes");
  stay.insert(stay.end(), keys.begin() + 50, keys.end());
  valid("erased", erased, stay, {}, first);
  // The locks, and bits in locked regions, of keys that are all gone: the count is 0.
  DeletableBloomFilter gone = deletable(config(20), numbered("key-", 10));
  if (!erase(gone, numbered("key-", 10)).empty() || gone.count() != 0) fail("a key stays");
  if (gone.estimated_fpr() == 0) fail("nothing is locked");
  valid("all-erased", gone, {}, {}, numbered("key-", 10));

  // 31 bits, 4 regions of which some are locked: the bits at 88, the locks at 96.
  const auto damaged = [&](const std::string& name, Status status,
                           const std::function<void(Bytes&)>& damage) {
    writer.damaged("deletable-bloom-bad-" + name, small, status, damage);
  };
  damaged("hash-none", Status::kCorrupt, [](Bytes& b) { b[11] = std::byte{0}; });
  damaged("hash-seeds", Status::kCorrupt, [](Bytes& b) { b[11] = std::byte{3}; });
  damaged("hash-unknown", Status::kUnsupportedVersion, [](Bytes& b) { b[11] = std::byte{8}; });
  damaged("key-id", Status::kCorrupt, [](Bytes& b) { set64(b, 24, 1); });
  damaged("capacity-0", Status::kCorrupt, [](Bytes& b) { set64(b, 32, 0); });
  damaged("record-cut", Status::kCorrupt, [](Bytes& b) { b.resize(84), set64(b, 48, 20); });
  damaged("bits-0", Status::kCorrupt, [](Bytes& b) { set64(b, 64, 0); });
  damaged("bits-few", Status::kCorrupt, [](Bytes& b) { set64(b, 64, 3); });
  damaged("bits-many", Status::kCorrupt, [](Bytes& b) { set64(b, 64, 65); });
  damaged("bits-limit", Status::kCorrupt,
          [](Bytes& b) { set64(b, 64, (std::uint64_t{1} << 32) + 1); });
  damaged("bits-huge", Status::kCorrupt, [](Bytes& b) { set64(b, 64, ~std::uint64_t{0}); });
  damaged("hashes-0", Status::kCorrupt, [](Bytes& b) { set32(b, 72, 0); });
  damaged("hashes-65", Status::kCorrupt, [](Bytes& b) { set32(b, 72, 65); });
  damaged("record-zero", Status::kCorrupt, [](Bytes& b) { set32(b, 76, 1); });
  damaged("regions-0", Status::kCorrupt, [](Bytes& b) { set64(b, 80, 0); });
  damaged("regions-few", Status::kCorrupt, [](Bytes& b) { set64(b, 80, 1); });
  damaged("regions-over-bits", Status::kCorrupt, [](Bytes& b) { set64(b, 80, 32); });
  damaged("regions-huge", Status::kCorrupt, [](Bytes& b) { set64(b, 80, ~std::uint64_t{0}); });
  damaged("padding", Status::kCorrupt, [](Bytes& b) { b[91] |= std::byte{0x80}; });
  damaged("lock-padding", Status::kCorrupt, [](Bytes& b) { b[96] |= std::byte{0x10}; });
  damaged("lock-padding-high", Status::kCorrupt, [](Bytes& b) { b[103] |= std::byte{0x80}; });
  damaged("no-bits", Status::kCorrupt, [](Bytes& b) { set64(b, 88, 0); });
  damaged("locks-cut", Status::kCorrupt, [](Bytes& b) { b.resize(96), set64(b, 48, 32); });
  damaged("longer", Status::kCorrupt, [](Bytes& b) { b.resize(112), set64(b, 48, 48); });
  damaged("extended", Status::kCorrupt, [](Bytes& b) { b.push_back(std::byte{0}); });
  damaged("truncated", Status::kTruncated, [](Bytes& b) { b.pop_back(); });
  writer.damaged("deletable-bloom-bad-lock-of-nothing", deletable(config(3), {}), Status::kCorrupt,
                 [](Bytes& b) { b[96] = std::byte{8}; });

  const DeletableBloomFilter keyed = deletable(config(3, Hasher(sip_key(0))), three);
  const auto as_is = [](Bytes&) {};
  writer.damaged("deletable-bloom-bad-no-key", keyed, Status::kKeyRequired, as_is);
  writer.damaged("deletable-bloom-bad-other-key", keyed, Status::kWrongKey, as_is, false,
                 sip_key(1));
  writer.damaged("deletable-bloom-bad-needless-key", small, Status::kWrongKey, as_is, false,
                 sip_key(0));
}

}  // namespace tamis::vectors
