#include <algorithm>
#include <cstdint>

#include "vectors/vectors.hpp"

namespace tamis::vectors {
namespace {

// The value of a key is its length, as far as it fits: a reader can check it with the manifest
// alone.
std::uint32_t value_of(const std::string& key, std::uint32_t value_bits) {
  return static_cast<std::uint32_t>(key.size() & ((std::uint64_t{1} << value_bits) - 1));
}

BloomierMap bloomier(const BloomierMap::Config& config, const Strings& keys) {
  std::vector<std::uint64_t> hashes;
  std::vector<std::uint32_t> values;
  for (const auto& key : keys) {
    hashes.push_back(static_cast<std::uint64_t>(config.hasher(key_of(key))));
    values.push_back(value_of(key, config.value_bits));
  }
  std::uint64_t conflicts = 0;
  auto map = BloomierMap::build(config, hashes, values, conflicts);
  if (!map.ok()) fail("cannot build a Bloomier map");
  return std::move(*map);
}

}  // namespace

template <>
void vectors<BloomierMap>(Writer& writer) {
  const Strings strangers = numbered("stranger-", 20);
  const auto config = [](std::uint32_t value_bits, std::uint32_t check_bits,
                         const Hasher& hasher = Hasher()) {
    return BloomierMap::Config{
        .value_bits = value_bits, .check_bits = check_bits, .hasher = hasher};
  };
  const auto valid = [&](const std::string& name, const BloomierMap::Config& made,
                         const Strings& keys, std::optional<SipKey> key = {}) {
    const BloomierMap map = bloomier(made, keys);
    for (const auto& k : keys) {
      if (map.get(key_of(k)) != value_of(k, made.value_bits)) fail(name + ": another value");
    }
    // The manifest need not name thousands.
    const Strings some(keys.begin(), keys.begin() + std::min<std::ptrdiff_t>(std::ssize(keys), 40));
    writer.valid(
        "bloomier-" + name, map, some, strangers,
        [&](const std::string& k) { return map.may_contain(key_of(k)); }, key);
  };
  const Strings three{"alice", "bob", "christina"};
  valid("three-keys", config(4, 8), three);
  valid("empty", config(4, 8), {});
  valid("empty-unchecked", config(1, 0), {});
  valid("one-key", config(32, 0), {"x"});
  valid("varied", config(9, 3), varied());
  valid("seeded", config(9, 3, Hasher(HashId::kXxh3, 0x0123456789abcdef)), varied());
  valid("keyed", config(9, 3, Hasher(sip_key(0), 7)), varied(), sip_key(0));
  for (const std::uint32_t value_bits : {1u, 8u, 32u}) {
    for (const std::uint32_t check_bits : {0u, 1u, 8u, 32u}) {
      valid(std::to_string(value_bits) + "-and-" + std::to_string(check_bits),
            config(value_bits, check_bits), numbered("key-", 30));
    }
  }
  valid("many", config(3, 2), numbered("key-", 1'000));
  valid("bumped", config(4, 1), numbered("key-", 10'000));

  // The record stands at 64, that of the level at 72, its data at 80.
  const BloomierMap small = bloomier(config(4, 8), three);
  const auto damaged = [&](const std::string& name, const std::function<void(Bytes&)>& damage) {
    writer.damaged("bloomier-bad-" + name, small, Status::kCorrupt, damage);
  };
  damaged("hash", [](Bytes& b) { b[11] = std::byte{3}; });
  damaged("capacity", [](Bytes& b) { set64(b, 32, 4); });
  damaged("count", [](Bytes& b) { set64(b, 40, 4); });
  damaged("count-both", [](Bytes& b) { set64(b, 32, 400), set64(b, 40, 400); });
  damaged("count-0", [](Bytes& b) { set64(b, 32, 0), set64(b, 40, 0); });
  damaged("record-cut", [](Bytes& b) { b.resize(68), set64(b, 48, 4); });
  damaged("record-alone", [](Bytes& b) { b.resize(72), set64(b, 48, 8); });
  damaged("value-bits-0", [](Bytes& b) { set32(b, 64, 0), set32(b, 68, 12); });
  damaged("value-bits-33", [](Bytes& b) { set32(b, 64, 33); });
  damaged("value-bits", [](Bytes& b) { set32(b, 64, 5); });
  damaged("check-bits-33", [](Bytes& b) { set32(b, 68, 33); });
  damaged("check-bits", [](Bytes& b) { set32(b, 68, 7); });
  damaged("level-slots", [](Bytes& b) { set32(b, 72, 1'000); });
  damaged("short", [](Bytes& b) { b.pop_back(), set64(b, 48, b.size() - 64); });
  damaged("long", [](Bytes& b) { b.push_back({}), set64(b, 48, b.size() - 64); });

  const BloomierMap keyed = bloomier(config(4, 8, Hasher(sip_key(0))), three);
  const auto as_is = [](Bytes&) {};
  writer.damaged("bloomier-bad-no-key", keyed, Status::kKeyRequired, as_is);
  writer.damaged("bloomier-bad-other-key", keyed, Status::kWrongKey, as_is, false, sip_key(1));
}

}  // namespace tamis::vectors
