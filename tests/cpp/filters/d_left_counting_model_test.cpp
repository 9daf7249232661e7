// The d-left counting Bloom filter against slow models: one of the same rules, and one of
// independent hashes (the trap).

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "filters/d_left_counting_samples.hpp"

namespace tamis::test {
namespace {

using Filter = DLeftCountingFilter;

// The filter by the letter of FORMAT.md, cell by cell. `independent`: each sub-table hashes for
// itself, as in a d-left hash table that knows its keys.
class Model {
 public:
  Model(std::uint64_t buckets, std::uint32_t remainder_bits, bool independent = false)
      : buckets_(buckets), bits_(remainder_bits), independent_(independent), cells_(32 * buckets) {}

  struct Place {
    std::uint64_t bucket;
    std::uint32_t remainder;
    bool operator==(const Place&) const = default;
  };
  Place place(std::uint64_t g, std::uint32_t table) const {
    if (independent_) g = fmix64(g + table);
    const auto remainder = static_cast<std::uint32_t>(g & ((std::uint64_t{1} << bits_) - 1));
    std::uint64_t bucket = ((g >> 32) * buckets_) >> 32;
    if (!independent_ && table != 0) {
      const std::uint64_t mixed = splitmix64(remainder) << (21 * (table - 1));
      bucket = (bucket + (((mixed >> 32) * buckets_) >> 32)) % buckets_;
    }
    return {bucket, remainder};
  }

  std::optional<bool> insert(std::uint64_t g) {
    if (Cell* const cell = find(g); cell != nullptr) {
      if (cell->counter < 3) ++cell->counter;
      return false;
    }
    std::size_t best = 0, least = 8;
    for (std::uint32_t table = 0; table < 4; ++table) {
      const auto load = static_cast<std::size_t>(std::count_if(
          bucket(g, table), bucket(g, table) + 8, [](const Cell& c) { return c.counter > 0; }));
      if (load < least) least = load, best = table;
    }
    if (least == 8) return {};
    const auto table = static_cast<std::uint32_t>(best);
    *std::find_if(bucket(g, table), bucket(g, table) + 8, [](const Cell& c) {
      return c.counter == 0;
    }) = Cell{place(g, table).remainder, 1};
    return true;
  }
  bool erase(std::uint64_t g) {
    Cell* const cell = find(g);
    if (cell == nullptr) return false;
    if (cell->counter < 3 && --cell->counter == 0) *cell = Cell{};
    return true;
  }
  std::uint32_t count_of(std::uint64_t g) {
    const Cell* const cell = find(g);
    return cell == nullptr ? 0 : cell->counter;
  }
  // The data as FORMAT.md packs it.
  Bytes data() const {
    std::vector<std::uint32_t> fields;
    for (const Cell& cell : cells_) fields.push_back(cell.remainder | cell.counter << bits_);
    return pack_fields(fields, bits_ + 2);
  }

 private:
  struct Cell {
    std::uint32_t remainder = 0;
    std::uint32_t counter = 0;
  };
  Cell* bucket(std::uint64_t g, std::uint32_t table) {
    return &cells_[(table * buckets_ + place(g, table).bucket) * 8];
  }
  Cell* find(std::uint64_t g) {
    for (std::uint32_t table = 0; table < 4; ++table) {
      Cell* const first = bucket(g, table);
      for (Cell* cell = first; cell < first + 8; ++cell) {
        if (cell->counter > 0 && cell->remainder == place(g, table).remainder) return cell;
      }
    }
    return nullptr;
  }

  std::uint64_t buckets_;
  std::uint32_t bits_;
  bool independent_;
  std::vector<Cell> cells_;
};

bool is_data(const Filter& filter, const Bytes& data) {
  const Bytes bytes = wire_bytes(filter);
  return std::equal(bytes.begin() + 80, bytes.end(), data.begin(), data.end());
}

// For every width, words of four, two or one cells find the same as a search cell by cell. Every
// cell has the place that FORMAT.md gives.
TEST(DLeftCells, AsInTheModelAtEveryWidth) {
  for (std::uint32_t bits = 5; bits <= 30; ++bits) {
    for (const std::uint64_t buckets : {1u, 2u, 5u}) {
      Filter filter = with_bits(buckets, bits);
      Model model(buckets, bits);
      std::mt19937_64 random(bits);
      std::vector<std::uint64_t> pool;
      for (std::uint64_t i = 0; i < 30 * buckets; ++i) {
        const std::uint64_t g = random();
        // These are its neighbours in the word, and the remainders that look like an empty or a
        // full cell.
        pool.insert(pool.end(), {g, g ^ 1, g ^ std::uint64_t{1} << (bits - 1),
                                 g & ~std::uint64_t{0xffffffff}, g | 0xffffffff});
      }
      for (int step = 0; step < 1'500; ++step) {
        const std::uint64_t g = pool[random() % pool.size()];
        ASSERT_EQ(filter.count_of(hash_of(g)), model.count_of(g));
        ASSERT_EQ(filter.may_contain(hash_of(g)), model.count_of(g) > 0);
        if (random() % 2 == 0) {
          const Result<bool> inserted = filter.insert(hash_of(g));
          const auto expected = model.insert(g);
          ASSERT_EQ(inserted.ok(), expected.has_value());
          if (inserted.ok()) {
            ASSERT_EQ(*inserted, *expected);
          } else {
            ASSERT_EQ(inserted.status(), Status::kFull);
          }
        } else {
          const Result<bool> erased = filter.erase(hash_of(g));
          ASSERT_TRUE(erased.ok());
          ASSERT_EQ(*erased, model.erase(g));
        }
      }
      for (const std::uint64_t g : pool) ASSERT_EQ(filter.count_of(hash_of(g)), model.count_of(g));
      ASSERT_TRUE(is_data(filter, model.data())) << bits << " bits, " << buckets << " buckets";
      ASSERT_EQ(filter.validate(), Status::kOk);
    }
  }
}

// Two keys meet in sub-table 0 and nowhere else. When y came, its bucket there was fuller than its
// next, so y lies in the next, and x in the first. If each sub-table had its own hash, erasing y
// would find x's cell.
TEST(DLeftTrap, ADeleteTakesTheRightKey) {
  const auto play = [](auto& table, std::uint64_t x, std::uint64_t y, std::uint64_t filler) {
    for (const std::uint64_t g : {filler, y}) (void)table.insert(g);
    (void)table.erase(filler);
    (void)table.insert(x);
    (void)table.erase(y);
    return table.count_of(x);
  };
  const std::uint64_t x = 1;
  Model independent(4, 5, true);
  const auto meets = [&](std::uint64_t g, std::uint32_t table) {
    return independent.place(g, table).bucket == independent.place(x, table).bucket;
  };
  std::uint64_t y = 2, filler = 2;
  while (independent.place(y, 0) != independent.place(x, 0) || meets(y, 1) || meets(y, 2) ||
         meets(y, 3))
    ++y;
  while (!meets(filler, 0) || independent.place(filler, 0) == independent.place(x, 0)) ++filler;
  EXPECT_EQ(play(independent, x, y, filler), 0u) << "the trap does not even catch what it is for";

  // Here keys that meet in any one sub-table have the same fingerprint.
  struct ByHash {
    Filter filter;
    Result<bool> insert(std::uint64_t g) { return filter.insert(hash_of(g)); }
    Result<bool> erase(std::uint64_t g) { return filter.erase(hash_of(g)); }
    std::uint32_t count_of(std::uint64_t g) const { return filter.count_of(hash_of(g)); }
  };
  const Model ours(4, 5);
  const std::uint64_t mine = g_of(2, 9, with_bits(4, 5)), next = g_of(2, 10, with_bits(4, 5));
  for (std::uint32_t table = 0; table < 4; ++table) {
    std::uint64_t other = 1;
    while (ours.place(other, table) != ours.place(mine, table)) other = fmix64(other);
    ASSERT_NE(other, mine);
    ByHash filter{with_bits(4, 5)};
    EXPECT_EQ(play(filter, mine, other, next), 1u) << "sub-table " << table;
  }
}

}  // namespace
}  // namespace tamis::test
