#include "vectors/vectors.hpp"

namespace tamis::vectors {
namespace {

CuckooFilter cuckoo(const CuckooFilter::Config& config, const Strings& keys) {
  auto filter = CuckooFilter::create(config);
  if (!filter.ok()) fail("cannot create a cuckoo filter");
  for (const auto& key : keys) {
    if (!filter->insert(key_of(key)).ok()) fail("cannot insert");
  }
  return std::move(*filter);
}

// The same filter with the first of `keys` that go in before one does not.
CuckooFilter filled(const CuckooFilter::Config& config, const Strings& keys, Strings& held) {
  CuckooFilter filter = cuckoo(config, {});
  for (const auto& key : keys) {
    if (!filter.insert(key_of(key)).ok()) return filter;
    held.push_back(key);
  }
  fail("a cuckoo filter took too many keys");
}

}  // namespace

template <>
void vectors<CuckooFilter>(Writer& writer) {
  const Strings three{"alice", "bob", "carol"}, strangers = numbered("stranger-", 64);
  const auto valid = [&](const std::string& name, const CuckooFilter& filter, const Strings& keys,
                         std::optional<SipKey> key = {}) {
    const auto has = [&](const std::string& k) { return filter.may_contain(key_of(k)); };
    writer.valid("cuckoo-" + name, filter, keys, strangers, has, key);
  };
  const auto config = [](std::uint64_t capacity, const Hasher& hasher = Hasher(),
                         std::uint32_t bits = 0, std::uint32_t bucket_size = 4) {
    CuckooFilter::Config made;
    made.capacity = capacity;
    made.fingerprint_bits = bits;
    made.bucket_size = bucket_size;
    made.hasher = hasher;
    return made;
  };
  const auto with = [&](const Hasher& hasher) {
    return cuckoo(config(varied().size(), hasher), varied());
  };

  const CuckooFilter small = cuckoo(config(3), three);
  valid("three-keys", small, three);
  valid("empty", cuckoo(config(100), {}), {});
  valid("varied", with(Hasher()), varied());
  valid("seeded", with(Hasher(HashId::kXxh3, 0x0123456789abcdef)), varied());
  valid("keyed", with(Hasher(sip_key(0), 7)), varied(), sip_key(0));
  for (const std::uint32_t size : {1u, 2u, 8u}) {
    valid("buckets-of-" + std::to_string(size), cuckoo(config(27, Hasher(), 0, size), varied()),
          varied());
  }
  for (const std::uint32_t bits : {4u, 13u, 17u, 32u}) {
    valid(std::to_string(bits) + "-bits", cuckoo(config(27, Hasher(), bits), varied()), varied());
  }
  valid("one-slot-a-bucket", cuckoo(config(1, Hasher(), 4, 1), {"x"}), {"x"});
  // Near the end most inserts move others.
  for (const std::uint32_t size : {1u, 2u, 4u, 8u}) {
    Strings held;
    const auto made = config(size == 1 ? 3 : 60, Hasher(), size == 1 ? 16 : 9, size);
    const CuckooFilter full = filled(made, numbered("key-", 2000), held);
    valid("full-" + std::to_string(size), full, held);
  }
  const Strings many = numbered("key-", 100), odd = [&] {
    Strings keys;
    for (std::size_t i = 1; i < many.size(); i += 2) keys.push_back(many[i]);
    return keys;
  }();
  CuckooFilter halved = cuckoo(config(100), many);
  for (std::size_t i = 0; i < many.size(); i += 2) {
    const auto erased = halved.erase(key_of(many[i]));
    if (!erased.ok() || !*erased) fail("cannot erase");
  }
  valid("after-deletes", halved, odd);
  valid("eight-copies", cuckoo(config(3), Strings(8, "alice")), {"alice"});

  const auto damaged = [&](const std::string& name, const std::function<void(Bytes&)>& damage) {
    writer.damaged("cuckoo-bad-" + name, small, Status::kCorrupt, damage);
  };
  damaged("capacity-0", [](Bytes& b) { set64(b, 32, 0); });
  damaged("capacity", [](Bytes& b) { set64(b, 32, 9); });
  damaged("count-0", [](Bytes& b) { set64(b, 40, 0); });
  damaged("count", [](Bytes& b) { set64(b, 40, 4); });
  damaged("hash", [](Bytes& b) { b[11] = std::byte{3}; });
  damaged("record-cut", [](Bytes& b) { b.resize(76), set64(b, 48, 12); });
  damaged("data-cut", [](Bytes& b) { b.resize(b.size() - 8), set64(b, 48, b.size() - 64); });
  damaged("data-long", [](Bytes& b) { b.resize(b.size() + 8), set64(b, 48, b.size() - 64); });
  damaged("buckets-0", [](Bytes& b) { set32(b, 64, 0); });
  damaged("buckets-odd", [](Bytes& b) { set32(b, 64, 1); });
  damaged("buckets", [](Bytes& b) { set32(b, 64, 4); });
  damaged("buckets-huge", [](Bytes& b) { set32(b, 64, 0xfffffffe); });
  damaged("bucket-size-0", [](Bytes& b) { set32(b, 68, 0); });
  damaged("bucket-size-3", [](Bytes& b) { set32(b, 68, 3); });
  damaged("bucket-size-16", [](Bytes& b) { set32(b, 68, 16); });
  damaged("fingerprint-bits-0", [](Bytes& b) { set32(b, 72, 0); });
  damaged("fingerprint-bits-3", [](Bytes& b) { set32(b, 72, 3); });
  damaged("fingerprint-bits-33", [](Bytes& b) { set32(b, 72, 33); });
  damaged("fingerprint-bits", [](Bytes& b) { set32(b, 72, 17); });
  damaged("record-zero", [](Bytes& b) { set32(b, 76, 1); });
  damaged("padding", [](Bytes& b) { b.back() |= std::byte{0x80}; });
  damaged("slots-cleared", [](Bytes& b) { std::fill(b.begin() + 80, b.end(), std::byte{0}); });

  const CuckooFilter keyed = cuckoo(config(3, Hasher(sip_key(0))), three);
  const auto as_is = [](Bytes&) {};
  writer.damaged("cuckoo-bad-no-key", keyed, Status::kKeyRequired, as_is);
  writer.damaged("cuckoo-bad-other-key", keyed, Status::kWrongKey, as_is, false, sip_key(1));
}

}  // namespace tamis::vectors
