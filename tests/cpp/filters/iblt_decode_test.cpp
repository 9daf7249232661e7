// The lists of invertible Bloom lookup tables. They have all of the designed number of differences,
// and never a wrong key. They end for any cells.

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <vector>

#include "filters/iblt_samples.hpp"

namespace tamis::test {
namespace {

TEST(IbltDecode, TheDesignedNumberInNearlyEveryCase) {
  struct Design {
    std::uint64_t differences;
    std::uint64_t trials;
  };
  for (const auto& [d, trials] : {Design{1, 1'000},
                                  {5, 1'000},
                                  {10, 1'000},
                                  {17, 1'000},
                                  {50, 400},
                                  {100, 300},
                                  {200, 200},
                                  {1'000, 100}}) {
    std::uint64_t complete = 0;
    for (std::uint64_t trial = 0; trial < trials; ++trial) {
      auto table = iblt(d, 8, Hasher(HashId::kXxh3, splitmix64(trial)));
      const KeySet added = iblt_keys(8, trial * 2'000, d / 2);
      const KeySet removed = iblt_keys(8, trial * 2'000 + d / 2, d - d / 2);
      insert_all(table, added);
      erase_all(table, removed);
      const Listed lists = listed(table);
      ASSERT_TRUE(is_subset(lists.added, added) && is_subset(lists.removed, removed));
      if (!lists.complete) continue;
      ++complete;
      ASSERT_EQ(lists.added, added);
      ASSERT_EQ(lists.removed, removed);
    }
    EXPECT_GE(100 * complete, 99 * trials)
        << complete << " of " << trials << " at " << d << " differences";
  }
}

TEST(IbltDecode, BothDirections) {
  for (const Hasher& hasher : hashers_of<InvertibleBloomTable>()) {
    for (const std::uint32_t key_bytes : {4u, 5u, 7u, 8u, 31u, 64u}) {
      auto left = iblt(40, key_bytes, hasher), right = iblt(40, key_bytes, hasher);
      insert_all(left, iblt_keys(key_bytes, 0, 2'000));
      insert_all(right, iblt_keys(key_bytes, 15, 2'000));
      const auto forth = left.subtract(right), back = right.subtract(left);
      ASSERT_TRUE(forth.ok() && back.ok());
      const Listed there = listed(*forth), here = listed(*back);
      EXPECT_TRUE(there.complete && here.complete) << name_of(hasher) << ", " << key_bytes;
      EXPECT_EQ(there.added, iblt_keys(key_bytes, 0, 15));
      EXPECT_EQ(there.removed, iblt_keys(key_bytes, 2'000, 15));
      EXPECT_EQ(here.added, there.removed);
      EXPECT_EQ(here.removed, there.added);
      // Also after the road over the wire.
      const auto decoded =
          decode<InvertibleBloomTable>(wire_bytes(*forth), {.key = key_for(hasher.id())});
      ASSERT_TRUE(decoded.ok());
      EXPECT_EQ(listed(*decoded).added, there.added);
    }
  }
}

TEST(IbltDecode, NoDifference) {
  auto table = iblt(1, 8);
  const auto check = [](const InvertibleBloomTable& empty) {
    const Listed lists = listed(empty);
    EXPECT_TRUE(lists.complete && lists.added.empty() && lists.removed.empty());
  };
  check(table);
  insert_all(table, iblt_keys(8, 0, 5'000));
  const auto nothing = table.subtract(table);
  ASSERT_TRUE(nothing.ok());
  check(*nothing);
  table.clear();
  check(table);
}

// All-zero bytes are a key like any other: its checksum is not 0.
TEST(IbltDecode, TheKeyOfZeros) {
  for (const std::uint32_t key_bytes : {4u, 8u, 64u}) {
    auto table = iblt(3, key_bytes);
    const KeySet keys{Bytes(key_bytes), Bytes(key_bytes, std::byte{0xff})};
    insert_all(table, keys);
    const Listed lists = listed(table);
    EXPECT_TRUE(lists.complete);
    EXPECT_EQ(lists.added, keys);
  }
}

TEST(IbltDecode, DoesNotChangeTheTable) {
  auto table = iblt(10, 8);
  insert_all(table, iblt_keys(8, 0, 10));
  const Bytes before = wire_bytes(table);
  EXPECT_TRUE(listed(table).complete);
  EXPECT_EQ(wire_bytes(table), before);
}

TEST(IbltOverFull, IsNotCompleteAndListsNoWrongKey) {
  std::uint64_t some = 0;
  for (std::uint64_t trial = 0; trial < 300; ++trial) {
    const std::uint64_t d = 1 + trial % 60;
    // The numbers go from a little above the limit of peeling (m / 1.29 keys) to twenty times the
    // cells.
    const std::uint64_t keys = sizing::iblt_cells(d) * (trial % 3 == 2 ? 20 : 1);
    auto table = iblt(d, 8, Hasher(HashId::kXxh3, trial));
    const KeySet added = iblt_keys(8, 0, keys / 3),
                 removed = iblt_keys(8, keys / 3, keys - keys / 3);
    insert_all(table, added);
    erase_all(table, removed);
    const Listed lists = listed(table);
    ASSERT_FALSE(lists.complete) << keys << " keys in " << table.cells() << " cells";
    ASSERT_TRUE(is_subset(lists.added, added));
    ASSERT_TRUE(is_subset(lists.removed, removed));
    some += lists.added.size() + lists.removed.size();
  }
  EXPECT_GT(some, 0u) << "what can be listed is listed";
}

// The largest numbers of keys that can be listed, and the next: between the designed number and the
// cells.
TEST(IbltOverFull, AroundTheLimit) {
  std::uint64_t complete = 0;
  constexpr std::uint64_t kTrials = 500;
  for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
    auto table = iblt(100, 8, Hasher(HashId::kXxh3, trial));
    const KeySet added = iblt_keys(8, 0, 100 + trial % 30), removed = iblt_keys(8, 500, 10);
    insert_all(table, added);
    erase_all(table, removed);
    const Listed lists = listed(table);
    ASSERT_TRUE(is_subset(lists.added, added) && is_subset(lists.removed, removed));
    if (lists.complete) {
      ASSERT_EQ(lists.added.size() + lists.removed.size(), added.size() + removed.size());
    }
    complete += lists.complete ? 1 : 0;
  }
  EXPECT_GT(complete, 0u);
  EXPECT_LT(complete, kTrials);
}

// Sets have each key once. A key that is twice in one table does not decode. It does not make its
// neighbours wrong, does not change their side, and is always reported.
TEST(IbltTwice, NeverAWrongKeyNorAWrongSide) {
  for (std::uint64_t trial = 0; trial < 2'000; ++trial) {
    const std::uint64_t d = 1 + trial % 12;
    auto left = iblt(d, 8, Hasher(HashId::kXxh3, trial)),
         right = iblt(d, 8, Hasher(HashId::kXxh3, trial));
    const KeySet added = iblt_keys(8, 0, d / 2), removed = iblt_keys(8, 100, d - d / 2);
    insert_all(left, added);
    insert_all(right, removed);
    for (int copies = 0; copies < 2 + static_cast<int>(trial % 2); ++copies) {
      insert_all(left, iblt_keys(8, 200, 1 + trial % 2));
    }
    if (trial % 3 == 0) {
      for (int copies = 0; copies < 2; ++copies) insert_all(right, iblt_keys(8, 300, 1));
    }
    const auto difference = left.subtract(right);
    ASSERT_TRUE(difference.ok());
    const Listed lists = listed(*difference);
    ASSERT_FALSE(lists.complete);
    ASSERT_TRUE(is_subset(lists.added, added)) << trial;
    ASSERT_TRUE(is_subset(lists.removed, removed)) << trial;
  }
}

// One side has it twice and the other once. The table holds the one copy more.
TEST(IbltTwice, CopiesCancel) {
  auto left = iblt(5, 8), right = iblt(5, 8);
  insert_all(left, iblt_keys(8, 1, 1));
  insert_all(left, iblt_keys(8, 1, 1));
  insert_all(right, iblt_keys(8, 1, 1));
  const auto difference = left.subtract(right);
  ASSERT_TRUE(difference.ok());
  const Listed lists = listed(*difference);
  EXPECT_TRUE(lists.complete);
  EXPECT_EQ(lists.added, iblt_keys(8, 1, 1));
}

// A table whose cells are written one by one.
class Forged {
 public:
  struct Cell {
    std::uint32_t count = 0;
    std::uint64_t check = 0;
    Bytes key = Bytes(8);
  };

  explicit Forged(std::uint64_t differences) : table_(iblt(differences)), cells_(table_.cells()) {}

  std::vector<Cell>& cells() { return cells_; }

  // The truth about a key alone in a cell, and its four cells.
  static Cell alone(const Bytes& key, bool is_added) {
    const std::uint64_t check = splitmix64(Hasher().mix(Hasher()(key)) + 4);
    return is_added ? Cell{1, check, key} : Cell{~0u, 0 - check, key};
  }
  std::vector<std::size_t> places(const Bytes& key) const {
    const std::uint64_t g = Hasher().mix(Hasher()(key)), quarter = cells_.size() / 4;
    std::vector<std::size_t> places;
    for (std::uint64_t j = 0; j < 4; ++j)
      places.push_back(j * quarter + reduce(splitmix64(g + j), quarter));
    return places;
  }

  // Makes the sums of the last three partitions those of the first, by the last cell of each.
  void balance() {
    const std::size_t quarter = cells_.size() / 4;
    const Cell wanted = sum(0, quarter);
    for (std::size_t end = 2 * quarter; end <= cells_.size(); end += quarter) {
      Cell& last = cells_[end - 1];
      last = Cell();
      const Cell others = sum(end - quarter, end);
      last.count = wanted.count - others.count;
      last.check = wanted.check - others.check;
      for (std::size_t i = 0; i < 8; ++i) last.key[i] = wanted.key[i] ^ others.key[i];
    }
  }

  // The lists that decode() makes of it, after the deep check has passed it.
  Listed lists() const {
    Bytes bytes = wire_bytes(table_);
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      std::byte* const data = &bytes[kHeaderBytes + 8];
      detail::store_le32(data + 4 * i, cells_[i].count);
      detail::store_le64(data + 4 * cells_.size() + 8 * i, cells_[i].check);
      std::ranges::copy(cells_[i].key, data + 12 * cells_.size() + 8 * i);
    }
    repair_crcs(bytes);
    const auto decoded = decode<InvertibleBloomTable>(bytes);
    EXPECT_TRUE(decoded.ok()) << code(decoded.status());
    return decoded.ok() ? listed(*decoded) : Listed();
  }

 private:
  Cell sum(std::size_t begin, std::size_t end) const {
    Cell total;
    for (std::size_t i = begin; i < end; ++i) {
      total.count += cells_[i].count;
      total.check += cells_[i].check;
      for (std::size_t b = 0; b < 8; ++b) total.key[b] ^= cells_[i].key[b];
    }
    return total;
  }

  InvertibleBloomTable table_;
  std::vector<Cell> cells_;
};

TEST(IbltHostile, TheForgerCanAlsoTellTheTruth) {
  Forged forged(5);
  const Bytes key = iblt_key(8, 7);
  for (const std::size_t cell : forged.places(key))
    forged.cells()[cell] = Forged::alone(key, false);
  const Listed lists = forged.lists();
  EXPECT_TRUE(lists.complete);
  EXPECT_EQ(lists.removed, KeySet{key});
}

// Random cells hold no key that its checksum confirms.
TEST(IbltHostile, RandomCells) {
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    Forged forged(1 + trial % 40);
    std::uint64_t state = fmix64(trial + 1);
    for (auto& cell : forged.cells()) {
      const std::uint64_t kind = splitmix64(state++) % 4;
      cell.count = kind == 0   ? static_cast<std::uint32_t>(splitmix64(state++))
                   : kind == 1 ? ~0u
                               : 1u;
      cell.check = splitmix64(state++);
      cell.key = iblt_key(8, splitmix64(state++));
    }
    forged.balance();
    const Listed lists = forged.lists();
    EXPECT_FALSE(lists.complete);
    EXPECT_TRUE(lists.added.empty() && lists.removed.empty());
  }
}

// A key in one of its cells and in foreign cells of the other partitions. Taken out, it leaves
// minus one in its other cells, which taken out leaves one again, and so for ever.
TEST(IbltHostile, AKeyThatComesBack) {
  for (std::uint64_t number = 0; number < 200; ++number) {
    for (const bool is_added : {true, false}) {
      Forged forged(1 + number % 20);
      const Bytes key = iblt_key(8, number);
      const auto places = forged.places(key);
      const std::size_t quarter = forged.cells().size() / 4;
      const std::size_t true_partition = number % 4;
      for (std::size_t j = 0; j < 4; ++j) {
        const std::size_t foreign = j * quarter + (places[j] + 1 - j * quarter) % quarter;
        forged.cells()[j == true_partition ? places[j] : foreign] = Forged::alone(key, is_added);
      }
      const Listed lists = forged.lists();
      EXPECT_FALSE(lists.complete);
      EXPECT_EQ(lists.added.size() + lists.removed.size(), 1u);
    }
  }
}

TEST(IbltHostile, OneKeyInEveryCell) {
  for (const std::uint64_t d : {1u, 10u, 1'000u}) {
    Forged forged(d);
    for (auto& cell : forged.cells()) cell = Forged::alone(iblt_key(8, 1), true);
    const Listed lists = forged.lists();
    EXPECT_FALSE(lists.complete);
    EXPECT_EQ(lists.added, iblt_keys(8, 1, 1));
    EXPECT_TRUE(lists.removed.empty());
  }
}

// Few keys, with true and false checksums and counts, in their own and in other cells. Only keys
// with a true checksum may be listed.
TEST(IbltHostile, LiesAmongTruths) {
  std::uint64_t keys_listed = 0;
  for (std::uint64_t trial = 0; trial < 1'000; ++trial) {
    Forged forged(1 + trial % 30);
    std::uint64_t state = fmix64(trial + 77);
    const auto random = [&state](std::uint64_t n) { return splitmix64(state++) % n; };
    const KeySet honest = iblt_keys(8, 0, 6);
    for (std::uint64_t i = 0; i < forged.cells().size(); ++i) {
      const Bytes key = iblt_key(8, random(6)), lie = iblt_key(8, 100 + random(6));
      const std::size_t own = forged.places(key)[random(4)],
                        foreign = random(forged.cells().size());
      auto& cell = forged.cells()[random(2) == 0 ? own : foreign];
      cell = Forged::alone(random(3) == 0 ? lie : key, random(2) == 0);
      if (cell.key == lie) cell.check ^= 1 + random(~std::uint64_t{0});
      if (random(5) == 0) cell.count = static_cast<std::uint32_t>(random(5)) - 2;
    }
    forged.balance();
    const Listed lists = forged.lists();
    ASSERT_TRUE(is_subset(lists.added, honest) && is_subset(lists.removed, honest));
    keys_listed += lists.added.size() + lists.removed.size();
  }
  EXPECT_GT(keys_listed, 1'000u) << "too few truths to test anything";
}

}  // namespace
}  // namespace tamis::test
