#include "vectors/vectors.hpp"

namespace tamis::vectors {
namespace {

BlockedBloomFilter blocked(std::uint64_t capacity, const Strings& keys, double fpr = 0.01,
                           const Hasher& hasher = Hasher()) {
  auto filter = BlockedBloomFilter::create({capacity, fpr, hasher});
  if (!filter.ok()) fail("cannot create a split-block Bloom filter");
  for (const auto& key : keys) {
    if (!filter->insert(key_of(key)).ok()) fail("cannot insert");
  }
  return std::move(*filter);
}

}  // namespace

template <>
void vectors<BlockedBloomFilter>(Writer& writer) {
  const Strings three{"alice", "bob", "carol"}, strangers = numbered("stranger-", 64);
  const auto valid = [&](const std::string& name, const BlockedBloomFilter& filter,
                         const Strings& keys, std::optional<SipKey> key = {}) {
    const auto has = [&](const std::string& k) { return filter.may_contain(key_of(k)); };
    writer.valid("blocked-bloom-" + name, filter, keys, strangers, has, key);
  };
  const auto with = [](Hasher hasher) { return blocked(varied().size(), varied(), 0.01, hasher); };

  const BlockedBloomFilter small = blocked(3, three);
  valid("three-keys", small, three);
  valid("empty", blocked(100, {}), {});
  valid("varied", with(Hasher()), varied());
  valid("seeded", with(Hasher(HashId::kXxh3, 0x0123456789abcdef)), varied());
  valid("keyed", with(Hasher(sip_key(0), 7)), varied(), sip_key(0));
  valid("one-key", blocked(1, {"x"}), {"x"});
  valid("1000-keys", blocked(1000, numbered("key-", 1000)), numbered("key-", 1000));
  valid("rate-half", blocked(200, numbered("key-", 200), 0.5), numbered("key-", 200));
  valid("rate-least", blocked(10, numbered("key-", 10), BlockedBloomFilter::kMinFpr),
        numbered("key-", 10));
  valid("over-capacity", blocked(10, numbered("key-", 100)), numbered("key-", 100));
  BlockedBloomFilter both = blocked(100, numbered("left-", 20));
  if (both.merge(blocked(100, numbered("right-", 20))) != Status::kOk) fail("cannot merge");
  valid("merged", both, numbered("right-", 20));
  BlockedBloomFilter full = blocked(3, three);
  for (std::uint64_t i = 0; full.estimated_fpr() < 1; ++i) (void)full.insert(Hash{i});
  valid("full", full, three);

  const auto damage = [&](const BlockedBloomFilter& filter, const std::string& name,
                          const std::function<void(Bytes&)>& change) {
    writer.damaged("blocked-bloom-bad-" + name, filter, Status::kCorrupt, change);
  };
  const auto damaged = [&](const std::string& name, const std::function<void(Bytes&)>& change) {
    damage(small, name, change);
  };
  const auto resized = [](Bytes& b, std::size_t size) {
    b.resize(size), set64(b, 48, size - kHeaderBytes);
  };
  damaged("scheme", [](Bytes& b) { b[11] = std::byte{3}; });
  damaged("capacity-0", [](Bytes& b) { set64(b, 32, 0); });
  damaged("count-0", [](Bytes& b) { set64(b, 40, 0); });
  damage(blocked(3, {}), "count-1", [](Bytes& b) { set64(b, 40, 1); });
  damaged("nothing", [&](Bytes& b) { resized(b, 64); });
  damaged("record-cut", [&](Bytes& b) { resized(b, 68); });
  damaged("data-cut", [&](Bytes& b) { resized(b, b.size() - 8); });
  damaged("data-extended", [&](Bytes& b) { resized(b, b.size() + 8); });
  damaged("blocks-0", [&](Bytes& b) { set64(b, 64, 0), set64(b, 40, 0), resized(b, 72); });
  damage(blocked(100, numbered("key-", 100)), "blocks-less", [](Bytes& b) { set64(b, 64, 1); });
  damaged("blocks-more", [](Bytes& b) { set64(b, 64, detail::load_le64(b.data() + 64) + 1); });
  damaged("blocks-2-to-59", [](Bytes& b) { set64(b, 64, (std::uint64_t{1} << 59) + 1); });
  damaged("blocks-huge", [](Bytes& b) { set64(b, 64, ~std::uint64_t{0}); });
  damaged("lane-empty", [](Bytes& b) { set32(b, 72, 0); });
  damage(blocked(1, {"x"}), "lane-alone", [](Bytes& b) {
    for (std::size_t at = 76; at < b.size(); at += 4) set32(b, at, 0);
  });

  const BlockedBloomFilter keyed = blocked(3, three, 0.01, Hasher(sip_key(0)));
  const auto as_is = [](Bytes&) {};
  writer.damaged("blocked-bloom-bad-no-key", keyed, Status::kKeyRequired, as_is);
  writer.damaged("blocked-bloom-bad-other-key", keyed, Status::kWrongKey, as_is, false, sip_key(1));
}

}  // namespace tamis::vectors
