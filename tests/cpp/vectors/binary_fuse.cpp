#include "vectors/high_part.hpp"

namespace tamis::vectors {
namespace {

using Config = BinaryFuseFilter::Config;

// The first seed for which the build needs another one.
BinaryFuseFilter with_other_seed(std::uint32_t arity, const Strings& keys) {
  for (std::uint64_t seed = 1;; ++seed) {
    const Hasher hasher(HashId::kXxh3, seed);
    auto filter =
        filled<BinaryFuseFilter>({.fingerprint_bits = 6, .arity = arity, .hasher = hasher}, keys);
    if (filter.hasher().seed() != seed) return filter;
  }
}

}  // namespace

template <>
void vectors<BinaryFuseFilter>(Writer& writer) {
  const Golden<BinaryFuseFilter> golden(writer);
  const Config bytes{.fingerprint_bits = 8};
  golden.valid("three-keys", bytes, kThree);
  golden.valid("empty", bytes, {});
  golden.valid("empty-4", {.fingerprint_bits = 32, .arity = 4}, {});
  golden.valid("one-key", {.fingerprint_bits = 1, .arity = 3}, {"x"});
  golden.valid("one-key-4", {.fingerprint_bits = 1, .arity = 4}, {"x"});
  golden.valid("varied", Config(), varied());
  golden.valid("seeded", {.fingerprint_bits = 7, .arity = 4, .hasher = seeded()}, varied());
  golden.valid("keyed", {.fingerprint_bits = 7, .hasher = keyed(7)}, varied());
  for (const std::uint32_t bits : {1u, 7u, 8u, 13u, 16u, 25u, 31u, 32u}) {
    for (const std::uint32_t arity : {3u, 4u}) {
      golden.valid(std::to_string(bits) + "-bits-" + std::to_string(arity),
                   {.fingerprint_bits = bits, .arity = arity}, varied());
    }
  }
  const Strings many = numbered("key-", 1000);
  for (const std::uint32_t arity : {3u, 4u}) {
    golden.valid("thousand-" + std::to_string(arity), {.fingerprint_bits = 5, .arity = arity},
                 many);
    golden.valid("other-seed-" + std::to_string(arity), with_other_seed(arity, many), many);
  }
  // Slots that the other form of `hi` gives otherwise.
  for (const std::uint32_t arity : {3u, 4u}) {
    const sizing::FuseShape shape = sizing::fuse_shape(2'000, arity, 0);
    const Strings keys =
        telling_of_blocks(4, Hasher(), std::uint64_t{shape.segments} << shape.segment_log);
    const auto build = [&](const Strings& all) {
      return filled<BinaryFuseFilter>({.fingerprint_bits = 8, .arity = arity}, all);
    };
    const auto is_first = [](const BinaryFuseFilter& one) { return one.hasher().seed() == 0; };
    golden.valid("hi-" + std::to_string(arity), built_with(keys, 2'000, build, is_first), keys);
  }
  // No key is in, for any bits.
  golden.valid("empty-1-bit", {.fingerprint_bits = 1, .arity = 3}, {});
  // The least segments, and the longest.
  const auto one = filled<BinaryFuseFilter>({.fingerprint_bits = 1, .arity = 3}, {"x"});
  golden.valid("one-segment",
               golden.changed(one, {sized(72 + array_bytes(12, 1)), fill(72, 0), u32(64, 1),
                                    u8(68, 2), u8(72, 1 << 5)}),
               {});
  constexpr std::size_t kLongest = 3 << 18;
  const Change in_runs = [](Bytes& b) {
    for (std::size_t i = 72; i < b.size(); ++i) b[i] = static_cast<std::byte>(i >> 8);
  };
  const auto longest = golden.changed(one, {sized(72 + array_bytes(kLongest, 1)), counts(kLongest),
                                            in_runs, u32(64, 1), u8(68, 18)});
  golden.valid("segment-slots-18", longest, {});
  Strings repeated = kThree;
  repeated.resize(73, "bob");
  golden.valid("repeated", bytes, repeated);

  const Config seven{.fingerprint_bits = 7, .arity = 3};
  const auto small = filled<BinaryFuseFilter>(seven, numbered("key-", 20));
  golden.damaged(small, {
                            {"capacity", {u64(kCapacityAt, 21)}},
                            {"count", {u64(kCountAt, 19)}},
                            {"count-0", {counts(0)}},
                            {"count-below-slots", {counts(10)}},
                            {"count-above-slots", {counts(small.shape().slots(3) + 1)}},
                            {"hash", {u8(kHashAt, 3)}},
                            {"record-cut", {sized(68)}},
                            {"data-cut", {grown(-8)}},
                            {"data-long", {grown(8)}},
                            {"segments-0", {u32(64, 0)}},
                            {"segments", {u32(64, small.shape().segments + 9)}},
                            {"segments-huge", {u32(64, 0xffffffff)}},
                            {"segment-slots", {u8(68, small.shape().segment_log + 1)}},
                            {"segment-slots-19", {u8(68, 19)}},
                            {"segment-slots-255", {u8(68, 255)}},
                            {"arity-2", {u8(69, 2)}},
                            {"arity-5", {u8(69, 5)}},
                            {"fingerprint-bits-0", {u8(70, 0)}},
                            {"fingerprint-bits-33", {u8(70, 33)}},
                            {"fingerprint-bits", {u8(70, 9)}},
                            {"record-zero", {u8(71, 1)}},
                            {"padding", {last_bit()}},
                            // 2^32 slots of one bit would wrap around if sizes had 32 bits.
                            {"slots-2-to-32", {u32(64, 0x3ffe), u8(68, 18), u8(70, 1)}},
                        });
  // These files have no other fault.
  const std::size_t slots = static_cast<std::size_t>(small.shape().slots(3));
  golden.damaged(small,
                 {
                     {"0-bits", {u8(70, 0), sized(72)}},
                     {"33-bits", {u8(70, 33), sized(72 + array_bytes(slots, 33)), fill(72, 0)}},
                 });
  golden.damaged(longest, {{"2-to-19-slots", {u8(68, 19), grown(kLongest / 8)}}});
  // Two slots of a filter of one key: 4 and 1.
  const auto other = static_cast<std::size_t>(one.shape().slots(3));
  golden.damaged(
      one, {{"slots-in-use",
             {u8(70, 3), sized(72 + array_bytes(other, 3)), fill(72, 0), u8(72, 4 | 1 << 3)}}});
  golden.damaged(filled<BinaryFuseFilter>(seven, {}), {
                                                          {"empty-segments", {u32(64, 1)}},
                                                          {"empty-segment-slots", {u8(68, 1)}},
                                                          {"empty-count", {counts(1)}},
                                                          {"empty-arity", {u8(69, 0)}},
                                                          {"empty-data", {sized(80)}},
                                                      });
  golden.keys_refused(filled<BinaryFuseFilter>({.fingerprint_bits = 8, .hasher = keyed()}, kThree));
}

}  // namespace tamis::vectors
