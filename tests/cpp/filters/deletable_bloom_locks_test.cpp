// The locks that an add to a deletable Bloom filter makes, the bits that a delete may clear and
// must leave, and the share of keys that can be deleted.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "filters/bloom_samples.hpp"
#include "filters/deletable_samples.hpp"

namespace tamis::test {
namespace {

// The rules in the plainest form: sets, a division for each region, positions from a Bloom filter
// of the same size.
class Model {
 public:
  explicit Model(const DeletableBloomFilter& filter)
      : bloom_(bloom(filter.bits(), filter.hashes(), filter.hasher())),
        regions_(filter.regions()) {}

  std::set<std::uint64_t> positions(Key key) const {
    const auto all = positions_of(bloom_, key);
    return {all.begin(), all.end()};
  }
  std::uint64_t region(std::uint64_t position) const { return position * regions_ / bloom_.bits(); }
  bool is_locked(std::uint64_t position) const { return locked_.contains(region(position)); }
  bool contains(Key key) const {
    return std::ranges::all_of(positions(key), [&](auto i) { return bits_.contains(i); });
  }
  bool is_deletable(Key key) const {
    return contains(key) &&
           !std::ranges::all_of(positions(key), [&](auto i) { return is_locked(i); });
  }
  void insert(Key key) {
    for (const auto i : positions(key)) {
      if (bits_.contains(i)) locked_.insert(region(i));
    }
    for (const auto i : positions(key)) bits_.insert(i);
  }
  void erase(Key key) {
    for (const auto i : positions(key)) {
      if (!is_locked(i)) bits_.erase(i);
    }
  }
  // 1 - (1 - q)^k with the C library's power.
  double deletable_ratio(std::uint64_t count) const {
    if (count == 0) return 1;
    const auto own = std::ranges::count_if(bits_, [&](auto i) { return !is_locked(i); });
    const double k = bloom_.hashes();
    const double q = static_cast<double>(own) / (static_cast<double>(count) * k);
    return 1 - std::pow(1 - std::min(1.0, q), k);
  }
  // The payload after its record, from the format's definition of bit i.
  Bytes arrays() const {
    const std::size_t bit_bytes = (bloom_.bits() + 63) / 64 * 8;
    Bytes bytes(bit_bytes + (regions_ + 63) / 64 * 8);
    const auto set = [&](std::size_t at, std::uint64_t i) {
      bytes[at + i / 8] |= static_cast<std::byte>(1u << (i % 8));
    };
    for (const auto i : bits_) set(0, i);
    for (const auto i : locked_) set(bit_bytes, i);
    return bytes;
  }

 private:
  BloomFilter bloom_;
  std::uint64_t regions_;
  std::set<std::uint64_t> bits_, locked_;
};

Bytes arrays_of(const DeletableBloomFilter& filter) {
  const Bytes bytes = wire_bytes(filter);
  return {bytes.begin() + kHeaderBytes + 24, bytes.end()};
}

// Random adds, repeated adds, and deletes of keys that are in. Every key that was not deleted is
// found, and every byte is that of the model.
TEST(DeletableModel, NeverAFalseNegative) {
  constexpr std::uint64_t kCapacity = 300;
  constexpr double kFpr = 0.03;
  std::mt19937_64 random(1);
  for (const std::uint64_t width : {1u, 4u, 8u, 64u, 0u}) {
    for (const std::uint64_t percent : {50u, 100u, 150u}) {
      const std::uint64_t target = kCapacity * percent / 100;
      auto filter = deletable(kCapacity, kFpr, regions_of_width(kCapacity, kFpr, width));
      Model model(filter);
      std::vector<Bytes> held;
      std::uint64_t number = 0, count = 0, erased = 0, refused = 0;
      for (std::uint64_t step = 0; step < 4 * target; ++step) {
        const bool is_add = held.size() < target && random() % 8 != 0;
        if (is_add || held.empty()) {
          const bool is_repeat = !held.empty() && random() % 64 == 0;
          const Bytes key = is_repeat ? held[random() % held.size()] : key_number(number++);
          const bool is_new = !model.contains(key);
          ASSERT_EQ(insert(filter, key), is_new);
          model.insert(key);
          count += is_new ? 1 : 0;
          if (!is_repeat) held.push_back(key);
        } else {
          const std::size_t which = random() % held.size();
          const Bytes key = held[which];
          const bool can_go = model.is_deletable(key);
          ASSERT_EQ(filter.is_deletable(key), can_go);
          const Bytes before = wire_bytes(filter);
          ASSERT_EQ(erase(filter, key), can_go ? Status::kOk : Status::kNotDeletable);
          if (can_go) {
            model.erase(key);
            ASSERT_FALSE(filter.may_contain(key));
            std::swap(held[which], held.back());
            held.pop_back();
            --count;
            ++erased;
          } else {
            ASSERT_EQ(wire_bytes(filter), before);
            ++refused;
          }
        }
        ASSERT_EQ(filter.count(), count);
        if (step % 16 != 0 && step + 1 != 4 * target) continue;
        const Bytes absent_key = make_key(KeyFamily::kIntegers, 1, step);
        if (!model.contains(absent_key)) {
          ASSERT_FALSE(filter.is_deletable(absent_key));
          ASSERT_EQ(erase(filter, absent_key), std::nullopt);
          ASSERT_EQ(filter.count(), count);
        }
        for (const Bytes& key : held) ASSERT_TRUE(filter.may_contain(key)) << "step " << step;
        ASSERT_EQ(arrays_of(filter), model.arrays()) << "step " << step;
        ASSERT_EQ(filter.validate(), Status::kOk);
        ASSERT_NEAR(filter.deletable_ratio(), model.deletable_ratio(count), 1e-9);
      }
      EXPECT_TRUE(erased > 10 || width == 0 || width == 64) << width << " bits a region";
      EXPECT_GT(refused, 0u) << width << " bits a region";
      EXPECT_GE(held.size(), target / 2);
    }
  }
}

// The key X is a false positive when it is added. A caller who trusts may_contain() and does not
// add X loses it when the owner of one of its bits is deleted, as the clone does.
TEST(DeletableLocks, AFalsePositiveThatIsAddedStays) {
  int sequences = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    auto filter = deletable(20, 0.1, regions_of_width(20, 0.1, 1), Hasher(HashId::kXxh3, seed));
    for (std::uint64_t i = 0; i < 20; ++i) insert(filter, key_number(i));
    const auto owner_of_a_bit = [&](Key x) -> std::optional<std::uint64_t> {
      for (std::uint64_t i = 0; i < 20; ++i) {
        auto swallowed = filter.clone();
        EXPECT_TRUE(swallowed.ok());
        if (erase(*swallowed, key_number(i)) == Status::kOk && !swallowed->may_contain(x)) return i;
      }
      return {};
    };
    for (std::uint64_t x = 1'000; x < 1'400; ++x) {
      const Bytes key = key_number(x);
      if (!filter.may_contain(key)) continue;
      const auto owner = owner_of_a_bit(key);
      if (!owner.has_value()) continue;
      ++sequences;
      auto added = filter.clone();
      ASSERT_TRUE(added.ok());
      ASSERT_FALSE(insert(*added, key));
      EXPECT_EQ(added->count(), filter.count());
      EXPECT_FALSE(added->is_deletable(key));
      (void)erase(*added, key_number(*owner));
      ASSERT_TRUE(added->may_contain(key));
      for (std::uint64_t i = 0; i < 20; ++i) (void)erase(*added, key_number(i));
      ASSERT_TRUE(added->may_contain(key)) << "seed " << seed << ", key " << x;
      break;
    }
  }
  EXPECT_GT(sequences, 5);
}

TEST(DeletableLocks, ARepeatedAddLocksEveryRegionOfItsKey) {
  auto filter = deletable(100);
  const Model model(filter);
  const Bytes key = key_number(1);
  ASSERT_TRUE(insert(filter, key));
  EXPECT_TRUE(filter.is_deletable(key));
  for (std::uint64_t region = 0; region < filter.regions(); ++region) {
    EXPECT_FALSE(*filter.is_locked(region));
  }
  ASSERT_FALSE(insert(filter, key));
  std::set<std::uint64_t> expected;
  for (const auto i : model.positions(key)) expected.insert(model.region(i));
  for (std::uint64_t region = 0; region < filter.regions(); ++region) {
    EXPECT_EQ(*filter.is_locked(region), expected.contains(region)) << region;
  }
  for (const std::uint64_t region : {filter.regions(), ~std::uint64_t{0}}) {
    EXPECT_EQ(filter.is_locked(region).status(), Status::kInvalidOption);
  }
  const Bytes before = wire_bytes(filter);
  EXPECT_FALSE(filter.is_deletable(key));
  EXPECT_EQ(erase(filter, key), Status::kNotDeletable);
  EXPECT_EQ(filter.erase(filter.hasher()(key)).status(), Status::kNotDeletable);
  EXPECT_EQ(wire_bytes(filter), before);
  filter.clear();
  ASSERT_TRUE(insert(filter, key));
  EXPECT_EQ(erase(filter, key), Status::kOk);
}

TEST(DeletableLocks, APositionTwiceInOneAddIsNoCollision) {
  int twice = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    auto filter = deletable(2, 0.01);
    const Model model(filter);
    const Bytes fresh = wire_bytes(filter);
    const Bytes key = key_number(i);
    twice += model.positions(key).size() < filter.hashes() ? 1 : 0;
    ASSERT_TRUE(insert(filter, key));
    for (std::uint64_t region = 0; region < filter.regions(); ++region) {
      ASSERT_FALSE(*filter.is_locked(region));
    }
    const Hash hash = filter.hasher()(key);
    ASSERT_TRUE(filter.is_deletable(hash));
    const Result<bool> erased = i % 2 == 0 ? filter.erase(key) : filter.erase(hash);
    ASSERT_TRUE(erased.ok() && *erased);
    ASSERT_EQ(wire_bytes(filter), fresh);
    ASSERT_FALSE(*filter.erase(key));
    ASSERT_EQ(wire_bytes(filter), fresh);
  }
  EXPECT_GT(twice, 20);
  EXPECT_LT(twice, 200);
}

// A delete of what was never added takes bits of others, and leaves a filter that is one.
TEST(DeletableLocks, ErasedAbsentKeysLeaveAValidFilter) {
  std::mt19937_64 random(2);
  std::uint64_t erased = 0;
  for (const std::uint64_t regions : {1u, 2u, 7u, 20u}) {
    auto filter = deletable(4, 0.1, regions);
    for (int step = 0; step < 2'000; ++step) {
      const Hash hash{random()};
      if (random() % 4 == 0) {
        filter.insert(hash);
        ASSERT_TRUE(filter.may_contain(hash));
      } else {
        const bool can_go = filter.is_deletable(hash);
        const Result<bool> answer = filter.erase(hash);
        ASSERT_EQ(answer.ok() && *answer, can_go);
        erased += can_go ? 1u : 0u;
      }
      if (step % 100 == 99) {
        const auto decoded = decode<DeletableBloomFilter>(wire_bytes(filter));
        ASSERT_TRUE(decoded.ok());
        ASSERT_EQ(wire_bytes(*decoded), wire_bytes(filter));
        filter.clear();
      }
      ASSERT_EQ(filter.validate(), Status::kOk);
    }
  }
  EXPECT_GT(erased, 100u);
}

// A filter holds the keys that it is made for, in a budget of bits that counts the locks.
TEST(DeletableRatio, AtFullLoad) {
  struct Row {
    double bits_per_key;
    std::uint64_t width;
    double share;
  };
  constexpr std::uint64_t kKeys = 50'000;
  for (const Row& row :
       {Row{10, 4, 0.84}, Row{10, 8, 0.67}, Row{10, 16, 0.18}, Row{10, 32, 0.01}, Row{10, 64, 0},
        Row{14, 4, 0.94}, Row{14, 8, 0.74}, Row{14, 16, 0.33}, Row{14, 32, 0.03}, Row{14, 64, 0}}) {
    const double width = static_cast<double>(row.width);
    const auto bits = static_cast<std::uint64_t>(row.bits_per_key * kKeys / (1 + 1 / width));
    const double fpr =
        sizing::bloom_fpr(static_cast<double>(bits), sizing::bloom_hashes(bits, kKeys), kKeys);
    auto filter = deletable(kKeys, fpr, regions_of_width(kKeys, fpr, row.width));
    EXPECT_NEAR(8.0 * static_cast<double>(filter.size_bytes()) / kKeys, row.bits_per_key, 0.01);
    for (std::uint64_t i = 0; i < kKeys; ++i) filter.insert(Hash{fmix64(i)});
    std::uint64_t can_go = 0;
    for (std::uint64_t i = 0; i < kKeys; ++i)
      can_go += filter.is_deletable(Hash{fmix64(i)}) ? 1u : 0u;
    const double share = static_cast<double>(can_go) / kKeys;
    EXPECT_NEAR(share, row.share, 0.02)
        << row.bits_per_key << " bits a key, regions of " << row.width;
    EXPECT_NEAR(filter.deletable_ratio(), share, 0.01);
  }
}

TEST(DeletableRatio, AtTheEnds) {
  auto filter = deletable(50);
  EXPECT_EQ(filter.deletable_ratio(), 1);
  insert(filter, key_number(0));
  EXPECT_GT(filter.deletable_ratio(), 1 - 1e-4) << "a position may come twice";
  insert(filter, key_number(0));
  EXPECT_EQ(filter.deletable_ratio(), 0);
  auto whole = deletable(50, 0.01, 1);
  for (std::uint64_t i = 0; i < 50; ++i) insert(whole, key_number(i));
  EXPECT_EQ(whole.deletable_ratio(), 0);
}

}  // namespace
}  // namespace tamis::test
