#include "vectors/high_part.hpp"

namespace tamis::vectors {
namespace {

// A retrieval of such levels, of one bit a slot. All slots are 0, and every key goes on to the last level.
Change levels_of(const std::vector<std::uint32_t>& slots) {
  return [=](Bytes& b) {
    const std::size_t levels = slots.size();
    std::size_t bytes = 8 * levels;
    for (std::size_t i = 0; i < levels; ++i) {
      const std::size_t buckets = i + 1 == levels ? 0 : (slots[i] - 63 + 127) / 128;
      bytes += (buckets + 3) / 4 + (slots[i] + 7) / 8;
    }
    sized(kHeaderBytes + bytes)(b);
    fill(kHeaderBytes, 0)(b);
    for (std::size_t i = 0; i < levels; ++i) {
      const auto follow = static_cast<std::uint32_t>(levels - 1 - i);
      u32(kHeaderBytes + 8 * i, slots[i])(b);
      u32(kHeaderBytes + 8 * i + 4, 1 << 16 | follow << 24)(b);
    }
  };
}

}  // namespace

template <>
void vectors<RibbonFilter>(Writer& writer) {
  const Golden<RibbonFilter> golden(writer);
  const auto ribbon = [](const Strings& keys, std::uint32_t bits) {
    return filled<RibbonFilter>({.fingerprint_bits = bits}, keys);
  };
  golden.valid("three-keys", RibbonFilter::Config(), kThree);
  golden.valid("empty", RibbonFilter::Config(), {});
  golden.valid("one-key", {.fingerprint_bits = 1}, {"x"});
  golden.by_hashers(RibbonFilter::Config());
  for (const std::uint32_t bits : {1u, 8u, 9u, 16u, 23u, 32u}) {
    golden.valid(std::to_string(bits) + "-bits", {.fingerprint_bits = bits}, varied());
  }
  // Other keys with the first byte of a key, so that only the ninth bit differs.
  const RibbonFilter eight_bits = ribbon(varied(), 8), nine_bits = ribbon(varied(), 9);
  const Has has_byte = has_of(eight_bits), has_nine_bits = has_of(nine_bits);
  Strings near;
  for (const auto& key : numbered("stranger-", 4096)) {
    if (has_byte(key)) near.push_back(key);
  }
  MUST(!std::all_of(near.begin(), near.end(), has_nine_bits));
  golden.valid("ninth-bit", nine_bits, varied(), near, has_nine_bits);
  // The last list whose slots all begin a row, the first of two starts, one and two whole blocks of
  // bit planes.
  for (const int count : {63, 64, 65, 128}) {
    golden.valid(std::to_string(count) + "-keys", {.fingerprint_bits = 5}, numbered("key-", count));
  }
  // The longest list with one level, and some with two.
  const Strings many = numbered("key-", 4500), some = part(many, 4000, 4095);
  golden.valid("one-level", ribbon(part(many, 0, 4095), 3), some);
  golden.valid("two-levels", ribbon(part(many, 0, 4096), 3), some);
  golden.valid("two-levels-12-bits", ribbon(many, 12), some);
  golden.valid("crowded", {.fingerprint_bits = 11}, crowded());
  // 4,096 starts and one more: the last byte of thresholds is full, and then there is another.
  golden.valid("4096-starts", ribbon(part(many, 0, 4436), 1), some);
  golden.valid("4097-starts", ribbon(part(many, 0, 4437), 1), some);

  // Slots that the other form of `hi` gives otherwise.
  const Strings keys = telling_of_level(4, Hasher(), 0, sizing::ribbon_last_slots(2'000, 0));
  const auto is_first = [](const RibbonFilter& one) { return is_first_attempt(one, 64); };
  const auto build = [&](const Strings& all) { return ribbon(all, 8); };
  golden.valid("hi", built_with(keys, 2'000, build, is_first), keys);

  // The limits of levels.
  const RibbonFilter one_bit = ribbon(kThree, 1);
  const auto limit = [&](const std::string& name, std::uint64_t count,
                         const std::vector<std::uint32_t>& slots) {
    golden.valid(name, golden.changed(one_bit, {counts(count), levels_of(slots)}), {});
  };
  limit("slots-most", 1, {66});
  limit("64-slots-and-more", 68, {64, 10});
  limit("second-slots-most", 70, {66, 65});
  limit("8-levels", 400, {375, 70, 69, 68, 67, 66, 65, 1});
  golden.damaged(one_bit,
                 {
                     {"slots-over", {counts(1), levels_of({67})}},
                     {"63-slots-and-more", {counts(67), levels_of({63, 10})}},
                     {"second-slots-equal", {counts(70), levels_of({66, 66})}},
                     {"9-levels", {counts(500), levels_of({469, 71, 70, 69, 68, 67, 66, 65, 1})}},
                 });

  const RibbonFilter small = ribbon(numbered("key-", 70), 7), levels = ribbon(many, 2);
  golden.damaged(small, {
                            {"capacity", {u64(kCapacityAt, 69)}},
                            {"count", {counts(71)}},
                            {"count-0", {counts(0)}},
                            {"count-low", {counts(2)}},
                            {"hash", {u8(kHashAt, 3)}},
                            {"record-cut", {sized(68)}},
                        });
  golden.damaged(levels, {{"second-record-cut", {sized(72)}}});
  golden.damaged(small, {
                            {"no-record", {sized(64)}},
                            {"data-cut", {grown(-1)}},
                            {"data-long", {grown(1)}},
                            {"slots-0", {u32(64, 0)}},
                            {"slots-few", {u32(64, 69)}},
                            {"slots-huge", {u32(64, 0xffffffff)}},
                            {"width-0", {u8(70, 0)}},
                            {"width-33", {u8(70, 33)}},
                            {"width", {u8(70, 8)}},
                            {"levels", {u8(71, 1)}},
                            {"levels-9", {u8(71, 8)}},
                            {"padding", {last_bit()}},
                        });
  golden.damaged(levels, {
                             {"levels-few", {u8(71, 0)}},
                             {"bumping-slots", {u32(64, 4218)}},
                             {"levels-order", {u8(79, 1)}},
                             {"second-width", {u8(78, 3)}},
                             {"second-slots-0", {u32(72, 0)}},
                             {"second-slots", {u32(72, 4219)}},
                             {"thresholds", {set_bits(88, 0x80)}},
                         });
  // These files have no other fault. One of 33 bits is in a plane of bits, after those of bytes.
  golden.damaged(small, {{"0-bits", {u8(70, 0), sized(72)}}});
  const RibbonFilter widest = ribbon(kThree, 32);
  const Bytes bytes = wire_bytes(widest);
  const auto plane = static_cast<std::ptrdiff_t>((detail::load_le32(bytes.data() + 64) + 7) / 8);
  golden.damaged(widest, {{"33-bits", {u8(70, 33), grown(plane)}}});
  golden.damaged(ribbon({}, 0), {
                                    {"empty-slots", {u32(64, 1)}},
                                    {"empty-attempt", {u8(68, 1)}},
                                    {"empty-count", {counts(1)}},
                                });
  golden.keys_refused(filled<RibbonFilter>({.hasher = keyed()}, kThree));
}

}  // namespace tamis::vectors
