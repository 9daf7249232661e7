#include "vectors/high_part.hpp"

namespace tamis::vectors {
namespace {

InvertibleBloomTable iblt(const InvertibleBloomTable::Config& config, const Strings& added,
                          const Strings& removed = {}) {
  auto table = InvertibleBloomTable::create(config);
  MUST(table.ok());
  for (const auto& key : added) MUST(table->insert(key_of(key)) == Status::kOk);
  for (const auto& key : removed) MUST(table->erase(key_of(key)) == Status::kOk);
  return std::move(*table);
}

// Keys of one length: zeros, all ones, and bytes of every value.
Strings of_length(std::size_t size, std::size_t count) {
  Strings keys{std::string(size, '\0'), std::string(size, '\xff')};
  for (std::size_t n = 2; n < count; ++n) {
    std::string key;
    for (std::size_t i = 0; i < size; ++i) key += static_cast<char>(i * 151 + n * 29);
    keys.push_back(key);
  }
  return keys;
}

}  // namespace

template <>
void vectors<InvertibleBloomTable>(Writer& writer) {
  const Golden<InvertibleBloomTable> golden(writer);
  const Strings three{"alice---", "bob-----", "carol---"},
      four{"dave----", "erin----", "frank---", "grace---"};
  // A table answers no question about a key, so a file is compared by its bytes.
  const auto valid = [&](const std::string& name, const InvertibleBloomTable& table,
                         std::optional<SipKey> key = {}) {
    golden.valid(name, table, {}, {}, [](const std::string&) { return false; }, key);
  };
  const auto by = [](Hasher hasher) { return InvertibleBloomTable::Config{10, 8, hasher}; };

  const InvertibleBloomTable small = iblt({3, 8, Hasher()}, three);
  valid("three-keys", small);
  valid("empty", iblt({100, 16, Hasher()}, {}));
  valid("one-difference", iblt({1, 4, Hasher()}, {"once"}));
  valid("seeded", iblt(by(seeded()), three, four));
  valid("keyed", iblt(by(keyed(7)), three, four), sip_key());
  for (const std::uint32_t size : {4u, 5u, 7u, 31u, 64u}) {
    valid("keys-of-" + std::to_string(size), iblt({1, size, Hasher()}, of_length(size, 9)));
  }
  valid("removed", iblt(by(Hasher()), {}, three));
  valid("cancelled", iblt(by(Hasher()), three, three));
  valid("twice", iblt(by(Hasher()), {"alice---", "alice---", "bob-----"}, four));
  valid("over-full", iblt({1, 8, Hasher()}, of_length(8, 250)));
  const Strings keys = of_length(8, 120);
  const auto left = iblt({70, 8, Hasher()}, part(keys, 0, 90));
  const auto difference = left.subtract(iblt({70, 8, Hasher()}, part(keys, 40, 120)));
  MUST(difference.ok());
  valid("difference", *difference);

  // A key that the other form of `hi` sends elsewhere, in each of the four partitions.
  const InvertibleBloomTable::Config wide{400, 10, Hasher()};
  Strings telling_keys;
  for (std::uint64_t i = 0, found = 0; found < 4; ++i) {
    std::string key(10, '0');
    for (std::uint64_t at = 10, rest = i; rest > 0; rest /= 10) {
      key[--at] = static_cast<char>('0' + rest % 10);
    }
    const std::uint64_t g = fmix64(static_cast<std::uint64_t>(Hasher()(key_of(key))));
    if (differs(splitmix64(g + found), 146)) telling_keys.push_back(key), ++found;
  }
  MUST(sizing::iblt_cells(400) == 4 * 146);
  const auto all_listed = iblt(wide, telling_keys);
  golden.valid("hi", all_listed, telling_keys, numbered("stranger-", 2),
               [&](const std::string& key) {
                 const auto list = all_listed.decode();
                 MUST(list.ok() && list->complete);
                 const Key added = list->added.span();
                 for (std::size_t i = 0; i < added.size(); i += 10) {
                   if (std::ranges::equal(added.subspan(i, 10), key_of(key))) return true;
                 }
                 return false;
               });

  // 32 cells: the counts are at 72, the checks at 200, and the keys at 456.
  constexpr std::uint64_t kTooMany = std::uint64_t{1} << 53;
  std::vector<Damage> rows{
      {"hash-none", {u8(kHashAt, 0)}},
      {"hash-seeds", {u8(kHashAt, 3)}},
      {"hash-unknown", {u8(kHashAt, 8)}},  // known to bloom
      {"hash-17", {u8(kHashAt, 17)}, Status::kUnsupportedVersion},
      {"key-id", {u64(kKeyIdAt, 1)}},
      {"capacity-0", {u64(kCapacityAt, 0)}},
      {"capacity-less", {u64(kCapacityAt, 2)}},
      {"capacity-more", {u64(kCapacityAt, 6)}},
      {"capacity-most", {u64(kCapacityAt, kTooMany - 1)}},
      {"capacity", {u64(kCapacityAt, kTooMany)}, Status::kTooLarge},
      {"count", {u64(kCountAt, 3)}},
      {"record-cut", {sized(68)}},
      {"record-alone", {sized(72)}},
  };
  for (const std::uint32_t size : {0u, 3u, 7u, 9u, 65u, ~0u}) {
    rows.push_back({"keys-of-" + std::to_string(size), {u32(64, size)}});
  }
  golden.damaged(small, rows);
  golden.damaged(small, {
                            {"record-zero", {u32(68, 1)}},
                            {"cell-count", {flip(72, 1)}},
                            {"cell-count-sign", {flip(72 + 127, 0x80)}},
                            {"cell-check", {flip(200, 1)}},
                            {"cell-check-top", {flip(200 + 255, 0x80)}},
                            {"cell-key", {flip(456, 1)}},
                            {"cell-key-top", {flip(456 + 255, 0x80)}},
                            {"cell-of-another", {u32(72, 1), u32(72 + 4 * 31, 2)}},
                            {"short", {grown(-8)}},
                            {"long", {grown(8)}},
                        });
  golden.damaged(iblt({1, 5, Hasher()}, {}), {{"padding", {last(1)}}});
  // These files have no other fault: 24 cells, and 28 with 4 bytes behind them.
  golden.damaged(iblt({1, 4, Hasher()}, {}),
                 {
                     {"capacity-0-cells", {u64(kCapacityAt, 0), sized(72 + 24 * (12 + 4))}},
                     {"3-bytes", {u32(64, 3), sized(72 + 28 * (12 + 3) + 4)}},
                     {"65-bytes", {u32(64, 65), sized(72 + 28 * (12 + 65) + 4)}},
                 });
  golden.keys_refused(iblt(by(keyed()), three));
  golden.key_refused(small);
}

}  // namespace tamis::vectors
