#include "vectors/high_part.hpp"

namespace tamis::vectors {
namespace {

// The bucket of a key in each sub-table.
std::array<std::uint64_t, 4> buckets_of(std::uint64_t g, std::uint32_t buckets,
                                        std::uint32_t bits) {
  const std::uint64_t remainder = g & ((std::uint64_t{1} << bits) - 1);
  const auto shifts = d_left_shifts(static_cast<std::uint32_t>(remainder), buckets);
  std::array<std::uint64_t, 4> found;
  for (std::size_t i = 0; i < 4; ++i) found[i] = (reduce(g, buckets) + shifts[i]) % buckets;
  return found;
}

// A key in each sub-table but the last. The other form of `hi` gives another bucket there, either
// the first, or by its move in the sub-table. A key goes to the bucket with the fewest used cells.
// M << 42 has a low half of 0, and both forms agree for that.
void high_parts(const Golden<DLeftCountingFilter>& golden) {
  const Hasher hasher;
  DLeftCountingFilter filter = filled<DLeftCountingFilter>({.capacity = 2'400, .fpr = 0x1p-25}, {});
  const std::uint32_t buckets = filter.buckets(), bits = filter.remainder_bits();
  MUST(buckets == 100 && bits == 30);
  Strings keys;
  int others = 0;
  for (std::uint32_t table = 0; table < 3; ++table) {
    const Strings found = telling(1, hasher, [&](std::uint64_t h) {
      const std::uint64_t g = hasher.mix(Hash{h});
      if (table == 0) return differs(g, buckets);
      return differs(splitmix64(g & ((1u << bits) - 1)) << 21 * (table - 1), buckets);
    });
    const auto own = buckets_of(hasher.mix(hasher(key_of(found[0]))), buckets, bits);
    // Keys in its buckets of the sub-tables before, and none in its own.
    for (std::uint32_t before = 0; before < table;) {
      const std::string key = "other-" + std::to_string(others++);
      const auto places = buckets_of(hasher.mix(hasher(key_of(key))), buckets, bits);
      if (places[before] != own[before] || places[table] == own[table]) continue;
      insert(filter, {key});
      const Bytes bytes = wire_bytes(filter);
      const auto is_used = [&](std::uint32_t in) {
        const std::uint64_t first = (in * buckets + own[in]) * 8;
        return std::any_of(bytes.begin() + static_cast<std::ptrdiff_t>(80 + 4 * first),
                           bytes.begin() + static_cast<std::ptrdiff_t>(80 + 4 * (first + 8)),
                           [](std::byte b) { return b != std::byte{0}; });
      };
      MUST(!is_used(table));
      while (before < table && is_used(before)) ++before;
    }
    insert(filter, found);
    keys.push_back(found[0]);
  }
  golden.valid("hi", filter, keys);
}

}  // namespace

template <>
void vectors<DLeftCountingFilter>(Writer& writer) {
  const Golden<DLeftCountingFilter> golden(writer);
  const auto d_left = filled<DLeftCountingFilter>;
  const DLeftCountingFilter small = d_left({.capacity = 3}, kThree);
  golden.valid("three-keys", small, kThree);
  golden.valid("empty", {.capacity = 100}, {});
  golden.by_hashers({.capacity = kVaried});
  golden.valid("many", {.capacity = 500, .fpr = 0.001}, numbered("key-", 500));
  // The ends of the range, and widths at which fewer cells fit into 64 bits.
  const std::pair<const char*, double> widths[] = {{"5-bits", 0.9},      {"14-bits", 0x1p-10},
                                                   {"15-bits", 0x1p-11}, {"28-bits", 0x1p-24},
                                                   {"29-bits", 0x1p-25}, {"30-bits", 0x1p-26}};
  for (const auto& [name, fpr] : widths) {
    golden.valid(name, {.capacity = kVaried, .fpr = fpr}, varied());
  }

  high_parts(golden);

  const Strings all = numbered("key-", 100);
  DLeftCountingFilter full = d_left({.capacity = 24, .fpr = 0.001}, {});
  Strings in_full;
  for (const auto& key : all) {
    if (is_ok(full.insert(key_of(key)))) in_full.push_back(key);
  }
  MUST(full.count() == 32);
  golden.valid("full", full, in_full);
  DLeftCountingFilter some = d_left({.capacity = 100, .fpr = 0.001}, all);
  erase(some, part(all, 0, 50));
  golden.valid("after-deletes", some, part(all, 50, 100));
  DLeftCountingFilter none = d_left({.capacity = 3}, kThree);
  erase(none, kThree);
  golden.valid("all-deleted", none, {});
  DLeftCountingFilter copies = d_left({.capacity = 3}, kThree);
  insert(copies, {"bob", "carol", "carol", "carol"});
  golden.valid("copies", copies, kThree);
  erase(copies, {"alice", "bob", "carol", "carol", "carol", "carol", "carol", "carol"});
  golden.valid("stuck", copies, {"bob", "carol"});

  golden.valid("capacity-1", {.capacity = 1}, {"x"});
  MUST(small.buckets() == 1);
  golden.valid("capacity-most", golden.changed(small, {u64(kCapacityAt, 32)}), kThree);

  const Change remainder_twice = [](Bytes& b) {
    const std::uint32_t cell = detail::load_le32(b.data() + 80) & 0x7ff;
    set32(b, 80, cell | cell << 11);
  };
  golden.damaged(small, {
                            {"hash-none", {u8(kHashAt, 0)}},
                            {"hash-seeds", {u8(kHashAt, 3)}},
                            {"capacity-0", {u64(kCapacityAt, 0)}},
                            {"capacity", {u64(kCapacityAt, 33)}},
                            {"count-0", {u64(kCountAt, 0)}},
                            {"count-low", {u64(kCountAt, 2)}},
                            {"count-high", {u64(kCountAt, 4)}},
                            {"record-cut", {sized(76)}},
                            {"no-data", {sized(80)}},
                            {"data-cut", {grown(-8)}},
                            {"data-extended", {grown(8)}},
                            {"buckets-0", {u64(64, 0)}},
                            {"buckets", {u64(64, 2)}},
                            {"buckets-high-half", {u32(68, 1)}},
                            {"buckets-huge", {u64(64, ~std::uint64_t{0})}},
                            {"remainder-bits-4", {u32(72, 4)}},
                            {"remainder-bits", {u32(72, 11)}},
                            {"remainder-bits-31", {u32(72, 31)}},
                            {"record-zero", {u32(76, 1)}},
                            // Cells of 11 bits, of which the first is in use and the second free.
                            {"free-cell", {set_bits(81, 1 << 3)}},
                            {"remainder-twice", {remainder_twice, u64(kCountAt, 4)}},
                            {"padding", {set_bits(80 + 44, 1)}},
                        });
  // These files have no other fault.
  golden.damaged(d_left({.capacity = 3}, {}),
                 {
                     {"4-bits", {u32(72, 4), sized(80 + array_bytes(32, 6))}},
                     {"31-bits", {u32(72, 31), sized(80 + array_bytes(32, 33))}},
                 });
  golden.keys_refused(d_left({.capacity = 3, .hasher = keyed()}, kThree));
  golden.key_refused(small);
}

}  // namespace tamis::vectors
