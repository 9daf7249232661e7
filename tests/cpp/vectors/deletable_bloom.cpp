#include "vectors/high_part.hpp"

namespace tamis::vectors {
namespace {

// Deletes all of the keys that can be deleted, and gives those that stay.
Strings erase_some(DeletableBloomFilter& filter, const Strings& keys) {
  Strings stay;
  for (const auto& key : keys) {
    const Result<bool> erased = filter.erase(key_of(key));
    MUST(erased.ok() ? *erased : erased.status() == Status::kNotDeletable);
    if (!erased.ok()) stay.push_back(key);
  }
  return stay;
}

}  // namespace

template <>
void vectors<DeletableBloomFilter>(Writer& writer) {
  const Golden<DeletableBloomFilter> golden(writer);
  const auto deletable = filled<DeletableBloomFilter>;
  const DeletableBloomFilter small = deletable({.capacity = 3}, kThree);
  const Strings twenty = numbered("key-", 20);
  golden.valid("three-keys", small, kThree);
  golden.valid("empty", {.capacity = 100}, {});
  golden.by_hashers({.capacity = kVaried});
  // One key in 2 bits, two regions.
  golden.valid("tiny", {.capacity = 1, .fpr = 0.5, .regions = 2}, {"x"});
  golden.valid("rate-2-48", {.capacity = 3, .fpr = 0x1p-48}, kThree);
  golden.valid("one-region", {.capacity = 3, .regions = 1}, kThree);
  golden.valid("region-a-bit", {.capacity = 20, .regions = 194}, twenty);
  // 194 bits in regions of 1 or 2.
  golden.valid("uneven-regions", {.capacity = 20, .regions = 131}, twenty);
  golden.valid("over-capacity", {.capacity = 10}, numbered("key-", 100));

  DeletableBloomFilter twice = deletable({.capacity = 3}, kThree);
  insert(twice, kThree);
  if (!erase_some(twice, kThree).empty()) golden.valid("added-twice", twice, kThree);

  // Positions that the other form of `hi` gives otherwise.
  const DeletableBloomFilter wide = deletable({.capacity = 1'000}, {});
  golden.valid("hi", {.capacity = 1'000}, telling_of_mcg(8, Hasher(), wide.bits(), wide.hashes()));

  const auto with_erased = [&](const std::string& name, const DeletableBloomFilter& filter,
                               const Strings& present, Strings others) {
    for (const auto& absent_key : numbered("stranger-", 64)) others.push_back(absent_key);
    golden.valid(name, filter, present, others, has_of(filter));
  };
  const Strings keys = numbered("key-", 100), first = part(keys, 0, 50);
  DeletableBloomFilter erased = deletable({.capacity = 100}, keys);
  Strings stay = erase_some(erased, first);
  MUST(!stay.empty() && stay.size() != 50);
  stay.insert(stay.end(), keys.begin() + 50, keys.end());
  with_erased("erased", erased, stay, first);
  // The locks, and bits in locked regions, of keys that are all gone: the count is 0.
  DeletableBloomFilter gone = deletable({.capacity = 20}, part(keys, 0, 10));
  MUST(erase_some(gone, part(keys, 0, 10)).empty() && gone.count() == 0);
  MUST(gone.estimated_fpr() != 0);
  with_erased("all-erased", gone, {}, part(keys, 0, 10));

  // The ends of the hashes, of 64 bits that are all set.
  for (const std::uint32_t hashes : {1u, 64u}) {
    golden.valid("hashes-" + std::to_string(hashes),
                 golden.changed(small, {u64(64, 64), u32(72, hashes), u64(88, ~std::uint64_t{0})}),
                 kThree);
  }
  golden.valid("one-bit",
               golden.changed(
                   small, {sized(104), u64(64, 1), u32(72, 1), u64(80, 1), u64(88, 1), u64(96, 0)}),
               kThree);
  golden.damaged(small, {{"regions-none", {u64(80, 0), sized(96)}}});

  // 31 bits, 4 regions of which some are locked: the bits at 88, the locks at 96.
  golden.damaged(small, {
                            {"hash-none", {u8(kHashAt, 0)}},
                            {"hash-seeds", {u8(kHashAt, 3)}},
                            {"hash-unknown", {u8(kHashAt, 8)}},  // known to bloom
                            {"hash-17", {u8(kHashAt, 17)}, Status::kUnsupportedVersion},
                            {"key-id", {u64(kKeyIdAt, 1)}},
                            {"capacity-0", {u64(kCapacityAt, 0)}},
                            {"record-cut", {sized(84)}},
                            {"bits-0", {u64(64, 0)}},
                            {"bits-few", {u64(64, 3)}},
                            {"bits-many", {u64(64, 65)}},
                            {"bits-limit", {u64(64, (std::uint64_t{1} << 32) + 1)}},
                            {"bits-huge", {u64(64, ~std::uint64_t{0})}},
                            {"hashes-0", {u32(72, 0)}},
                            {"hashes-65", {u32(72, 65)}},
                            {"record-zero", {u32(76, 1)}},
                            {"regions-0", {u64(80, 0)}},
                            {"regions-few", {u64(80, 1)}},
                            {"regions-over-bits", {u64(80, 32)}},
                            {"regions-huge", {u64(80, ~std::uint64_t{0})}},
                            {"padding", {set_bits(91, 0x80)}},
                            {"lock-padding", {set_bits(96, 0x10)}},
                            {"lock-padding-high", {set_bits(103, 0x80)}},
                            {"no-bits", {u64(88, 0)}},
                            {"locks-cut", {sized(96)}},
                            {"longer", {sized(112)}},
                            {"extended", {[](Bytes& b) { b.push_back({}); }}},
                            {"truncated", {[](Bytes& b) { b.pop_back(); }}, Status::kTruncated},
                        });
  golden.damaged(deletable({.capacity = 3}, {}), {{"lock-of-nothing", {u8(96, 8)}}});
  golden.keys_refused(deletable({.capacity = 3, .hasher = keyed()}, kThree));
  golden.key_refused(small);
}

}  // namespace tamis::vectors
