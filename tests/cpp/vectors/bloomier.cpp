#include "vectors/high_part.hpp"

namespace tamis::vectors {
namespace {

// The value of a key is its length, as far as it fits: a reader can check it with the manifest
// alone.
std::uint32_t value_of(const std::string& key, std::uint32_t value_bits) {
  return static_cast<std::uint32_t>(key.size() & ((std::uint64_t{1} << value_bits) - 1));
}

BloomierMap bloomier(const BloomierMap::Config& config, const Strings& keys) {
  auto hashes = hashes_of(keys, config.hasher);
  std::vector<std::uint32_t> values;
  for (const auto& key : keys) values.push_back(value_of(key, config.value_bits));
  std::uint64_t conflicts = 0;
  auto map = BloomierMap::build(config, hashes, values, conflicts);
  MUST(map.ok());
  for (const auto& key : keys) MUST(map->get(key_of(key)) == value_of(key, config.value_bits));
  return std::move(*map);
}

}  // namespace

template <>
void vectors<BloomierMap>(Writer& writer) {
  const Golden<BloomierMap> golden(writer);
  const auto valid = [&](const std::string& name, const BloomierMap::Config& config,
                         const Strings& keys, std::optional<SipKey> key = {}) {
    const BloomierMap map = bloomier(config, keys);
    // The manifest need not name thousands.
    golden.valid(name, map, part(keys, 0, 40), numbered("stranger-", 20), has_of(map), key);
  };
  const Strings three{"alice", "bob", "christina"};
  valid("three-keys", {.value_bits = 4}, three);
  valid("empty", {.value_bits = 4}, {});
  valid("empty-unchecked", {.value_bits = 1, .check_bits = 0}, {});
  valid("one-key", {.value_bits = 32, .check_bits = 0}, {"x"});
  valid("varied", {.value_bits = 9, .check_bits = 3}, varied());
  valid("seeded", {.value_bits = 9, .check_bits = 3, .hasher = seeded()}, varied());
  valid("keyed", {.value_bits = 9, .check_bits = 3, .hasher = keyed(7)}, varied(), sip_key());
  for (const std::uint32_t value_bits : {1u, 8u, 32u}) {
    for (const std::uint32_t check_bits : {0u, 1u, 8u, 32u}) {
      valid(std::to_string(value_bits) + "-and-" + std::to_string(check_bits),
            {.value_bits = value_bits, .check_bits = check_bits}, numbered("key-", 30));
    }
  }
  valid("many", {.value_bits = 3, .check_bits = 2}, numbered("key-", 1'000));
  valid("bumped", {.value_bits = 4, .check_bits = 1}, numbered("key-", 10'000));
  // Slots that the other form of `hi` gives otherwise.
  const Strings keys = telling_of_level(4, Hasher(), 0, sizing::ribbon_last_slots(2'000, 0));
  const auto is_first = [](const BloomierMap& one) { return is_first_attempt(one, 72); };
  const auto build = [](const Strings& all) {
    return bloomier({.value_bits = 4, .check_bits = 4}, all);
  };
  golden.valid("hi", built_with(keys, 2'000, build, is_first), keys);
  const Strings crowd = crowded();
  golden.valid("crowded", bloomier({.value_bits = 3, .check_bits = 4}, crowd), crowd);

  // The record is at 64, that of the level at 72, and its data at 80.
  golden.damaged(bloomier({.value_bits = 4}, three),
                 {
                     {"hash", {u8(kHashAt, 3)}},
                     {"capacity", {u64(kCapacityAt, 4)}},
                     {"count", {u64(kCountAt, 4)}},
                     {"count-both", {counts(400)}},
                     {"count-0", {counts(0)}},
                     {"record-cut", {sized(68)}},
                     {"record-alone", {sized(72)}},
                     {"value-bits-0", {u32(64, 0), u32(68, 12)}},
                     {"value-bits-33", {u32(64, 33)}},
                     {"value-bits", {u32(64, 5)}},
                     {"check-bits-33", {u32(68, 33)}},
                     {"check-bits", {u32(68, 7)}},
                     {"level-slots", {u32(72, 1'000)}},
                     {"short", {grown(-1)}},
                     {"long", {grown(1)}},
                 });
  // These files have no other fault. A plane of bits follows those of bytes.
  const BloomierMap widest = bloomier({.value_bits = 32, .check_bits = 32}, three);
  const Bytes bytes = wire_bytes(widest);
  const auto plane = static_cast<std::ptrdiff_t>((detail::load_le32(bytes.data() + 72) + 7) / 8);
  golden.damaged(widest, {
                             {"33-value-bits", {u32(64, 33), u8(78, 65), grown(plane)}},
                             {"33-check-bits", {u32(68, 33), u8(78, 65), grown(plane)}},
                         });
  golden.keys_refused(bloomier({.value_bits = 4, .hasher = keyed()}, three));
}

}  // namespace tamis::vectors
