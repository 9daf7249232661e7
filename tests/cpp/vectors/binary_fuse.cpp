#include "vectors/vectors.hpp"

namespace tamis::vectors {
namespace {

BinaryFuseFilter fuse(const BinaryFuseFilter::Config& config, const Strings& keys) {
  std::vector<std::uint64_t> hashes;
  for (const auto& key : keys)
    hashes.push_back(static_cast<std::uint64_t>(config.hasher(key_of(key))));
  auto filter = BinaryFuseFilter::build(config, hashes);
  if (!filter.ok()) fail("cannot build a binary fuse filter");
  return std::move(*filter);
}

// The first seed that is given up for another one.
std::uint64_t seed_that_fails(std::uint32_t bits, std::uint32_t arity, const Strings& keys) {
  for (std::uint64_t seed = 1;; ++seed) {
    BinaryFuseFilter::Config config;
    config.fingerprint_bits = bits;
    config.arity = arity;
    config.hasher = Hasher(HashId::kXxh3, seed);
    if (fuse(config, keys).hasher().seed() != seed) return seed;
  }
}

}  // namespace

template <>
void vectors<BinaryFuseFilter>(Writer& writer) {
  const Strings three{"alice", "bob", "carol"}, strangers = numbered("stranger-", 64);
  const auto config = [](std::uint32_t bits, std::uint32_t arity, const Hasher& hasher = Hasher()) {
    BinaryFuseFilter::Config made;
    made.fingerprint_bits = bits;
    made.arity = arity;
    made.hasher = hasher;
    return made;
  };
  const auto valid = [&](const std::string& name, const BinaryFuseFilter::Config& made,
                         const Strings& keys, std::optional<SipKey> key = {}) {
    const BinaryFuseFilter filter = fuse(made, keys);
    const auto has = [&](const std::string& k) { return filter.may_contain(key_of(k)); };
    writer.valid("binary-fuse-" + name, filter, keys, strangers, has, key);
  };

  valid("three-keys", config(8, 0), three);
  valid("empty", config(8, 0), {});
  valid("empty-4", config(32, 4), {});
  valid("one-key", config(1, 3), {"x"});
  valid("one-key-4", config(1, 4), {"x"});
  valid("varied", BinaryFuseFilter::Config(), varied());
  valid("seeded", config(7, 4, Hasher(HashId::kXxh3, 0x0123456789abcdef)), varied());
  valid("keyed", config(7, 0, Hasher(sip_key(0), 7)), varied(), sip_key(0));
  for (const std::uint32_t bits : {1u, 7u, 8u, 13u, 16u, 25u, 31u, 32u}) {
    for (const std::uint32_t arity : {3u, 4u}) {
      valid(std::to_string(bits) + "-bits-" + std::to_string(arity), config(bits, arity), varied());
    }
  }
  const Strings many = numbered("key-", 1000);
  for (const std::uint32_t arity : {3u, 4u}) {
    valid("thousand-" + std::to_string(arity), config(5, arity), many);
    const std::uint64_t seed = seed_that_fails(6, arity, many);
    valid("other-seed-" + std::to_string(arity), config(6, arity, Hasher(HashId::kXxh3, seed)),
          many);
  }
  Strings repeated = three;
  for (int i = 0; i < 70; ++i) repeated.push_back("bob");
  valid("repeated", config(8, 0), repeated);

  const BinaryFuseFilter small = fuse(config(7, 3), numbered("key-", 20)),
                         none = fuse(config(7, 3), {});
  const auto damaged_of = [&](const BinaryFuseFilter& filter, const std::string& name,
                              const std::function<void(Bytes&)>& damage) {
    writer.damaged("binary-fuse-bad-" + name, filter, Status::kCorrupt, damage);
  };
  const auto damaged = [&](const std::string& name, const std::function<void(Bytes&)>& damage) {
    damaged_of(small, name, damage);
  };
  const auto set_counts = [](Bytes& b, std::uint64_t count) {
    set64(b, 32, count), set64(b, 40, count);
  };
  damaged("capacity", [](Bytes& b) { set64(b, 32, 21); });
  damaged("count", [](Bytes& b) { set64(b, 40, 19); });
  damaged("count-0", [&](Bytes& b) { set_counts(b, 0); });
  damaged("count-below-slots", [&](Bytes& b) { set_counts(b, 10); });
  damaged("count-above-slots", [&](Bytes& b) { set_counts(b, small.shape().slots(3) + 1); });
  damaged("hash", [](Bytes& b) { b[11] = std::byte{3}; });
  damaged("record-cut", [](Bytes& b) { b.resize(68), set64(b, 48, 4); });
  damaged("data-cut", [](Bytes& b) { b.resize(b.size() - 8), set64(b, 48, b.size() - 64); });
  damaged("data-long", [](Bytes& b) { b.resize(b.size() + 8), set64(b, 48, b.size() - 64); });
  damaged("segments-0", [](Bytes& b) { set32(b, 64, 0); });
  damaged("segments", [&](Bytes& b) { set32(b, 64, small.shape().segments + 9); });
  damaged("segments-huge", [](Bytes& b) { set32(b, 64, 0xffffffff); });
  damaged("segment-slots",
          [&](Bytes& b) { b[68] = static_cast<std::byte>(small.shape().segment_log + 1); });
  damaged("segment-slots-19", [](Bytes& b) { b[68] = std::byte{19}; });
  damaged("segment-slots-255", [](Bytes& b) { b[68] = std::byte{255}; });
  damaged("arity-2", [](Bytes& b) { b[69] = std::byte{2}; });
  damaged("arity-5", [](Bytes& b) { b[69] = std::byte{5}; });
  damaged("fingerprint-bits-0", [](Bytes& b) { b[70] = std::byte{0}; });
  damaged("fingerprint-bits-33", [](Bytes& b) { b[70] = std::byte{33}; });
  damaged("fingerprint-bits", [](Bytes& b) { b[70] = std::byte{9}; });
  damaged("record-zero", [](Bytes& b) { b[71] = std::byte{1}; });
  damaged("padding", [](Bytes& b) { b.back() |= std::byte{0x80}; });
  // 2^32 slots of one bit would wrap around where sizes have 32 bits.
  damaged("slots-2-to-32",
          [](Bytes& b) { set32(b, 64, 0x3ffe), b[68] = std::byte{18}, b[70] = std::byte{1}; });
  damaged_of(none, "empty-segments", [](Bytes& b) { set32(b, 64, 1); });
  damaged_of(none, "empty-segment-slots", [](Bytes& b) { b[68] = std::byte{1}; });
  damaged_of(none, "empty-count", [&](Bytes& b) { set_counts(b, 1); });
  damaged_of(none, "empty-arity", [](Bytes& b) { b[69] = std::byte{0}; });
  damaged_of(none, "empty-data", [](Bytes& b) { b.resize(80), set64(b, 48, 16); });

  const BinaryFuseFilter keyed = fuse(config(8, 0, Hasher(sip_key(0))), three);
  const auto as_is = [](Bytes&) {};
  writer.damaged("binary-fuse-bad-no-key", keyed, Status::kKeyRequired, as_is);
  writer.damaged("binary-fuse-bad-other-key", keyed, Status::kWrongKey, as_is, false, sip_key(1));
}

}  // namespace tamis::vectors
