#include "vectors/high_part.hpp"

namespace tamis::vectors {
namespace {

using Config = RotatingBloomFilter::Config;

// The beginning of a generation's record, and its fields.
constexpr std::size_t bits_of(std::size_t generation) { return 96 + 32 * generation; }
constexpr std::size_t capacity_of(std::size_t generation) { return bits_of(generation) + 8; }
constexpr std::size_t count_of(std::size_t generation) { return bits_of(generation) + 16; }
constexpr std::size_t hashes_of(std::size_t generation) { return bits_of(generation) + 24; }

// Keys that the other form of `hi` sends elsewhere, in both generations.
void high_parts(const Golden<RotatingBloomFilter>& golden, const std::string& name,
                const Config& config) {
  const auto record = detail::Subfilter::Record::design(config.capacity, config.fpr / 2);
  MUST(record.ok());
  const Strings first = telling_of(2, Hasher(), 0, *record),
                second = telling_of(2, Hasher(), 1, *record);
  RotatingBloomFilter filter = filled<RotatingBloomFilter>(config, first);
  filter.rotate();
  insert(filter, second);
  golden.valid(name, filter, joined(first, second));
}

}  // namespace

template <>
void vectors<RotatingBloomFilter>(Writer& writer) {
  const Golden<RotatingBloomFilter> golden(writer);
  const auto rotating = filled<RotatingBloomFilter>;
  const auto advance = [](RotatingBloomFilter& filter, std::int64_t now_ms) {
    MUST(filter.advance(now_ms).ok());
  };
  const Strings absent_keys = numbered("stranger-", 64);

  // "alice" in the first generation, the others in the second, which is the current one.
  RotatingBloomFilter small = rotating({.capacity = 3}, {"alice"});
  small.rotate();
  insert(small, {"bob", "carol"});
  golden.valid("three-keys", small, kThree);
  golden.valid("empty", {.capacity = 100}, {});
  golden.by_hashers({.capacity = kVaried});
  RotatingBloomFilter ring = rotating({.capacity = 4, .generations = 5}, {});
  for (std::ptrdiff_t i = 0; i < 7; ++i) {
    insert(ring, part(absent_keys, 4 * i, 4 * (i + 1)));
    if (i != 6) ring.rotate();
  }
  golden.valid("7-periods-of-5", ring, part(absent_keys, 8, 28));
  RotatingBloomFilter many =
      rotating({.capacity = 1, .generations = RotatingBloomFilter::kMaxGenerations}, {"alice"});
  for (int i = 0; i < 63; ++i) many.rotate();
  insert(many, {"bob"});
  golden.valid("64-generations", many, {"alice", "bob"});
  RotatingBloomFilter repeated = rotating({.capacity = 3}, kThree);
  repeated.rotate();
  insert(repeated, kThree);
  golden.valid("repeated", repeated, kThree);
  RotatingBloomFilter forgotten = rotating({.capacity = 3}, part(absent_keys, 0, 3));
  forgotten.rotate(), forgotten.rotate();
  golden.valid("forgotten", forgotten, {});
  const auto classic = rotating({.capacity = 3, .fpr = 0x1p-20}, kThree);
  golden.valid("classic", classic, kThree);
  golden.valid("rate-least", {.capacity = 3, .fpr = 0x1p-24}, kThree);
  golden.valid("over-capacity", {.capacity = 10}, numbered("key-", 100));
  high_parts(golden, "hi", {.capacity = 7'000});
  high_parts(golden, "hi-classic", {.capacity = 500, .fpr = 0x1p-20});
  const Config minutes{.capacity = 3, .period_ms = 60'000};
  golden.valid("clock", minutes, kThree);
  RotatingBloomFilter clock = rotating(minutes, kThree);
  advance(clock, 1'700'000'000'000);
  golden.valid("clock-started", clock, kThree);
  advance(clock, 1'700'000'060'001);
  insert(clock, {"dave"});
  golden.valid("clock-moved", clock, {"alice", "bob", "carol", "dave"});
  RotatingBloomFilter before = rotating(minutes, kThree);
  advance(before, -1);
  golden.valid("clock-before-1970", before, kThree);
  RotatingBloomFilter extreme = rotating({.capacity = 3, .period_ms = sizing::kMaxCount}, kThree);
  advance(extreme, -static_cast<std::int64_t>(sizing::kMaxCount));
  golden.valid("clock-least", extreme, kThree);
  advance(extreme, static_cast<std::int64_t>(sizing::kMaxCount));
  insert(extreme, kThree);
  golden.valid("clock-most", extreme, kThree);

  RotatingBloomFilter shortest = rotating({.capacity = 3, .period_ms = 1}, kThree);
  advance(shortest, 1'000);
  golden.valid("clock-of-1-ms", shortest, kThree);
  // The sum of the counts has a limit.
  golden.valid("counts-most",
               golden.changed(small, {u64(count_of(0), sizing::kMaxCount), u64(count_of(1), 2),
                                      u64(kCountAt, sizing::kMaxCount)}),
               kThree);
  golden.valid("counts-most-of-both",
               golden.changed(
                   small, {u64(count_of(0), sizing::kMaxCount), u64(count_of(1), sizing::kMaxCount),
                           u64(kCountAt, sizing::kMaxCount)}),
               kThree);

  constexpr std::uint64_t kTooMany = std::uint64_t{1} << 53;
  const Change one_generation = [](Bytes& b) {
    const auto half = static_cast<std::ptrdiff_t>((b.size() - bits_of(2)) / 2);
    b.erase(b.end() - half, b.end());
    b.erase(b.begin() + 128, b.begin() + 160);  // the second record
  };
  const Change last_block_twice = [](Bytes& b) { std::copy_n(b.end() - 64, 32, b.end() - 32); };
  golden.damaged(
      small,
      {
          {"scheme", {u8(kHashAt, 3)}},
          {"capacity", {u64(kCapacityAt, 4)}},
          {"capacity-0", {u64(kCapacityAt, 0), u64(capacity_of(0), 0), u64(capacity_of(1), 0)}},
          {"count", {u64(kCountAt, 2)}},
          {"nothing", {sized(64)}},
          {"record-cut", {sized(88)}},
          {"generation-record-cut", {sized(hashes_of(1))}},
          {"data-cut", {grown(-8)}},
          {"data-extended", {grown(8)}},
          {"generations-0", {u32(64, 0), u32(68, 0), u64(kCountAt, 0), sized(96)}},
          // One generation alone, and nothing else wrong.
          {"generations-1", {u32(64, 1), u32(68, 0), u64(kCountAt, 1), one_generation, grown(0)}},
          {"generations-more", {u32(64, 3)}},
          {"generations-65", {u32(64, 65)}},
          {"current", {u32(68, 2)}},
          {"period", {u64(72, kTooMany)}},
          {"started-without-period", {u64(80, 1)}},
          {"start-without-period", {u64(88, 1)}},
      });
  // Another generation without keys, and nothing else wrong.
  const Change one_more = [](Bytes& b) {
    const std::size_t bits = detail::load_le64(b.data() + bits_of(1));
    const Bytes record(b.begin() + bits_of(1), b.begin() + bits_of(2));
    b.insert(b.begin() + bits_of(64), record.begin(), record.end());
    b.resize(b.size() + array_bytes(bits, 1));
  };
  golden.damaged(many, {{"65-generations", {one_more, grown(0), u32(64, 65)}}});
  golden.damaged(clock, {
                            {"started", {u64(80, 2)}},
                            {"start-not-started", {u64(80, 0)}},
                            {"start-late", {u64(88, kTooMany)}},
                            {"start-early", {u64(88, ~kTooMany + 1)}},
                        });
  golden.damaged(small, {
                            {"bits-0", {u64(bits_of(0), 0)}},
                            {"bits-differ", {plus(bits_of(1), 256), grown(32), last_block_twice}},
                            {"bits-half-a-block", {plus(bits_of(0), 128)}},
                            {"bits-huge", {u64(bits_of(0), ~std::uint64_t{255})}},
                            {"generation-capacity", {u64(capacity_of(1), 4)}},
                            {"generation-count", {u64(count_of(0), kTooMany)}},
                            {"generation-count-0", {u64(count_of(0), 0), u64(kCountAt, 2)}},
                        });
  golden.damaged(rotating({.capacity = 3}, kThree),
                 {{"generation-count-1", {u64(count_of(1), 1), u64(kCountAt, 4)}}});
  golden.damaged(small, {
                            {"record-zero", {u32(hashes_of(1) + 4, 1)}},
                            {"lane-empty", {u32(bits_of(2), 0)}},
                        });
  golden.damaged(classic, {
                              {"hashes-differ", {u32(hashes_of(1), 1)}},
                              {"hashes-65", {u32(hashes_of(0), 65), u32(hashes_of(1), 65)}},
                              {"padding", {last(0x80)}},
                          });
  golden.keys_refused(rotating({.capacity = 3, .hasher = keyed()}, kThree));
}

}  // namespace tamis::vectors
