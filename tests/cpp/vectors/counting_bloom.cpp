#include "vectors/vectors.hpp"

namespace tamis::vectors {
namespace {

CountingBloomFilter counting(std::uint64_t capacity, const Strings& keys,
                             std::uint32_t counter_bits = 4, double fpr = 0.01,
                             const Hasher& hasher = Hasher()) {
  auto filter = CountingBloomFilter::create({capacity, fpr, counter_bits, hasher});
  if (!filter.ok()) fail("cannot create a counting Bloom filter");
  for (const auto& key : keys) {
    if (!filter->insert(key_of(key)).ok()) fail("cannot insert");
  }
  return std::move(*filter);
}

void erase(CountingBloomFilter& filter, const Strings& keys) {
  for (const auto& key : keys) {
    const auto erased = filter.erase(key_of(key));
    if (!erased.ok() || !*erased) fail("cannot erase");
  }
}

}  // namespace

template <>
void vectors<CountingBloomFilter>(Writer& writer) {
  const Strings three{"alice", "bob", "carol"}, strangers = numbered("stranger-", 64);
  const auto valid = [&](const std::string& name, const CountingBloomFilter& filter,
                         const Strings& keys, std::optional<SipKey> key = {}) {
    const auto has = [&](const std::string& k) { return filter.may_contain(key_of(k)); };
    writer.valid("counting-bloom-" + name, filter, keys, strangers, has, key);
  };
  const auto with = [](Hasher hasher) {
    return counting(varied().size(), varied(), 4, 0.01, hasher);
  };

  const CountingBloomFilter small = counting(3, three);
  valid("three-keys", small, three);
  valid("empty", counting(100, {}), {});
  valid("varied", with(Hasher()), varied());
  valid("seeded", with(Hasher(HashId::kXxh3, 0x0123456789abcdef)), varied());
  valid("keyed", with(Hasher(sip_key(0), 7)), varied(), sip_key(0));
  for (const std::uint32_t bits : {2u, 3u, 7u, 13u, 16u}) {
    valid(std::to_string(bits) + "-bit", counting(3, three, bits), three);
  }
  // One key of 36 positions in 78 counters: some fall together.
  valid("rate-least", counting(1, {"x"}, 4, sizing::kMinFpr), {"x"});
  valid("rate-most", counting(1, {"x"}, 4, 0.999), {"x"});
  valid("over-capacity", counting(10, numbered("key-", 100)), numbered("key-", 100));
  CountingBloomFilter fewer = counting(20, numbered("stranger-", 20));
  erase(fewer, numbered("stranger-", 10));
  valid("after-deletes", fewer, Strings(strangers.begin() + 10, strangers.begin() + 20));
  CountingBloomFilter stuck = counting(3, {"alice", "alice", "alice", "alice", "bob"}, 2);
  erase(stuck, {"alice", "alice", "alice", "alice", "alice"});
  valid("stuck", stuck, {"alice"});
  CountingBloomFilter both = counting(20, numbered("left-", 10));
  if (both.merge(counting(20, numbered("right-", 10))) != Status::kOk) fail("cannot merge");
  valid("merged", both, numbered("right-", 10));
  CountingBloomFilter gone = counting(3, three);
  erase(gone, three);
  valid("all-deleted", gone, {});
  valid("full", counting(3, numbered("key-", 2000), 2), three);

  const auto damaged = [&](const std::string& name, const std::function<void(Bytes&)>& change) {
    writer.damaged("counting-bloom-bad-" + name, small, Status::kCorrupt, change);
  };
  const auto resized = [](Bytes& b, std::size_t size) {
    b.resize(size), set64(b, 48, size - kHeaderBytes);
  };
  damaged("scheme", [](Bytes& b) { b[11] = std::byte{3}; });
  damaged("capacity-0", [](Bytes& b) { set64(b, 32, 0); });
  damaged("nothing", [&](Bytes& b) { resized(b, 64); });
  damaged("record-cut", [&](Bytes& b) { resized(b, 76); });
  damaged("data-cut", [&](Bytes& b) { resized(b, b.size() - 8); });
  damaged("data-extended", [&](Bytes& b) { resized(b, b.size() + 8); });
  damaged("counters-0", [&](Bytes& b) { set64(b, 64, 0), resized(b, 80); });
  damaged("counters-less", [](Bytes& b) { set64(b, 64, 16); });
  damaged("counters-more", [](Bytes& b) { set64(b, 64, 33); });
  // 2^62 counters of 4 bits are 0 bits modulo 2^64.
  damaged("counters-2-to-62",
          [&](Bytes& b) { set64(b, 64, std::uint64_t{1} << 62), resized(b, 80); });
  damaged("counters-huge", [](Bytes& b) { set64(b, 64, ~std::uint64_t{0}); });
  damaged("hashes-0", [](Bytes& b) { set32(b, 72, 0); });
  damaged("hashes-65", [](Bytes& b) { set32(b, 72, 65); });
  damaged("hashes-huge", [](Bytes& b) { set32(b, 72, ~std::uint32_t{0}); });
  damaged("counter-bits-0", [](Bytes& b) { set32(b, 76, 0); });
  // 64 counters of 1 bit and 7 of 17 fill the words that are there.
  damaged("counter-bits-1", [](Bytes& b) { set64(b, 64, 128), set32(b, 76, 1); });
  damaged("counter-bits-17", [](Bytes& b) { set64(b, 64, 7), set32(b, 76, 17); });
  damaged("counter-bits-huge", [](Bytes& b) { set32(b, 76, ~std::uint32_t{0}); });
  damaged("padding", [](Bytes& b) { b.back() = std::byte{0x80}; });
  damaged("padding-first", [](Bytes& b) { b[80 + 31 / 2] |= std::byte{0x10}; });

  const CountingBloomFilter keyed = counting(3, three, 4, 0.01, Hasher(sip_key(0)));
  const auto as_is = [](Bytes&) {};
  writer.damaged("counting-bloom-bad-no-key", keyed, Status::kKeyRequired, as_is);
  writer.damaged("counting-bloom-bad-other-key", keyed, Status::kWrongKey, as_is, false,
                 sip_key(1));
}

}  // namespace tamis::vectors
