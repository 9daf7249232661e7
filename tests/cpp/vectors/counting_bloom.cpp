#include "vectors/high_part.hpp"

namespace tamis::vectors {

template <>
void vectors<CountingBloomFilter>(Writer& writer) {
  const Golden<CountingBloomFilter> golden(writer);
  const auto counting = filled<CountingBloomFilter>;
  const CountingBloomFilter small = counting({.capacity = 3}, kThree);
  golden.valid("three-keys", small, kThree);
  golden.valid("empty", {.capacity = 100}, {});
  golden.by_hashers({.capacity = kVaried});
  for (const std::uint32_t bits : {2u, 3u, 7u, 13u, 16u}) {
    golden.valid(std::to_string(bits) + "-bit", {.capacity = 3, .counter_bits = bits}, kThree);
  }
  // One key has 36 positions in 78 counters, and some are the same.
  golden.valid("rate-least", {.capacity = 1, .fpr = sizing::kMinFpr}, {"x"});
  golden.valid("rate-most", {.capacity = 1, .fpr = 0.999}, {"x"});
  golden.valid("over-capacity", {.capacity = 10}, numbered("key-", 100));
  const Strings twenty = numbered("stranger-", 20);
  CountingBloomFilter fewer = counting({.capacity = 20}, twenty);
  erase(fewer, part(twenty, 0, 10));
  golden.valid("after-deletes", fewer, part(twenty, 10, 20));
  CountingBloomFilter stuck =
      counting({.capacity = 3, .counter_bits = 2}, {"alice", "alice", "alice", "alice", "bob"});
  erase(stuck, Strings(5, "alice"));
  golden.valid("stuck", stuck, {"alice"});
  CountingBloomFilter both = counting({.capacity = 20}, numbered("left-", 10));
  MUST(both.merge(counting({.capacity = 20}, numbered("right-", 10))) == Status::kOk);
  golden.valid("merged", both, numbered("right-", 10));
  // The most hashes, which no rate needs: 32 counters of 2 bits, all in use.
  golden.valid(
      "64-hashes",
      golden.changed(stuck, {sized(88), u64(64, 32), u32(72, 64), u64(80, ~std::uint64_t{0})}),
      kThree);
  golden.valid("one-counter", golden.changed(small, {sized(88), u64(64, 1), u64(80, 7)}), kThree);
  CountingBloomFilter gone = counting({.capacity = 3}, kThree);
  erase(gone, kThree);
  golden.valid("all-deleted", gone, {});
  golden.valid("full", counting({.capacity = 3, .counter_bits = 2}, numbered("key-", 2000)),
               kThree);

  // The other form of `hi` gives other counters here: 9,586 of them, 7 a key.
  const CountingBloomFilter wide = counting({.capacity = 1'000, .counter_bits = 2}, {});
  const Strings keys = telling_of_mcg(8, Hasher(), wide.counters(), wide.hashes());
  golden.valid("hi", {.capacity = 1'000, .counter_bits = 2}, keys);

  constexpr std::uint32_t kHuge = ~std::uint32_t{0};
  golden.damaged(small, {
                            {"scheme", {u8(kHashAt, 3)}},
                            {"parquet", {u8(kHashAt, 16)}},
                            {"capacity-0", {u64(kCapacityAt, 0)}},
                            {"nothing", {sized(64)}},
                            {"record-cut", {sized(76)}},
                            {"data-cut", {grown(-8)}},
                            {"data-extended", {grown(8)}},
                            {"counters-0", {u64(64, 0), sized(80)}},
                            {"counters-less", {u64(64, 16)}},
                            {"counters-more", {u64(64, 33)}},
                            // 2^62 counters of 4 bits are 0 bits modulo 2^64.
                            {"counters-2-to-62", {u64(64, std::uint64_t{1} << 62), sized(80)}},
                            {"counters-huge", {u64(64, ~std::uint64_t{0})}},
                            {"hashes-0", {u32(72, 0)}},
                            {"hashes-65", {u32(72, 65)}},
                            {"hashes-huge", {u32(72, kHuge)}},
                            {"counter-bits-0", {u32(76, 0)}},
                            // 64 counters of 1 bit and 7 of 17 fill the words that are there.
                            {"counter-bits-1", {u64(64, 128), u32(76, 1)}},
                            {"counter-bits-17", {u64(64, 7), u32(76, 17)}},
                            {"counter-bits-huge", {u32(76, kHuge)}},
                            {"padding", {last(0x80)}},
                            {"padding-first", {set_bits(80 + 31 / 2, 0x10)}},
                        });
  golden.keys_refused(counting({.capacity = 3, .hasher = keyed()}, kThree));
}

}  // namespace tamis::vectors
