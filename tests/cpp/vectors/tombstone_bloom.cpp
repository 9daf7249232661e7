#include "vectors/vectors.hpp"

namespace tamis::vectors {
namespace {

TombstoneBloomFilter tombstone(const TombstoneBloomFilter::Config& config, const Strings& keys,
                               const Strings& deleted = {}) {
  auto filter = TombstoneBloomFilter::create(config);
  if (!filter.ok()) fail("cannot create a tombstone Bloom filter");
  for (const auto& key : keys) {
    if (!filter->insert(key_of(key)).ok()) fail("cannot insert");
  }
  for (const auto& key : deleted) {
    const auto erased = filter->erase(key_of(key));
    if (!erased.ok() || !*erased) fail("cannot erase");
  }
  return std::move(*filter);
}

// Where the records of the two parts begin, and the data of the first.
constexpr std::size_t kAdded = 64, kDeleted = 96, kData = 128;

}  // namespace

template <>
void vectors<TombstoneBloomFilter>(Writer& writer) {
  const Strings three{"alice", "bob", "carol"}, strangers = numbered("stranger-", 64);
  const auto valid = [&](const std::string& name, const TombstoneBloomFilter& filter,
                         const Strings& keys, std::optional<SipKey> key = {}) {
    const auto has = [&](const std::string& k) { return filter.may_contain(key_of(k)); };
    writer.valid("tombstone-bloom-" + name, filter, keys, strangers, has, key);
  };
  const auto config = [](std::uint64_t capacity, Hasher hasher = Hasher()) {
    TombstoneBloomFilter::Config made;
    made.capacity = capacity;
    made.hasher = hasher;
    return made;
  };
  const auto with = [&](Hasher hasher) {
    Strings keys = varied();
    keys.push_back("gone");
    return tombstone(config(varied().size(), hasher), keys, {"gone"});
  };
  const Strings twenty = numbered("stranger-", 20), ten = numbered("stranger-", 10);
  const Strings others(twenty.begin() + 10, twenty.end());

  const TombstoneBloomFilter small =
      tombstone(config(3), {"alice", "bob", "carol", "dave"}, {"dave"});
  valid("three-keys", small, three);
  valid("empty", tombstone(config(100), {}), {});
  valid("varied", with(Hasher()), varied());
  valid("seeded", with(Hasher(HashId::kXxh3, 0x0123456789abcdef)), varied());
  valid("keyed", with(Hasher(sip_key(0), 7)), varied(), sip_key(0));
  valid("no-deletes", tombstone(config(3), three), three);
  valid("after-deletes", tombstone(config(20), twenty, ten), others);
  valid("all-deleted", tombstone(config(20), twenty, twenty), {});
  auto few = config(200);
  few.deletions = 1;
  valid("one-deletion", tombstone(few, numbered("key-", 200), {"key-7"}), numbered("key-", 7));
  auto many = config(1);
  many.deletions = 500;
  valid("many-deletions", tombstone(many, three, {"bob"}), {"alice", "carol"});
  auto classic = config(20);
  classic.fpr = 0x1p-20;
  const TombstoneBloomFilter low = tombstone(classic, twenty, ten);
  valid("classic", low, others);
  classic.fpr = 0x1p-24;
  valid("rate-least", tombstone(classic, twenty, ten), others);
  valid("over-capacity", tombstone(config(10), numbered("key-", 100), {"key-99"}),
        numbered("key-", 20));
  TombstoneBloomFilter full = tombstone(config(3), three);
  for (std::uint64_t i = 0; full.estimated_fpr() < 1; ++i) (void)full.insert(Hash{i});
  valid("full", full, three);
  for (std::uint64_t i = 0; full.false_negative_rate() < 1; ++i) (void)full.erase(Hash{i});
  valid("nothing-left", full, {});

  const auto damage = [&](const TombstoneBloomFilter& filter, const std::string& name,
                          const std::function<void(Bytes&)>& change) {
    writer.damaged("tombstone-bloom-bad-" + name, filter, Status::kCorrupt, change);
  };
  const auto damaged = [&](const std::string& name, const std::function<void(Bytes&)>& change) {
    damage(small, name, change);
  };
  const auto resized = [](Bytes& b, std::size_t size) {
    b.resize(size), set64(b, 48, size - kHeaderBytes);
  };
  const auto add = [](Bytes& b, std::size_t at, std::uint64_t value) {
    set64(b, at, detail::load_le64(b.data() + at) + value);
  };
  constexpr std::uint64_t kTooMany = std::uint64_t{1} << 53;
  damaged("scheme", [](Bytes& b) { b[11] = std::byte{3}; });
  damaged("capacity", [](Bytes& b) { set64(b, 32, 4); });
  damaged("capacity-0", [](Bytes& b) { set64(b, 32, 0), set64(b, kAdded + 8, 0); });
  damaged("count", [](Bytes& b) { set64(b, 40, 4); });
  damaged("nothing", [&](Bytes& b) { resized(b, 64); });
  damaged("record-cut", [&](Bytes& b) { resized(b, kDeleted); });
  damaged("data-cut", [&](Bytes& b) { resized(b, b.size() - 8); });
  damaged("data-extended", [&](Bytes& b) { resized(b, b.size() + 8); });
  damaged("bits-0", [](Bytes& b) { set64(b, kAdded, 0); });
  damaged("bits-more", [&](Bytes& b) { add(b, kDeleted, 256); });
  damaged("bits-half-a-block", [&](Bytes& b) { add(b, kAdded, 128); });
  damaged("bits-huge", [](Bytes& b) { set64(b, kAdded, ~std::uint64_t{255}); });
  damaged("deletions-0", [](Bytes& b) { set64(b, kDeleted + 8, 0); });
  damaged("deletions", [](Bytes& b) { set64(b, kDeleted + 8, kTooMany); });
  damaged("added-count", [](Bytes& b) { set64(b, kAdded + 16, kTooMany); });
  damaged("added-count-0", [](Bytes& b) { set64(b, kAdded + 16, 0), set64(b, 40, 0); });
  damaged("deleted-count-0", [](Bytes& b) { set64(b, kDeleted + 16, 0), set64(b, 40, 4); });
  damage(tombstone(config(3), three), "deleted-count-1",
         [](Bytes& b) { set64(b, kDeleted + 16, 1), set64(b, 40, 2); });
  damaged("record-zero", [](Bytes& b) { set32(b, kDeleted + 28, 1); });
  damaged("lane-empty", [](Bytes& b) { set32(b, kData, 0); });
  damage(low, "hashes-65", [](Bytes& b) { set32(b, kAdded + 24, 65); });
  damage(low, "hashes-0", [](Bytes& b) { set32(b, kAdded + 24, 0); });
  damage(low, "padding", [](Bytes& b) { b.back() = std::byte{0x80}; });

  const TombstoneBloomFilter keyed = tombstone(config(3, Hasher(sip_key(0))), three);
  const auto as_is = [](Bytes&) {};
  writer.damaged("tombstone-bloom-bad-no-key", keyed, Status::kKeyRequired, as_is);
  writer.damaged("tombstone-bloom-bad-other-key", keyed, Status::kWrongKey, as_is, false,
                 sip_key(1));
}

}  // namespace tamis::vectors
