#include "vectors/high_part.hpp"

namespace tamis::vectors {
namespace {

// The beginning of a layer's record, and its fields.
constexpr std::size_t bits_of(std::size_t layer) { return 88 + 32 * layer; }
constexpr std::size_t count_of(std::size_t layer) { return bits_of(layer) + 16; }
constexpr std::size_t hashes_of(std::size_t layer) { return bits_of(layer) + 24; }

// The promised rate becomes one that allows a layer so many times the rate that it has.
Change allows(std::size_t layer, double times) {
  return [=](Bytes& b) {
    const auto bits = static_cast<double>(detail::load_le64(b.data() + bits_of(layer)));
    const auto keys = static_cast<double>(detail::load_le64(b.data() + bits_of(layer) + 8));
    const std::uint32_t hashes = detail::load_le32(b.data() + hashes_of(layer));
    const double rate = hashes == 0 ? sizing::blocked_bloom_fpr(bits / 256, keys)
                                    : sizing::bloom_fpr(bits, hashes, keys);
    const double t = static_cast<double>(detail::load_le64(b.data() + 80)) * 0x1p-64;
    const double share = layer == 0 ? 1 - t : (1 - t) * t;
    set64(b, 72, static_cast<std::uint64_t>(times * rate / share * 0x1p64));
  };
}

// Rates within one part in 10^9 for rounding, and rates beyond, by each formula of the rate.
void rates(const Golden<ScalableBloomFilter>& golden) {
  const Strings forty = numbered("key-", 40);
  const std::pair<const char*, ScalableBloomFilter::Config> designs[] = {
      {"blocked", {.capacity = 30, .fpr = 0x1p-6, .tightening = 0.5}},
      // 512 positions, the most that are summed, and one more.
      {"summed", {.capacity = 16, .fpr = 0x1p-14, .tightening = 0.8}},
      {"second-order", {.capacity = 27, .fpr = 0x1p-17, .growth = 1, .tightening = 0.8}},
  };
  for (const auto& [name, config] : designs) {
    const auto filter = filled<ScalableBloomFilter>(config, forty);
    MUST(filter.layers() == 2);
    const auto within = golden.changed(filter, {allows(1, 1 - 1e-10)});
    golden.valid(std::string("rate-") + name, within, forty);
    golden.damaged(within, {{std::string("rate-") + name, {allows(1, 1 - 1e-8)}}});
    golden.damaged(within, {{std::string("rate-near-") + name, {allows(1, 1 - 1.5e-9)}}});
  }
  // Too few blocks by less than one of them.
  const auto blocks = filled<ScalableBloomFilter>({.capacity = 4'300}, {});
  MUST(detail::load_le64(wire_bytes(blocks).data() + bits_of(0)) > 256 * 255);
  golden.damaged(blocks, {{"rate-of-many-blocks", {allows(0, 1 - 1e-3)}}});
}

// Keys that the other form of `hi` sends elsewhere, in the first layer and the second.
void high_parts(const Golden<ScalableBloomFilter>& golden, const std::string& name,
                const ScalableBloomFilter::Config& config) {
  const Bytes bytes = wire_bytes(filled<ScalableBloomFilter>(config, numbered("other-", 7'500)));
  const auto record = [&](std::size_t layer) {
    return detail::Subfilter::Record{.bits = detail::load_le64(bytes.data() + bits_of(layer)),
                                     .hashes = detail::load_le32(bytes.data() + hashes_of(layer))};
  };
  const Strings first = telling_of(2, Hasher(), 0, record(0)),
                second = telling_of(2, Hasher(), 1, record(1));
  auto filter = filled<ScalableBloomFilter>(config, first);
  for (int i = 0; filter.layers() < 2; ++i) insert(filter, {"other-" + std::to_string(i)});
  MUST(std::ranges::none_of(second, has_of(filter)));
  insert(filter, second);
  MUST(filter.layers() == 2);
  golden.valid(name, filter, joined(first, second));
}

}  // namespace

template <>
void vectors<ScalableBloomFilter>(Writer& writer) {
  const Golden<ScalableBloomFilter> golden(writer);
  const auto scalable = filled<ScalableBloomFilter>;
  const Strings twelve = numbered("key-", 12), sixty = numbered("key-", 60);

  // Layers of 2 and 4 keys: full, and with one key.
  const ScalableBloomFilter small = scalable({.capacity = 2}, kThree);
  MUST(small.layers() == 2);
  golden.valid("three-keys", small, kThree);
  golden.valid("empty", {.capacity = 100}, {});
  golden.by_hashers({.capacity = kVaried});
  golden.valid("layers", {.capacity = 4}, sixty);
  golden.valid("last-layer-full", {.capacity = 4}, twelve);
  golden.valid("growth-1", {.capacity = 4, .growth = 1}, sixty);
  golden.valid("growth-16", {.capacity = 4, .growth = 16}, sixty);
  golden.valid("tightening-least", {.capacity = 4, .tightening = 0.5}, sixty);
  golden.valid("tightening-most", {.capacity = 4, .tightening = 0.99}, sixty);
  // The first layer's rate is 2^-12, the second's 2^-13.
  const auto mixed = scalable({.capacity = 4, .fpr = 0x1p-11, .tightening = 0.5}, twelve);
  golden.valid("blocked-then-classic", mixed, twelve);
  golden.valid("classic", {.capacity = 4, .fpr = 0x1p-20}, twelve);
  golden.valid("rate-least", {.capacity = 4, .fpr = 0x1p-24, .tightening = 0.5}, twelve);
  golden.valid("rate-most", {.capacity = 4, .fpr = 0.999, .tightening = 0.5}, kThree);
  high_parts(golden, "hi", {.capacity = 7'000, .growth = 1});
  high_parts(golden, "hi-classic", {.capacity = 500, .fpr = 0x1p-20, .growth = 1});
  auto many = scalable({.capacity = 1, .fpr = 0.5, .growth = 1, .tightening = 0.9}, {});
  for (std::uint64_t i = 0; is_ok(many.insert(Hash{i}));) ++i;
  MUST(many.layers() == ScalableBloomFilter::kMaxLayers);
  golden.valid("64-layers", many, {});

  // 1,024 bits and 16 hashes for one key: the least rate that a filter can promise.
  const auto strict = golden.changed(scalable({.capacity = 1, .fpr = 0x1p-20}, {}),
                                     {sized(bits_of(1) + 128), u64(72, std::uint64_t{1} << 32),
                                      u64(bits_of(0), 1'024), u32(hashes_of(0), 16)});
  golden.valid("fpr-least", strict, {});
  // With one hash its rate is 2^-10. In doubles, that is exactly the rate of this word. Without
  // rounding it is at most that.
  golden.valid("rate-at-limit",
               golden.changed(strict, {u64(72, 36'028'796'982'935'172),
                                       u64(80, std::uint64_t{1} << 63), u32(hashes_of(0), 1)}),
               {});
  golden.damaged(strict, {{"fpr-below-2-32", {u64(72, (std::uint64_t{1} << 32) - 1)}}});

  const Change without_bits = [](Bytes& b) {
    const std::size_t bits = detail::load_le32(b.data() + bits_of(1));
    fill(b.size() - bits / 8, 0)(b);
  };
  golden.damaged(small, {
                            {"scheme", {u8(kHashAt, 3)}},
                            {"capacity", {u64(kCapacityAt, 3)}},
                            {"capacity-0", {u64(kCapacityAt, 0)}},
                            {"count", {u64(kCountAt, 2)}},
                            {"nothing", {sized(64)}},
                            {"record-cut", {sized(84)}},
                            {"layer-record-cut", {sized(hashes_of(1))}},
                            {"data-cut", {grown(-8)}},
                            {"data-extended", {grown(8)}},
                            {"growth-0", {u32(64, 0)}},
                            {"growth-1", {u32(64, 1)}},
                            {"growth-17", {u32(64, 17)}},
                            {"layers-0", {u32(68, 0), u64(kCountAt, 0), sized(88)}},
                            {"layers-less", {u32(68, 1)}},
                            {"layers-more", {u32(68, 3)}},
                            {"layers-65", {u32(68, 65)}},
                            {"layers-huge", {u32(68, ~std::uint32_t{0})}},
                            {"fpr-0", {u64(72, 0)}},
                            {"fpr", {u64(72, 0xffff)}},
                            {"fpr-54-bits", {set_bits(72, 1)}},
                            {"tightening-0", {u64(80, 0)}},
                            {"tightening", {u64(80, (std::uint64_t{1} << 63) - 1)}},
                            {"tightening-huge", {u64(80, ~std::uint64_t{0})}},
                            {"bits-0", {u64(bits_of(0), 0)}},
                            {"bits-more", {plus(bits_of(1), 256)}},
                            {"bits-half-a-block", {plus(bits_of(0), 128)}},
                            {"bits-huge", {u64(bits_of(0), ~std::uint64_t{255})}},
                            {"layer-capacity", {u64(bits_of(1) + 8, 5)}},
                            {"layer-not-full", {u64(count_of(0), 1), u64(kCountAt, 2)}},
                            {"layer-over-full", {u64(count_of(1), 5), u64(kCountAt, 7)}},
                            {"layer-count", {u64(count_of(1), std::uint64_t{1} << 53)}},
                            {"layer-empty", {u64(count_of(1), 0), u64(kCountAt, 2), without_bits}},
                            {"layer-bits-without-count", {u64(count_of(1), 0), u64(kCountAt, 2)}},
                            {"record-zero", {u32(hashes_of(0) + 4, 1)}},
                            {"lane-empty", {[](Bytes& b) { set32(b, b.size() - 4, 0); }}},
                        });
  golden.damaged(mixed, {
                            {"hashes-65", {u32(hashes_of(1), 65)}},
                            {"padding", {last_bit()}},
                        });
  golden.damaged(scalable({.capacity = 100}, {}),
                 {{"growth-0-of-one-layer", {u32(64, 0)}},
                  {"growth-17-of-one-layer", {u32(64, 17)}},
                  // The next number that has 53 bits.
                  {"tightening-below-half", {u64(80, (std::uint64_t{1} << 63) - 1'024)}}});
  golden.damaged(scalable({.capacity = 100, .tightening = 0.99}, {}),
                 {{"tightening-above-0-99", {plus(80, 2'048)}}});
  // A layer more, of 64 bits and 4 hashes, and nothing else wrong.
  const Change one_more = [](Bytes& b) {
    b.insert(b.begin() + bits_of(64), 32, {});
    for (const Change& change : {u64(bits_of(64), 64), u64(bits_of(64) + 8, 1),
                                 u64(count_of(64), 1), u32(hashes_of(64), 4)}) {
      change(b);
    }
    b.resize(b.size() + 8);
    u64(b.size() - 8, 0x1111)(b);
  };
  golden.damaged(many, {{"65-layers", {one_more, grown(0), u32(68, 65), u64(kCountAt, 65)}}});
  rates(golden);
  golden.keys_refused(scalable({.capacity = 2, .hasher = keyed()}, kThree));
}

}  // namespace tamis::vectors
