// Cuckoo filters hold their capacity and lose no key. The tests cover sizes and refused inserts.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "filters/cuckoo_samples.hpp"

namespace tamis::test {
namespace {

TEST(CuckooSizing, LeastEvenNumberThatHolds) {
  for (const std::uint32_t b : kBucketSizes) {
    for (std::uint32_t f = 4; f <= 32; ++f) {
      std::uint64_t before = 2;
      for (std::uint64_t capacity = 1; capacity < 2'000'000; capacity += 1 + capacity / 7) {
        const std::uint64_t m = sizing::cuckoo_buckets(capacity, b, f);
        ASSERT_EQ(m % 2, 0u);
        if (m == 0) break;  // only if b and f are tiny
        ASSERT_TRUE(sizing::cuckoo_holds(m, b, f, capacity));
        ASSERT_TRUE(m == 2 || !sizing::cuckoo_holds(m - 2, b, f, capacity));
        ASSERT_GE(m, before) << "more keys, fewer buckets";
        before = m;
      }
    }
  }
  // The compiler knows the value, so no rounding of the machine matters.
  static_assert(sizing::cuckoo_size(1'000'000, 0.01, 4).buckets == 264'556);
  static_assert(sizing::cuckoo_size(1'000'000, 0.01, 4).fingerprint_bits == 10);
  static_assert(sizing::cuckoo_size(9, 0.01, 4).buckets == 6);
}

TEST(CuckooSizing, IsTheSmallestThatKeepsTheRate) {
  for (const std::uint32_t b : kBucketSizes) {
    for (const double fpr : {0.9, 0.3, 0.1, 0.03, 0.01, 0.0019, 1e-4, 1e-6, 1e-8}) {
      for (const std::uint64_t capacity : {1u, 9u, 100u, 5'000u, 1'000'000u}) {
        const auto best = sizing::cuckoo_size(capacity, fpr, b);
        ASSERT_NE(best.buckets, 0u) << capacity << " keys, " << fpr << ", b " << b;
        const auto rate = [&](std::uint64_t m, std::uint32_t f) {
          const double compared = 2.0 * static_cast<double>(capacity) / static_cast<double>(m);
          return -std::expm1(compared * std::log1p(-1 / (std::exp2(f) - 1)));
        };
        EXPECT_LE(rate(best.buckets, best.fingerprint_bits), fpr * (1 + 1e-12));
        for (std::uint32_t f = 4; f <= 32; ++f) {
          const std::uint64_t m = sizing::cuckoo_buckets(capacity, b, f);
          if (m == 0 || rate(m, f) > fpr * (1 + 1e-12)) continue;
          EXPECT_GE(m * f, best.buckets * best.fingerprint_bits)
              << capacity << ", " << fpr << ", f " << f;
        }
      }
    }
  }
}

TEST(CuckooSizing, AMillionKeysTakeLittle) {
  const auto filter = cuckoo(1'000'000, 12);
  EXPECT_LE(8e-6 * static_cast<double>(filter.size_bytes()), 12.8);
  EXPECT_LE(filter.fpr(), 0.0019);
}

// Fills filters of all these capacities from as many seeds. Capacities of one geometry share the
// filling.
void expect_to_hold(std::uint32_t b, std::uint32_t bits, std::uint64_t most, std::uint64_t seeds) {
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> largest;
  for (std::uint64_t capacity = 1; capacity <= most; ++capacity) {
    const auto size = bits == 0
                          ? sizing::cuckoo_size(capacity, 0.01, b)
                          : sizing::CuckooSize{sizing::cuckoo_buckets(capacity, b, bits), bits};
    if (size.buckets > 20'000) break;
    largest[{size.buckets, size.fingerprint_bits}] = capacity;
  }
  for (const auto& [size, capacity] : largest) {
    auto filter = cuckoo(capacity, size.second, b);
    ASSERT_EQ(filter.buckets(), size.first);
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      filter.clear();
      const std::uint64_t start = fmix64(seed << 32 | capacity);
      for (std::uint64_t i = 0; i < capacity; ++i) {
        ASSERT_TRUE(is_ok(filter.insert(Hash{start + i})))
            << "key " << i << " of " << capacity << ", b " << b << ", f " << size.second
            << ", seed " << seed;
      }
      ASSERT_EQ(filter.count(), capacity);
    }
  }
}

TEST(CuckooSizing, EveryCapacityUpToAThousandHolds) { expect_to_hold(4, 0, 1'000, 100); }

TEST(CuckooSizing, OtherGeometriesHoldTheirCapacity) {
  for (const std::uint32_t b : kBucketSizes) {
    for (const std::uint32_t f : {0u, 4u, 5u, 6u, 8u, 12u, 20u}) expect_to_hold(b, f, 250, 4);
  }
}

TEST(CuckooSizing, LargerOnesHoldTheirCapacity) {
  for (const auto& [b, f, capacity] : {std::tuple{4u, 10u, 100'000u},
                                       {8u, 4u, 50'000u},
                                       {2u, 12u, 50'000u},
                                       {4u, 6u, 50'000u},
                                       {1u, 20u, 20'000u}}) {
    auto filter = cuckoo(capacity, f, b);
    for (std::uint64_t i = 0; i < capacity; ++i)
      ASSERT_TRUE(is_ok(filter.insert(Hash{i}))) << b << ", " << i;
    EXPECT_EQ(filter.validate(), Status::kOk);
  }
}

TEST(CuckooFull, TheFirstRefusalComesLate) {
  for (const std::uint32_t f : {8u, 12u}) {
    auto filter = cuckoo(100'000, f);
    ASSERT_GE(std::uint64_t{filter.buckets()} * 4, 100'000u);
    std::uint64_t next = 0;
    while (is_ok(filter.insert(Hash{next}))) ++next;
    EXPECT_GE(filter.load_factor(), 0.95);
    EXPECT_EQ(filter.count(), next);
    EXPECT_DOUBLE_EQ(filter.load_factor(), static_cast<double>(next) / (4.0 * filter.buckets()));
    for (std::uint64_t i = 0; i < next; ++i) ASSERT_TRUE(filter.may_contain(Hash{i}));
  }
}

TEST(CuckooFull, ARefusedInsertChangesNothing) {
  for (const std::uint32_t b : kBucketSizes) {
    for (const std::uint32_t f : {4u, 7u, 12u, 17u, 32u}) {
      auto filter = cuckoo(100, f, b, Hasher(HashId::kXxh3, f));
      std::uint64_t refused = 0, accepted = 0;
      for (std::uint64_t i = 0; refused < 100 && accepted < 4'000; ++i) {
        // Refusals are rare in the wide tables of b = 1, so the keys there are copies of a few.
        const Hash hash{b == 1 ? i % 700 : i};
        const bool was = filter.may_contain(hash);
        const Bytes before = wire_bytes(filter);
        const Result<bool> added = i % 2 == 0 ? filter.insert(hash) : filter.insert_if_absent(hash);
        if (added.ok()) {
          accepted += 1;
          ASSERT_EQ(*added, !was);
          continue;
        }
        ASSERT_EQ(added.status(), Status::kFull);
        ASSERT_EQ(wire_bytes(filter), before) << "b " << b << ", f " << f << ", key " << i;
        ++refused;
      }
      EXPECT_EQ(refused, 100u) << "b " << b << ", f " << f;
      EXPECT_EQ(filter.validate(), Status::kOk);
    }
  }
}

// True if moves along the partners can free a slot of either bucket, by a search of all reachable
// buckets.
bool has_room(const CuckooFilter& filter, Hash hash) {
  const std::uint32_t m = filter.buckets(), b = filter.bucket_size();
  const CuckooPlaces places(m, filter.fingerprint_bits());
  const std::vector<std::uint32_t> slots = slots_of(filter);
  const Place home =
      place_of(fmix64(static_cast<std::uint64_t>(hash)), m, filter.fingerprint_bits());
  std::vector<bool> is_reached(m);
  std::vector<std::uint32_t> waiting{static_cast<std::uint32_t>(home.first),
                                     static_cast<std::uint32_t>(home.second)};
  while (!waiting.empty()) {
    const std::uint32_t bucket = waiting.back();
    waiting.pop_back();
    if (is_reached[bucket]) continue;
    is_reached[bucket] = true;
    for (std::uint32_t s = 0; s < b; ++s) {
      const std::uint32_t slot = slots[std::size_t{bucket} * b + s];
      if (slot == 0) return true;
      waiting.push_back(places.partner(bucket, slot));
    }
  }
  return false;
}

TEST(CuckooFull, NoInsertIsRefusedThatCouldGoIn) {
  for (const auto& [b, f, capacity] : {std::tuple{1u, 5u, 6u},
                                       {1u, 24u, 50u},
                                       {2u, 7u, 150u},
                                       {2u, 16u, 1'600u},
                                       {4u, 4u, 1'200u},
                                       {4u, 12u, 3'600u},
                                       {8u, 4u, 300u},
                                       {8u, 9u, 7'000u}}) {
    auto filter = cuckoo(capacity, f, b);
    ASSERT_LE(filter.buckets(), 1'024u) << "searched completely";
    std::uint64_t refused = 0;
    for (std::uint64_t i = 0; refused < 40; ++i) {
      if (is_ok(filter.insert(Hash{i}))) continue;
      ASSERT_FALSE(has_room(filter, Hash{i})) << "b " << b << ", f " << f << ", key " << i;
      ++refused;
    }
  }
}

}  // namespace
}  // namespace tamis::test
