#include "vectors/vectors.hpp"

namespace tamis::vectors {
namespace {

InvertibleBloomTable iblt(const InvertibleBloomTable::Config& config, const Strings& added,
                          const Strings& removed = {}) {
  auto table = InvertibleBloomTable::create(config);
  if (!table.ok()) fail("cannot create an invertible Bloom lookup table");
  for (const auto& key : added) {
    if (table->insert(key_of(key)) != Status::kOk) fail("cannot insert");
  }
  for (const auto& key : removed) {
    if (table->erase(key_of(key)) != Status::kOk) fail("cannot erase");
  }
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
  const Strings three{"alice---", "bob-----", "carol---"},
      four{"dave----", "erin----", "frank---", "grace---"};
  // A table answers no question about a key: a file stands for its bytes.
  const auto valid = [&](const std::string& name, const InvertibleBloomTable& table,
                         std::optional<SipKey> key = {}) {
    writer.valid(
        "iblt-" + name, table, {}, {}, [](const std::string&) { return false; }, key);
  };
  const auto by = [](Hasher hasher) { return InvertibleBloomTable::Config{10, 8, hasher}; };

  const InvertibleBloomTable small = iblt({3, 8, Hasher()}, three);
  valid("three-keys", small);
  valid("empty", iblt({100, 16, Hasher()}, {}));
  valid("one-difference", iblt({1, 4, Hasher()}, {"once"}));
  valid("seeded", iblt(by(Hasher(HashId::kXxh3, 0x0123456789abcdef)), three, four));
  valid("keyed", iblt(by(Hasher(sip_key(0), 7)), three, four), sip_key(0));
  for (const std::uint32_t size : {4u, 5u, 7u, 31u, 64u}) {
    valid("keys-of-" + std::to_string(size), iblt({1, size, Hasher()}, of_length(size, 9)));
  }
  valid("removed", iblt(by(Hasher()), {}, three));
  valid("cancelled", iblt(by(Hasher()), three, three));
  valid("twice", iblt(by(Hasher()), {"alice---", "alice---", "bob-----"}, four));
  valid("over-full", iblt({1, 8, Hasher()}, of_length(8, 250)));
  Strings left = of_length(8, 120), right(left.begin() + 40, left.end());
  left.resize(90);
  const auto difference = iblt({70, 8, Hasher()}, left).subtract(iblt({70, 8, Hasher()}, right));
  if (!difference.ok()) fail("cannot subtract");
  valid("difference", *difference);

  // 32 cells: the counts stand at 72, the checks at 200, the keys at 456.
  const auto damaged = [&](const std::string& name, Status status,
                           const std::function<void(Bytes&)>& damage) {
    writer.damaged("iblt-bad-" + name, small, status, damage);
  };
  damaged("hash-none", Status::kCorrupt, [](Bytes& b) { b[11] = std::byte{0}; });
  damaged("hash-seeds", Status::kCorrupt, [](Bytes& b) { b[11] = std::byte{3}; });
  damaged("hash-unknown", Status::kUnsupportedVersion, [](Bytes& b) { b[11] = std::byte{8}; });
  damaged("key-id", Status::kCorrupt, [](Bytes& b) { set64(b, 24, 1); });
  damaged("capacity-0", Status::kCorrupt, [](Bytes& b) { set64(b, 32, 0); });
  damaged("capacity-less", Status::kCorrupt, [](Bytes& b) { set64(b, 32, 2); });
  damaged("capacity-more", Status::kCorrupt, [](Bytes& b) { set64(b, 32, 6); });
  damaged("capacity-most", Status::kCorrupt,
          [](Bytes& b) { set64(b, 32, (std::uint64_t{1} << 53) - 1); });
  damaged("capacity", Status::kTooLarge, [](Bytes& b) { set64(b, 32, std::uint64_t{1} << 53); });
  damaged("count", Status::kCorrupt, [](Bytes& b) { set64(b, 40, 3); });
  damaged("record-cut", Status::kCorrupt, [](Bytes& b) { b.resize(68), set64(b, 48, 4); });
  damaged("record-alone", Status::kCorrupt, [](Bytes& b) { b.resize(72), set64(b, 48, 8); });
  for (const std::uint32_t size : {0u, 3u, 7u, 9u, 65u, ~0u}) {
    damaged("keys-of-" + std::to_string(size), Status::kCorrupt,
            [size](Bytes& b) { set32(b, 64, size); });
  }
  damaged("record-zero", Status::kCorrupt, [](Bytes& b) { set32(b, 68, 1); });
  damaged("cell-count", Status::kCorrupt, [](Bytes& b) { b[72] ^= std::byte{1}; });
  damaged("cell-count-sign", Status::kCorrupt, [](Bytes& b) { b[72 + 127] ^= std::byte{0x80}; });
  damaged("cell-check", Status::kCorrupt, [](Bytes& b) { b[200] ^= std::byte{1}; });
  damaged("cell-check-top", Status::kCorrupt, [](Bytes& b) { b[200 + 255] ^= std::byte{0x80}; });
  damaged("cell-key", Status::kCorrupt, [](Bytes& b) { b[456] ^= std::byte{1}; });
  damaged("cell-key-top", Status::kCorrupt, [](Bytes& b) { b[456 + 255] ^= std::byte{0x80}; });
  damaged("cell-of-another", Status::kCorrupt,
          [](Bytes& b) { set32(b, 72, 1), set32(b, 72 + 4 * 31, 2); });
  damaged("short", Status::kCorrupt,
          [](Bytes& b) { b.resize(b.size() - 8), set64(b, 48, b.size() - 64); });
  damaged("long", Status::kCorrupt,
          [](Bytes& b) { b.resize(b.size() + 8), set64(b, 48, b.size() - 64); });
  writer.damaged("iblt-bad-padding", iblt({1, 5, Hasher()}, {}), Status::kCorrupt,
                 [](Bytes& b) { b.back() = std::byte{1}; });

  const InvertibleBloomTable keyed = iblt(by(Hasher(sip_key(0))), three);
  const auto as_is = [](Bytes&) {};
  writer.damaged("iblt-bad-no-key", keyed, Status::kKeyRequired, as_is);
  writer.damaged("iblt-bad-other-key", keyed, Status::kWrongKey, as_is, false, sip_key(1));
  writer.damaged("iblt-bad-needless-key", small, Status::kWrongKey, as_is, false, sip_key(0));
}

}  // namespace tamis::vectors
