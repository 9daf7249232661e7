#include "vectors/high_part.hpp"

namespace tamis::vectors {
namespace {

using Config = TombstoneBloomFilter::Config;

TombstoneBloomFilter tombstone(const Config& config, const Strings& keys,
                               const Strings& deleted = {}) {
  auto filter = filled<TombstoneBloomFilter>(config, keys);
  erase(filter, deleted);
  return filter;
}

// Keys that the other form of `hi` sends elsewhere in the first subfilter, and some in the second,
// which the other form makes a reader answer for.
void high_parts(const Golden<TombstoneBloomFilter>& golden, const std::string& name,
                const Config& config) {
  const auto record = detail::Subfilter::Record::design(config.capacity, config.fpr);
  MUST(record.ok());
  const Strings keys = telling_of(2, Hasher(), 0, *record),
                gone = telling_of(2, Hasher(), 1, *record);
  const auto filter = tombstone(config, joined(keys, gone), gone);
  golden.valid(name, filter, keys, joined(gone, numbered("stranger-", 20)), has_of(filter));
}

// The beginnings of the records of the two subfilters, and of the data of the first.
constexpr std::size_t kAdded = 64, kDeleted = 96, kData = 128;

}  // namespace

template <>
void vectors<TombstoneBloomFilter>(Writer& writer) {
  const Golden<TombstoneBloomFilter> golden(writer);
  const Strings twenty = numbered("stranger-", 20), ten = part(twenty, 0, 10),
                others = part(twenty, 10, 20);
  const auto small = tombstone({.capacity = 3}, {"alice", "bob", "carol", "dave"}, {"dave"});
  golden.valid("three-keys", small, kThree);
  golden.valid("empty", {.capacity = 100}, {});
  golden.by_hashers([](const Hasher& hasher) {
    Strings keys = varied();
    keys.push_back("gone");
    return tombstone({.capacity = kVaried, .hasher = hasher}, keys, {"gone"});
  });
  golden.valid("no-deletes", {.capacity = 3}, kThree);
  golden.valid("after-deletes", tombstone({.capacity = 20}, twenty, ten), others);
  golden.valid("all-deleted", tombstone({.capacity = 20}, twenty, twenty), {});
  golden.valid("one-deletion",
               tombstone({.capacity = 200, .deletions = 1}, numbered("key-", 200), {"key-7"}),
               numbered("key-", 7));
  golden.valid("many-deletions", tombstone({.capacity = 1, .deletions = 500}, kThree, {"bob"}),
               {"alice", "carol"});
  const auto low = tombstone({.capacity = 20, .fpr = 0x1p-20}, twenty, ten);
  golden.valid("classic", low, others);
  golden.valid("rate-least", tombstone({.capacity = 20, .fpr = 0x1p-24}, twenty, ten), others);
  golden.valid("over-capacity", tombstone({.capacity = 10}, numbered("key-", 100), {"key-99"}),
               numbered("key-", 20));
  high_parts(golden, "hi", {.capacity = 7'000});
  high_parts(golden, "hi-classic", {.capacity = 500, .fpr = 0x1p-20});
  // The ends of the fields of subfilters: 64 hashes, a count and a capacity of 2^53 - 1, one bit.
  constexpr std::uint64_t kMostKeys = (std::uint64_t{1} << 53) - 1;
  const auto limits = golden.changed(
      tombstone({.capacity = 1, .fpr = 0x1p-20}, {"x"}),
      {sized(kData + 16), u64(kCountAt, kMostKeys), u64(kAdded, 64), u64(kAdded + 16, kMostKeys),
       u32(kAdded + 24, 64), u64(kDeleted, 1), u64(kDeleted + 8, kMostKeys), u64(kDeleted + 16, 0),
       u32(kDeleted + 24, 1), u64(kData, ~std::uint64_t{0}), u64(kData + 8, 0)});
  golden.valid("limits", limits, {"x"});
  golden.damaged(limits,
                 {{"added-count-over",
                   {u64(kAdded + 16, kMostKeys + 1), u64(kDeleted + 16, 1), u64(kData + 8, 1)}}});
  TombstoneBloomFilter full = tombstone({.capacity = 3}, kThree);
  for (std::uint64_t i = 0; full.estimated_fpr() < 1; ++i) (void)full.insert(Hash{i});
  golden.valid("full", full, kThree);
  for (std::uint64_t i = 0; full.false_negative_rate() < 1; ++i) (void)full.erase(Hash{i});
  golden.valid("nothing-left", full, {});

  constexpr std::uint64_t kTooMany = std::uint64_t{1} << 53;
  golden.damaged(small, {
                            {"scheme", {u8(kHashAt, 3)}},
                            {"capacity", {u64(kCapacityAt, 4)}},
                            {"capacity-0", {u64(kCapacityAt, 0), u64(kAdded + 8, 0)}},
                            {"count", {u64(kCountAt, 4)}},
                            {"nothing", {sized(64)}},
                            {"record-cut", {sized(kDeleted)}},
                            {"data-cut", {grown(-8)}},
                            {"data-extended", {grown(8)}},
                            {"bits-0", {u64(kAdded, 0)}},
                            {"bits-more", {plus(kDeleted, 256)}},
                            {"bits-half-a-block", {plus(kAdded, 128)}},
                            {"bits-huge", {u64(kAdded, ~std::uint64_t{255})}},
                            {"deletions-0", {u64(kDeleted + 8, 0)}},
                            {"deletions", {u64(kDeleted + 8, kTooMany)}},
                            {"added-count", {u64(kAdded + 16, kTooMany)}},
                            {"added-count-0", {u64(kAdded + 16, 0), u64(kCountAt, 0)}},
                            {"deleted-count-0", {u64(kDeleted + 16, 0), u64(kCountAt, 4)}},
                        });
  golden.damaged(tombstone({.capacity = 3}, kThree),
                 {{"deleted-count-1", {u64(kDeleted + 16, 1), u64(kCountAt, 2)}}});
  golden.damaged(small, {
                            {"record-zero", {u32(kDeleted + 28, 1)}},
                            {"lane-empty", {u32(kData, 0)}},
                        });
  golden.damaged(low, {
                          {"hashes-65", {u32(kAdded + 24, 65)}},
                          {"hashes-0", {u32(kAdded + 24, 0)}},
                          {"padding", {last(0x80)}},
                      });
  golden.keys_refused(tombstone({.capacity = 3, .hasher = keyed()}, kThree));
}

}  // namespace tamis::vectors
