#include "vectors/vectors.hpp"

namespace tamis::vectors {
namespace {

ScalableBloomFilter scalable(const ScalableBloomFilter::Config& config, const Strings& keys) {
  auto filter = ScalableBloomFilter::create(config);
  if (!filter.ok()) fail("cannot create a scalable Bloom filter");
  for (const auto& key : keys) {
    if (!filter->insert(key_of(key)).ok()) fail("cannot insert");
  }
  return std::move(*filter);
}

// Where the record of a layer begins.
constexpr std::size_t layer_at(std::size_t layer) { return 88 + 32 * layer; }

}  // namespace

template <>
void vectors<ScalableBloomFilter>(Writer& writer) {
  const Strings three{"alice", "bob", "carol"}, strangers = numbered("stranger-", 64);
  const auto valid = [&](const std::string& name, const ScalableBloomFilter& filter,
                         const Strings& keys, std::optional<SipKey> key = {}) {
    const auto has = [&](const std::string& k) { return filter.may_contain(key_of(k)); };
    writer.valid("scalable-bloom-" + name, filter, keys, strangers, has, key);
  };
  const auto config = [](std::uint64_t capacity, Hasher hasher = Hasher()) {
    ScalableBloomFilter::Config made;
    made.capacity = capacity;
    made.hasher = hasher;
    return made;
  };
  const auto with = [&](Hasher hasher) {
    return scalable(config(varied().size(), hasher), varied());
  };
  const auto of = [&](std::uint32_t growth, double fpr, double tightening) {
    auto made = config(4);
    made.growth = growth;
    made.fpr = fpr;
    made.tightening = tightening;
    return made;
  };
  const Strings twelve = numbered("key-", 12), sixty = numbered("key-", 60);

  // Layers of 2 and 4 keys: full, and with one key.
  const ScalableBloomFilter small = scalable(config(2), three);
  if (small.layers() != 2) fail("not two layers");
  valid("three-keys", small, three);
  valid("empty", scalable(config(100), {}), {});
  valid("varied", with(Hasher()), varied());
  valid("seeded", with(Hasher(HashId::kXxh3, 0x0123456789abcdef)), varied());
  valid("keyed", with(Hasher(sip_key(0), 7)), varied(), sip_key(0));
  valid("layers", scalable(config(4), sixty), sixty);
  valid("last-layer-full", scalable(config(4), twelve), twelve);
  valid("growth-1", scalable(of(1, 0.01, 0.85), sixty), sixty);
  valid("growth-16", scalable(of(16, 0.01, 0.85), sixty), sixty);
  valid("tightening-least", scalable(of(2, 0.01, 0.5), sixty), sixty);
  valid("tightening-most", scalable(of(2, 0.01, 0.99), sixty), sixty);
  // The first layer's rate is 2^-12, the second's 2^-13.
  const ScalableBloomFilter mixed = scalable(of(2, 0x1p-11, 0.5), twelve);
  valid("blocked-then-classic", mixed, twelve);
  valid("classic", scalable(of(2, 0x1p-20, 0.85), twelve), twelve);
  valid("rate-least", scalable(of(2, 0x1p-24, 0.5), twelve), twelve);
  valid("rate-most", scalable(of(2, 0.999, 0.5), three), three);
  auto most = of(1, 0.5, 0.9);
  most.capacity = 1;
  ScalableBloomFilter many = scalable(most, {});
  for (std::uint64_t i = 0; many.insert(Hash{i}).ok();) ++i;
  if (many.layers() != ScalableBloomFilter::kMaxLayers) fail("not all layers");
  valid("64-layers", many, {});

  const auto damage = [&](const ScalableBloomFilter& filter, const std::string& name,
                          const std::function<void(Bytes&)>& change) {
    writer.damaged("scalable-bloom-bad-" + name, filter, Status::kCorrupt, change);
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
  damaged("capacity", [](Bytes& b) { set64(b, 32, 3); });
  damaged("capacity-0", [](Bytes& b) { set64(b, 32, 0); });
  damaged("count", [](Bytes& b) { set64(b, 40, 2); });
  damaged("nothing", [&](Bytes& b) { resized(b, 64); });
  damaged("record-cut", [&](Bytes& b) { resized(b, 84); });
  damaged("layer-record-cut", [&](Bytes& b) { resized(b, layer_at(1) + 24); });
  damaged("data-cut", [&](Bytes& b) { resized(b, b.size() - 8); });
  damaged("data-extended", [&](Bytes& b) { resized(b, b.size() + 8); });
  damaged("growth-0", [](Bytes& b) { set32(b, 64, 0); });
  damaged("growth-1", [](Bytes& b) { set32(b, 64, 1); });
  damaged("growth-17", [](Bytes& b) { set32(b, 64, 17); });
  damaged("layers-0", [&](Bytes& b) { set32(b, 68, 0), set64(b, 40, 0), resized(b, 88); });
  damaged("layers-less", [](Bytes& b) { set32(b, 68, 1); });
  damaged("layers-more", [](Bytes& b) { set32(b, 68, 3); });
  damaged("layers-65", [](Bytes& b) { set32(b, 68, 65); });
  damaged("layers-huge", [](Bytes& b) { set32(b, 68, ~std::uint32_t{0}); });
  damaged("fpr-0", [](Bytes& b) { set64(b, 72, 0); });
  damaged("fpr", [](Bytes& b) { set64(b, 72, 0xffff); });
  damaged("fpr-54-bits", [](Bytes& b) { b[72] |= std::byte{1}; });
  damaged("tightening-0", [](Bytes& b) { set64(b, 80, 0); });
  damaged("tightening", [](Bytes& b) { set64(b, 80, (std::uint64_t{1} << 63) - 1); });
  damaged("tightening-huge", [](Bytes& b) { set64(b, 80, ~std::uint64_t{0}); });
  damaged("bits-0", [](Bytes& b) { set64(b, layer_at(0), 0); });
  damaged("bits-more", [&](Bytes& b) { add(b, layer_at(1), 256); });
  damaged("bits-half-a-block", [&](Bytes& b) { add(b, layer_at(0), 128); });
  damaged("bits-huge", [](Bytes& b) { set64(b, layer_at(0), ~std::uint64_t{255}); });
  damaged("layer-capacity", [](Bytes& b) { set64(b, layer_at(1) + 8, 5); });
  damaged("layer-not-full", [](Bytes& b) { set64(b, layer_at(0) + 16, 1), set64(b, 40, 2); });
  damaged("layer-over-full", [](Bytes& b) { set64(b, layer_at(1) + 16, 5), set64(b, 40, 7); });
  damaged("layer-count", [](Bytes& b) { set64(b, layer_at(1) + 16, kTooMany); });
  damaged("layer-empty", [&](Bytes& b) {
    set64(b, layer_at(1) + 16, 0), set64(b, 40, 2);
    const std::size_t bits = detail::load_le32(b.data() + layer_at(1));
    std::fill(b.end() - static_cast<std::ptrdiff_t>(bits / 8), b.end(), std::byte{0});
  });
  damaged("layer-bits-without-count",
          [](Bytes& b) { set64(b, layer_at(1) + 16, 0), set64(b, 40, 2); });
  damaged("record-zero", [](Bytes& b) { set32(b, layer_at(0) + 28, 1); });
  damaged("lane-empty", [](Bytes& b) { set32(b, b.size() - 4, 0); });
  damage(mixed, "hashes-65", [](Bytes& b) { set32(b, layer_at(1) + 24, 65); });
  damage(mixed, "padding", [](Bytes& b) { b.back() |= std::byte{0x80}; });

  const ScalableBloomFilter keyed = scalable(config(2, Hasher(sip_key(0))), three);
  const auto as_is = [](Bytes&) {};
  writer.damaged("scalable-bloom-bad-no-key", keyed, Status::kKeyRequired, as_is);
  writer.damaged("scalable-bloom-bad-other-key", keyed, Status::kWrongKey, as_is, false,
                 sip_key(1));
}

}  // namespace tamis::vectors
