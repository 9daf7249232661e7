#include "vectors/vectors.hpp"

namespace tamis::vectors {
namespace {

DLeftCountingFilter d_left(std::uint64_t capacity, double fpr, Hasher hasher, const Strings& keys) {
  auto filter = DLeftCountingFilter::create({capacity, fpr, hasher});
  if (!filter.ok()) fail("cannot create a d-left counting Bloom filter");
  for (const auto& key : keys) {
    if (!filter->insert(key_of(key)).ok()) fail("cannot insert");
  }
  return std::move(*filter);
}

void erase(DLeftCountingFilter& filter, const Strings& keys) {
  for (const auto& key : keys) {
    const auto erased = filter.erase(key_of(key));
    if (!erased.ok() || !*erased) fail("cannot erase");
  }
}

}  // namespace

template <>
void vectors<DLeftCountingFilter>(Writer& writer) {
  const Strings three{"alice", "bob", "carol"}, strangers = numbered("stranger-", 64);
  const auto valid = [&](const std::string& name, const DLeftCountingFilter& filter,
                         const Strings& keys, std::optional<SipKey> key = {}) {
    const auto has = [&](const std::string& k) { return filter.may_contain(key_of(k)); };
    writer.valid("d-left-counting-" + name, filter, keys, strangers, has, key);
  };
  const auto with = [](double fpr, Hasher hasher) {
    return d_left(varied().size(), fpr, hasher, varied());
  };

  const DLeftCountingFilter small = d_left(3, 0.01, Hasher(), three);
  valid("three-keys", small, three);
  valid("empty", d_left(100, 0.01, Hasher(), {}), {});
  valid("varied", with(0.01, Hasher()), varied());
  valid("seeded", with(0.01, Hasher(HashId::kXxh3, 0x0123456789abcdef)), varied());
  valid("keyed", with(0.01, Hasher(sip_key(0), 7)), varied(), sip_key(0));
  valid("many", d_left(500, 0.001, Hasher(), numbered("key-", 500)), numbered("key-", 500));
  // The ends of the range, and where fewer cells fit into 64 bits.
  valid("5-bits", with(0.9, Hasher()), varied());
  valid("14-bits", with(0x1p-10, Hasher()), varied());
  valid("15-bits", with(0x1p-11, Hasher()), varied());
  valid("28-bits", with(0x1p-24, Hasher()), varied());
  valid("29-bits", with(0x1p-25, Hasher()), varied());
  valid("30-bits", with(0x1p-26, Hasher()), varied());

  Strings in_full;
  DLeftCountingFilter full = d_left(24, 0.001, Hasher(), {});
  for (const auto& key : numbered("key-", 100)) {
    if (full.insert(key_of(key)).ok()) in_full.push_back(key);
  }
  if (full.count() != 32) fail("not full");
  valid("full", full, in_full);

  DLeftCountingFilter some = d_left(100, 0.001, Hasher(), numbered("key-", 100));
  erase(some, numbered("key-", 50));
  const Strings all = numbered("key-", 100);
  valid("after-deletes", some, {all.begin() + 50, all.end()});
  DLeftCountingFilter none = d_left(3, 0.01, Hasher(), three);
  erase(none, three);
  valid("all-deleted", none, {});
  DLeftCountingFilter copies = d_left(3, 0.01, Hasher(), three);
  for (const char* key : {"bob", "carol", "carol", "carol"}) {
    if (!copies.insert(key_of(key)).ok()) fail("cannot insert");
  }
  valid("copies", copies, three);
  erase(copies, {"alice", "bob", "carol", "carol", "carol", "carol", "carol", "carol"});
  valid("stuck", copies, {"bob", "carol"});

  const auto damaged = [&](const std::string& name, const std::function<void(Bytes&)>& damage) {
    writer.damaged("d-left-counting-bad-" + name, small, Status::kCorrupt, damage);
  };
  damaged("hash-none", [](Bytes& b) { b[11] = std::byte{0}; });
  damaged("hash-seeds", [](Bytes& b) { b[11] = std::byte{3}; });
  damaged("capacity-0", [](Bytes& b) { set64(b, 32, 0); });
  damaged("capacity", [](Bytes& b) { set64(b, 32, 33); });
  damaged("count-0", [](Bytes& b) { set64(b, 40, 0); });
  damaged("count-low", [](Bytes& b) { set64(b, 40, 2); });
  damaged("count-high", [](Bytes& b) { set64(b, 40, 4); });
  damaged("record-cut", [](Bytes& b) { b.resize(76), set64(b, 48, 12); });
  damaged("no-data", [](Bytes& b) { b.resize(80), set64(b, 48, 16); });
  damaged("data-cut", [](Bytes& b) { b.resize(b.size() - 8), set64(b, 48, b.size() - 64); });
  damaged("data-extended", [](Bytes& b) { b.resize(b.size() + 8), set64(b, 48, b.size() - 64); });
  damaged("buckets-0", [](Bytes& b) { set64(b, 64, 0); });
  damaged("buckets", [](Bytes& b) { set64(b, 64, 2); });
  damaged("buckets-high-half", [](Bytes& b) { set32(b, 68, 1); });
  damaged("buckets-huge", [](Bytes& b) { set64(b, 64, ~std::uint64_t{0}); });
  damaged("remainder-bits-4", [](Bytes& b) { set32(b, 72, 4); });
  damaged("remainder-bits", [](Bytes& b) { set32(b, 72, 11); });
  damaged("remainder-bits-31", [](Bytes& b) { set32(b, 72, 31); });
  damaged("record-zero", [](Bytes& b) { set32(b, 76, 1); });
  // Cells of 11 bits, of which the first is in use and the second free.
  damaged("free-cell", [](Bytes& b) { b[81] |= std::byte{1 << 3}; });
  damaged("remainder-twice", [](Bytes& b) {
    const std::uint32_t cell = detail::load_le32(b.data() + 80) & 0x7ff;
    set32(b, 80, cell | cell << 11), set64(b, 40, 4);
  });
  damaged("padding", [](Bytes& b) { b[80 + 44] |= std::byte{1}; });

  const DLeftCountingFilter keyed = d_left(3, 0.01, Hasher(sip_key(0)), three);
  const auto as_is = [](Bytes&) {};
  writer.damaged("d-left-counting-bad-no-key", keyed, Status::kKeyRequired, as_is);
  writer.damaged("d-left-counting-bad-other-key", keyed, Status::kWrongKey, as_is, false,
                 sip_key(1));
  writer.damaged("d-left-counting-bad-needless-key", small, Status::kWrongKey, as_is, false,
                 sip_key(0));
}

}  // namespace tamis::vectors
