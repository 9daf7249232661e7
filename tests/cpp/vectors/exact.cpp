#include "vectors/high_part.hpp"

namespace tamis::vectors {
namespace {

ExactFilter exact(const Strings& include, const Strings& exclude, const Hasher& hasher = Hasher()) {
  auto in = hashes_of(include, hasher), out = hashes_of(exclude, hasher);
  std::uint64_t conflicts = 0;
  auto filter = ExactFilter::build({.hasher = hasher}, in, out, conflicts);
  MUST(filter.ok());
  MUST(std::ranges::all_of(include, has_of(*filter)));
  MUST(std::ranges::none_of(exclude, has_of(*filter)));
  return std::move(*filter);
}

}  // namespace

template <>
void vectors<ExactFilter>(Writer& writer) {
  const Golden<ExactFilter> golden(writer);
  const auto valid = [&](const std::string& name, const Strings& include, const Strings& exclude,
                         const Hasher& hasher = Hasher(), std::optional<SipKey> key = {}) {
    const ExactFilter filter = exact(include, exclude, hasher);
    // The manifest need not name thousands.
    Strings others = part(exclude, 0, 40);
    for (const auto& absent_key : numbered("stranger-", 20)) others.push_back(absent_key);
    golden.valid(name, filter, part(include, 0, 40), others, has_of(filter), key);
  };
  const Strings many = numbered("out-", 300);
  valid("three-keys", kThree, many);
  valid("empty", {}, {});
  valid("nothing-included", {}, many);
  valid("nothing-excluded", kThree, {});
  valid("no-first-level", numbered("in-", 100), numbered("out-", 150));
  valid("one-key", {"x"}, many);
  valid("varied", varied(), many);
  valid("seeded", varied(), many, seeded());
  valid("keyed", varied(), many, keyed(7), sip_key());
  valid("many", numbered("in-", 500), numbered("out-", 6'000));
  valid("bumped", numbered("in-", 6'000), numbered("out-", 9'000));
  // The other form of `hi` gives other slots here: of the first level, and of a second level that
  // is the only one. A wrong bit is right every second time.
  const auto build = [](const Strings& out) {
    return [out](const Strings& all) { return exact(all, out); };
  };
  const Strings of_first = telling_of_level(8, Hasher(), 0, sizing::ribbon_last_slots(2'000, 0)),
                of_second = telling_of_level(16, Hasher(), 16, sizing::ribbon_last_slots(4'000, 0));
  const auto is_first = [](const ExactFilter& one) { return is_first_attempt(one, 88); };
  golden.valid("hi", built_with(of_first, 2'000, build(numbered("out-", 6'000)), is_first),
               of_first);
  golden.valid("hi-second", built_with(of_second, 2'000, build(numbered("out-", 2'000)), is_first),
               of_second);
  // Three check bits, and so many excluded keys pass that the second retrieval has three levels.
  const Strings crowd = crowded();
  golden.valid("crowded", exact(crowd, numbered("out-", 350'000)), crowd);

  // The most check bits, which need more excluded keys than a file here has: the first level is that of a ribbon.
  const auto insert_bytes = [](std::size_t at, const Bytes& bytes) -> Change {
    return [=](Bytes& b) {
      b.insert(b.begin() + static_cast<std::ptrdiff_t>(at), bytes.begin(), bytes.end());
    };
  };
  const Bytes ribbon = wire_bytes(filled<RibbonFilter>({.fingerprint_bits = 32}, kThree));
  const ExactFilter strict =
      golden.changed(exact(kThree, {}), {insert_bytes(88, Bytes(ribbon.begin() + 64, ribbon.end())),
                                         grown(0), u64(64, 300), u32(80, 32)});
  golden.valid("32-check-bits", strict, kThree);

  // 3 against 300 keys: r = 6. The record is at 64, that of the first level at 88, and its data at
  // 96.
  const ExactFilter small = exact(kThree, many);
  MUST(small.check_bits() == 6 && small.excluded() == 300);
  golden.valid("most-excluded", golden.changed(small, {u64(64, sizing::kMaxCount)}), kThree);
  // It has a plane of bits after those of bytes.
  const std::size_t slots = detail::load_le32(ribbon.data() + 64);
  golden.damaged(strict, {{"33-check-bits",
                           {insert_bytes(96 + 4 * slots, Bytes((slots + 7) / 8)), grown(0),
                            u32(80, 33), u8(94, 33)}}});
  golden.damaged(small, {
                            {"hash", {u8(kHashAt, 3)}},
                            {"capacity", {u64(kCapacityAt, 4)}},
                            {"count", {u64(kCountAt, 4)}},
                            {"count-of-first", {counts(40)}},
                            {"count-0", {counts(0)}},
                            {"record-cut", {sized(84)}},
                            {"record-alone", {sized(88)}},
                            {"excluded-none", {u64(64, 0)}},
                            {"excluded-most", {u64(64, std::uint64_t{1} << 53)}},
                            {"passing-more", {u64(72, 301)}},
                            {"passing-others", {u64(72, 150)}},
                            {"check-bits-0", {u32(80, 0)}},
                            {"check-bits-less", {u32(80, 5)}},
                            {"check-bits-33", {u32(80, 33)}},
                            {"record-zero", {u32(84, 1)}},
                            {"first-slots", {u32(88, 1000)}},
                            {"short", {grown(-1)}},
                            {"long", {grown(1)}},
                        });
  golden.damaged(exact(numbered("in-", 10), numbered("out-", 10)),
                 {{"no-first-level", {u64(64, 11)}}});
  // A first level of no keys, which a filter without included keys has no use for.
  const Change first_level_twice = [](Bytes& b) {
    const Bytes record(b.begin() + 88, b.begin() + 96);
    b.insert(b.begin() + 88, record.begin(), record.end());
  };
  golden.damaged(exact({}, many),
                 {
                     {"nothing-passing", {u64(72, 1)}},
                     {"nothing-checked", {first_level_twice, u32(80, 1), grown(0)}},
                 });
  golden.keys_refused(exact(kThree, many, keyed()));
}

}  // namespace tamis::vectors
