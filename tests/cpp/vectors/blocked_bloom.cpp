#include <tamis/hash/foreign_hash.hpp>
#include "vectors/high_part.hpp"

namespace tamis::vectors {

template <>
void vectors<BlockedBloomFilter>(Writer& writer) {
  const Golden<BlockedBloomFilter> golden(writer);
  const auto blocked = filled<BlockedBloomFilter>;
  const BlockedBloomFilter small = blocked({.capacity = 3}, kThree);
  golden.valid("three-keys", small, kThree);
  golden.valid("empty", {.capacity = 100}, {});
  golden.by_hashers({.capacity = kVaried});
  const Hasher parquet(HashId::kParquet);
  golden.valid("parquet", {.capacity = kVaried, .hasher = parquet}, varied());
  golden.valid("parquet-empty", {.capacity = 100, .hasher = parquet}, {});
  golden.valid("parquet-1000-keys", {.capacity = 1000, .hasher = parquet}, numbered("key-", 1000));
  golden.valid("one-key", {.capacity = 1}, {"x"});
  golden.valid("1000-keys", {.capacity = 1000}, numbered("key-", 1000));
  golden.valid("rate-half", {.capacity = 200, .fpr = 0.5}, numbered("key-", 200));
  golden.valid("rate-least", {.capacity = 10, .fpr = BlockedBloomFilter::kMinFpr},
               numbered("key-", 10));
  golden.valid("over-capacity", {.capacity = 10}, numbered("key-", 100));
  BlockedBloomFilter both = blocked({.capacity = 100}, numbered("left-", 20));
  MUST(both.merge(blocked({.capacity = 100}, numbered("right-", 20))) == Status::kOk);
  golden.valid("merged", both, numbered("right-", 20));
  BlockedBloomFilter full = blocked({.capacity = 3}, kThree);
  for (std::uint64_t i = 0; full.estimated_fpr() < 1; ++i) full.insert(Hash{i});
  golden.valid("full", full, kThree);

  // A block of each key that the other form of `hi` gives otherwise.
  const auto of_blocks = [&](const std::string& name, const Hasher& hasher, const Strings& keys) {
    auto filter = Access::of_blocks<BlockedBloomFilter>(1'001, 25'000, hasher);
    MUST(filter.ok());
    insert(*filter, keys);
    golden.valid(name, *filter, keys);
  };
  of_blocks("hi", Hasher(), telling_of_blocks(3, Hasher(), 1'001));
  Strings keys;
  for (int i = 0; keys.size() < 3; ++i) {
    const std::string key = "key-" + std::to_string(i);
    if (differs(detail::xxh64(key_of(key), 0), 1'001)) keys.push_back(key);
  }
  of_blocks("hi-parquet", parquet, keys);

  golden.damaged(small, {
                            {"scheme", {u8(kHashAt, 3)}},
                            {"guava-32", {u8(kHashAt, 8)}},
                            {"hash-17", {u8(kHashAt, 17)}, Status::kUnsupportedVersion},
                            {"parquet-seed", {u8(kHashAt, 16), u64(kSeedAt, 1)}},
                            {"capacity-0", {u64(kCapacityAt, 0)}},
                            {"count-0", {u64(kCountAt, 0)}},
                        });
  golden.damaged(blocked({.capacity = 3}, {}), {{"count-1", {u64(kCountAt, 1)}}});
  golden.damaged(small, {
                            {"nothing", {sized(64)}},
                            {"record-cut", {sized(68)}},
                            {"data-cut", {grown(-8)}},
                            {"data-extended", {grown(8)}},
                            {"blocks-0", {u64(64, 0), u64(kCountAt, 0), sized(72)}},
                        });
  golden.damaged(blocked({.capacity = 100}, numbered("key-", 100)),
                 {{"blocks-less", {u64(64, 1)}}});
  golden.damaged(small, {
                            {"blocks-more", {plus(64, 1)}},
                            {"blocks-2-to-59", {u64(64, (std::uint64_t{1} << 59) + 1)}},
                            {"blocks-huge", {u64(64, ~std::uint64_t{0})}},
                            {"lane-empty", {u32(72, 0)}},
                        });
  golden.damaged(blocked({.capacity = 1}, {"x"}), {{"lane-alone", {fill(76, 0)}}});
  golden.keys_refused(blocked({.capacity = 3, .hasher = keyed()}, kThree));
}

}  // namespace tamis::vectors
