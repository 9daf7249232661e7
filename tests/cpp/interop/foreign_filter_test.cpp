// Filters of other libraries: their dumps, tables of every shape against a model, and false
// records.

#include <tamis/interop/foreign_filter.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "interop/foreign_model.hpp"
#include "support/support.hpp"
#include "support/test_calloc.hpp"

namespace tamis::test {
namespace {

using interop::ForeignFilter;

constexpr auto kMost32 = std::numeric_limits<std::uint32_t>::max();
constexpr auto kMost64 = std::numeric_limits<std::uint64_t>::max();

Result<ForeignFilter> make(const ForeignModel& model) {
  auto filter = ForeignFilter::create(model.shape, model.layers, model.bytes.size());
  if (filter.ok()) std::ranges::copy(model.bytes, filter->bytes().data());
  return filter;
}

Status status_of(ForeignRule rule, ForeignLayer layer, std::uint64_t bytes,
                 std::uint32_t width = 1) {
  const ForeignLayer layers[] = {layer};
  return ForeignFilter::create({.rule = rule, .width = width}, layers, bytes).status();
}

TEST(Metro64, VectorsOfGoMetro) {
  const auto lines = vector_lines("interop/seiflotfy/metro64.tsv");
  ASSERT_EQ(lines.size(), 49u);
  for (const std::string& line : lines) {
    const std::size_t tab = line.find('\t');
    const Bytes key = from_hex(line.substr(0, tab));
    const std::uint64_t expected = std::stoull(line.substr(tab + 1, 16), nullptr, 16);
    EXPECT_EQ(detail::metro64(HeapCopy(key).span(), 1337), expected) << line;
  }
}

TEST(ForeignFilter, ReadsADumpOfGo) {
  std::ifstream file(TAMIS_VECTORS_DIR "/interop/seiflotfy/strings3.cap1.bin", std::ios::binary);
  const std::string dump((std::istreambuf_iterator<char>(file)), {});
  ASSERT_EQ(dump.size(), 4u);
  const auto bytes = bytes_of(dump);
  const ForeignModel model{{.rule = ForeignRule::kGoCuckoo},
                           {{.size = 1, .offset = 0, .step = 4}},
                           {bytes.begin(), bytes.end()}};
  const auto filter = make(model);
  ASSERT_TRUE(filter.ok());
  // The empty key is the first of the three.
  EXPECT_TRUE(filter->may_contain({}));
  EXPECT_EQ(filter->size_bytes(), 4u);
}

TEST(ForeignFilter, AgreesWithAModelForEveryRule) {
  std::mt19937_64 random(15);
  const auto below = [&random](std::uint64_t n) { return random() % n; };
  std::size_t found = 0, asked = 0;
  for (int round = 0; round < 600; ++round) {
    ForeignModel model;
    model.shape = {.rule = static_cast<ForeignRule>(round % 6),
                   .width = 1u << (round / 6 % 3),
                   .seed = random(),
                   .hashes_keys = static_cast<std::uint32_t>(round / 18 % 2)};
    const bool is_table = model.shape.rule >= ForeignRule::kFuse;
    const std::uint64_t layers = is_table ? 1 : 1 + below(3);
    std::uint64_t offset = below(20);
    for (std::uint64_t i = 0; i < layers; ++i) {
      ForeignLayer layer{
          .size = 1 + below(300), .offset = static_cast<std::uint32_t>(offset), .step = 1};
      std::uint64_t needed = 3 * layer.size * model.shape.width;
      if (model.shape.rule == ForeignRule::kBloom) {
        layer.step = 1 + static_cast<std::uint32_t>(below(4));
        needed = (layer.size + 7) / 8;
      } else if (!is_table) {
        layer.size = std::bit_floor(layer.size);
        layer.step = 1 + static_cast<std::uint32_t>(below(7));
        needed = layer.size * layer.step;
      } else if (model.shape.rule == ForeignRule::kFuse) {
        layer.step = 1u << below(6);
        layer.size = layer.step * (1 + below(9));
        needed = (layer.size + 2 * layer.step) * model.shape.width;
      }
      model.layers.push_back(layer);
      offset += needed;
    }
    // There is not one byte too many, so the sanitizer sees a read behind them.
    model.bytes.resize(offset);
    for (std::byte& byte : model.bytes) byte = static_cast<std::byte>(random());
    if (model.shape.width > 1 && is_table) std::ranges::fill(model.bytes, std::byte{});
    const auto filter = make(model);
    ASSERT_TRUE(filter.ok());
    ASSERT_TRUE(std::ranges::equal(std::as_const(model.bytes), [&] {
      auto copy = make(model);
      return Bytes(copy->bytes().begin(), copy->bytes().end());
    }()));
    for (std::uint64_t number = 0; number < 200; ++number) {
      Bytes key = make_key(KeyFamily::kRandom, 1, number);
      key.resize(model.shape.hashes_keys != 0 || !is_table ? number % 70 : 8);
      const bool expected = model.contains(key);
      EXPECT_EQ(filter->may_contain(HeapCopy(key).span()), expected) << round << " " << number;
      found += expected;
      ++asked;
    }
  }
  EXPECT_GT(found, asked / 50);
  EXPECT_LT(found, asked / 2);
}

TEST(ForeignFilter, FindsAFingerprintOfEveryWidth) {
  for (const std::uint32_t width : {1u, 2u, 4u}) {
    const std::uint64_t number = 0x0123456789abcdef;
    Bytes key(8);
    set64(key, 0, number);
    const std::uint64_t hash = fmix64(number);
    // One block: the slot 0 has the fingerprint, and the other two are 0.
    ForeignModel model{{.rule = ForeignRule::kXor, .width = width},
                       {{.size = 1, .offset = 0, .step = 1}},
                       Bytes(3 * width)};
    Bytes print(8);
    set64(print, 0, hash ^ hash >> 32);
    std::ranges::copy_n(print.begin(), width, model.bytes.begin());
    EXPECT_TRUE(make(model)->may_contain(key)) << width;
    model.bytes[width - 1] ^= std::byte{0x80};
    EXPECT_FALSE(make(model)->may_contain(key)) << width;
  }
}

TEST(ForeignFilter, TakesKeysOfItsSizeAlone) {
  for (const ForeignRule rule : {ForeignRule::kFuse, ForeignRule::kXor}) {
    ForeignModel model{{.rule = rule}, {{.size = 4, .offset = 0, .step = 4}}, Bytes(12)};
    for (const std::size_t size : {0u, 1u, 7u, 8u, 9u, 16u}) {
      model.shape.hashes_keys = 0;
      EXPECT_EQ(make(model)->takes(Bytes(size)), size == 8);
      model.shape.hashes_keys = 1;
      EXPECT_TRUE(make(model)->takes(Bytes(size)));
    }
  }
  const ForeignModel bloom{{}, {{.size = 8, .offset = 0, .step = 1}}, Bytes(1)};
  EXPECT_TRUE(make(bloom)->takes({}));
}

TEST(ForeignFilter, RefusesLayersThatReachPastTheBytes) {
  const auto refuses = [](ForeignRule rule, ForeignLayer layer, std::uint64_t needed,
                          std::uint32_t width = 1) {
    layer.offset = 5;
    EXPECT_EQ(status_of(rule, layer, needed + 5, width), Status::kOk);
    EXPECT_EQ(status_of(rule, layer, needed + 4, width), Status::kCorrupt);
    layer.offset = 6;
    EXPECT_EQ(status_of(rule, layer, needed + 5, width), Status::kCorrupt);
    layer.offset = kMost32;
    EXPECT_EQ(status_of(rule, layer, needed + 5, width), Status::kCorrupt);
  };
  refuses(ForeignRule::kBloom, {.size = 17, .offset = 0, .step = 3}, 3);
  refuses(ForeignRule::kRedisCuckoo, {.size = 8, .offset = 0, .step = 3}, 24);
  refuses(ForeignRule::kGoCuckoo, {.size = 8, .offset = 0, .step = 4}, 32);
  refuses(ForeignRule::kGoCuckoo2018, {.size = 1, .offset = 0, .step = 4}, 4);
  refuses(ForeignRule::kFuse, {.size = 12, .offset = 0, .step = 4}, 80, 4);
  refuses(ForeignRule::kXor, {.size = 5, .offset = 0, .step = 1}, 30, 2);
}

TEST(ForeignFilter, RefusesImpossibleRecords) {
  for (std::uint32_t rule = 0; rule < 6; ++rule) {
    const ForeignRule which{rule};
    for (const std::uint64_t size :
         {std::uint64_t{0}, std::uint64_t{1} << 35, std::uint64_t{1} << 61, std::uint64_t{1} << 63,
          kMost64, kMost64 - 6, kMost64 / 3 + 1}) {
      for (const std::uint32_t step : {1u, 4u, 1u << 20, 1u << 31}) {
        EXPECT_EQ(status_of(which, {.size = size, .offset = 0, .step = step}, 100),
                  Status::kCorrupt);
      }
    }
    for (const std::uint32_t step : {0u, (1u << 20) + 1, 1u << 31, kMost32}) {
      EXPECT_EQ(status_of(which, {.size = 1, .offset = 0, .step = step}, 100), Status::kCorrupt);
    }
    for (const std::uint32_t width : {0u, 5u, 8u, kMost32}) {
      EXPECT_EQ(status_of(which, {.size = 1, .offset = 0, .step = 1}, 100, width),
                Status::kCorrupt);
    }
    EXPECT_EQ(ForeignFilter::create({.rule = which}, {}, 100).status(), Status::kCorrupt);
    EXPECT_EQ(status_of(which, {.size = 1, .offset = 0, .step = 1}, std::uint64_t{1} << 32),
              Status::kTooLarge);
  }
  // No power of two.
  EXPECT_EQ(status_of(ForeignRule::kGoCuckoo, {.size = 3, .offset = 0, .step = 4}, 100),
            Status::kCorrupt);
  EXPECT_EQ(status_of(ForeignRule::kFuse, {.size = 6, .offset = 0, .step = 3}, 100),
            Status::kCorrupt);
  // No whole segments.
  EXPECT_EQ(status_of(ForeignRule::kFuse, {.size = 6, .offset = 0, .step = 4}, 100),
            Status::kCorrupt);
  // The second of two layers.
  const ForeignLayer layers[] = {{.size = 8, .offset = 0, .step = 1},
                                 {.size = 9, .offset = 1, .step = 1}};
  EXPECT_EQ(ForeignFilter::create({}, layers, 2).status(), Status::kCorrupt);
  EXPECT_TRUE(ForeignFilter::create({}, layers, 3).ok());
  for (const ForeignRule rule : {ForeignRule::kFuse, ForeignRule::kXor}) {
    EXPECT_EQ(ForeignFilter::create({.rule = rule}, layers, 100).status(), Status::kCorrupt);
  }
}

// Slots of each width, from none to all of them used, in whole words and in a part of the last.
TEST(UnpackSlots, AgreesWithAModel) {
  std::mt19937_64 random(16);
  for (const std::uint32_t width : {1u, 2u, 4u}) {
    for (std::size_t words = 0; words < 40; ++words) {
      for (const unsigned fill : {0u, 1u, 7u, 8u}) {
        PackedSlots model{Bytes(8 * words), 0, Bytes((8 * words / width + 7) / 8), width};
        // The last slots of a file that ends in a word may be of none.
        const std::size_t slots = 8 * words / width - (words > 0 ? random() % (8 / width) : 0);
        for (std::size_t i = 0; i < slots; ++i) {
          if (random() % 8 < fill) {
            model.map[i / 8] |= std::byte{1} << i % 8;
            model.packed += width;
          }
        }
        for (std::size_t i = 0; i < model.packed; ++i) {
          model.slots[i] = static_cast<std::byte>(1 + random() % 255);
        }
        const auto expected = model.unpacked();
        ASSERT_TRUE(expected.has_value());
        HeapCopy slots_copy(model.slots), map(model.map);
        ASSERT_EQ(interop::unpack_slots(slots_copy.span(), model.packed, map.span().data(), width),
                  Status::kOk);
        ASSERT_TRUE(std::ranges::equal(slots_copy.span(), *expected)) << width << " " << words;
      }
    }
  }
}

TEST(UnpackSlots, RefusesAMapOfMoreOrFewerSlots) {
  for (const std::uint32_t width : {1u, 2u, 4u}) {
    for (std::size_t used = 0; used <= 16 / width; ++used) {
      Bytes map((16 / width + 7) / 8);
      for (std::size_t i = 0; i < used; ++i) map[i / 8] |= std::byte{1} << i % 8;
      for (std::size_t packed = 0; packed <= 40; ++packed) {
        Bytes slots(16, std::byte{9});
        EXPECT_EQ(interop::unpack_slots(slots, packed, HeapCopy(map).span().data(), width),
                  packed == used * width ? Status::kOk : Status::kCorrupt)
            << width << " " << used << " " << packed;
      }
    }
  }
}

TEST(ForeignFilter, SaysWhenMemoryIsShort) {
  const ForeignLayer layer{.size = 8, .offset = 0, .step = 1};
  tamis_fail_allocation(1);
  const Status short_of_memory = status_of(ForeignRule::kBloom, layer, 100);
  // A refused filter allocates nothing.
  tamis_fail_allocation(0);
  EXPECT_EQ(status_of(ForeignRule::kBloom, layer, 0), Status::kCorrupt);
  EXPECT_EQ(tamis_allocations(), 0u);
  EXPECT_EQ(status_of(ForeignRule::kBloom, layer, 100), Status::kOk);
  EXPECT_EQ(tamis_allocations(), 1u);
  EXPECT_EQ(short_of_memory, Status::kOutOfMemory);
}

}  // namespace
}  // namespace tamis::test
