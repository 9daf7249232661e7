// The arithmetic of invertible Bloom lookup tables: options, sizes, cells, subtraction, bytes.
// iblt_decode_test.cpp has what they list.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>

#include "filters/iblt_samples.hpp"

namespace tamis::test {
namespace {

constexpr std::uint32_t kKeyLengths[] = {4, 5, 7, 8, 31, 64};
constexpr std::size_t kDataAt = kHeaderBytes + 8;  // behind the record

Status status_of(std::uint64_t differences, std::uint32_t key_bytes,
                 const Hasher& hasher = Hasher()) {
  const InvertibleBloomTable::Config config{differences, key_bytes, hasher};
  const Status status = InvertibleBloomTable::size_for(config).status();
  // Too large tables are not tried, since a sanitizer's allocator may end the program.
  if (status != Status::kTooLarge) {
    EXPECT_EQ(InvertibleBloomTable::create(config).status(), status);
  }
  return status;
}

// The positions and the checksum as FORMAT.md states them, for tables of few cells.
struct Expected {
  std::array<std::uint64_t, 4> cells;
  std::uint64_t check;
};
Expected expected_places(const InvertibleBloomTable& table, Key key) {
  const std::uint64_t g = table.hasher().mix(table.hasher()(key));
  const std::uint64_t quarter = table.cells() / 4;
  Expected places{};
  for (std::uint64_t j = 0; j < 4; ++j) {
    places.cells[j] = j * quarter + ((splitmix64(g + j) >> 32) * quarter >> 32);
  }
  places.check = splitmix64(g + 4);
  return places;
}

// The payload of a table that holds each key so many times, cell by cell.
Bytes expected_payload(const InvertibleBloomTable& table, const std::map<Bytes, int>& keys) {
  const std::size_t cells = table.cells(), key_bytes = table.key_bytes();
  Bytes payload(8 + (cells * (12 + key_bytes) + 7) / 8 * 8);
  detail::store_le32(payload.data(), table.key_bytes());
  for (const auto& [key, copies] : keys) {
    const Expected at = expected_places(table, key);
    for (const std::size_t cell : at.cells) {
      std::byte* const count = payload.data() + 8 + 4 * cell;
      std::byte* const check = payload.data() + 8 + 4 * cells + 8 * cell;
      std::byte* const sum = payload.data() + 8 + 12 * cells + key_bytes * cell;
      detail::store_le32(count, detail::load_le32(count) + static_cast<std::uint32_t>(copies));
      detail::store_le64(check,
                         detail::load_le64(check) + static_cast<std::uint64_t>(copies) * at.check);
      for (std::size_t i = 0; copies % 2 != 0 && i < key_bytes; ++i) sum[i] ^= key[i];
    }
  }
  return payload;
}

Bytes payload_of(const InvertibleBloomTable& table) {
  const Bytes bytes = wire_bytes(table);
  return {bytes.begin() + kHeaderBytes, bytes.end()};
}

TEST(IbltOptions, Limits) {
  EXPECT_EQ(status_of(1, 4), Status::kOk);
  EXPECT_EQ(status_of(0, 8), Status::kInvalidOption);
  EXPECT_EQ(status_of(sizing::kMaxCount + 1, 8), Status::kInvalidOption);
  EXPECT_EQ(status_of(~std::uint64_t{0}, 8), Status::kInvalidOption);
  for (const std::uint32_t key_bytes : {0u, 1u, 3u, 65u, 1u << 31, ~0u}) {
    EXPECT_EQ(status_of(10, key_bytes), Status::kInvalidOption) << key_bytes;
  }
  for (const std::uint32_t key_bytes : kKeyLengths)
    EXPECT_EQ(status_of(10, key_bytes), Status::kOk);
  for (std::uint8_t id = 0; id < kHashIds; ++id) {
    const Status expected = HashId{id} == HashId::kXxh3 ? Status::kOk : Status::kInvalidOption;
    EXPECT_EQ(status_of(10, 8, Hasher(HashId{id})), expected) << "a keyed hash wants its key";
  }
  EXPECT_EQ(status_of(10, 8, Hasher(SipKey{}, 3)), Status::kOk);
}

TEST(IbltOptions, TooLarge) {
  EXPECT_EQ(status_of(sizing::kMaxCount, 64), Status::kTooLarge);
  EXPECT_EQ(status_of(sizing::kMaxCount, 4), Status::kTooLarge);
  std::uint64_t most = 1;  // the most differences that fit
  for (std::uint64_t step = std::uint64_t{1} << 52; step > 0; step /= 2) {
    if (InvertibleBloomTable::size_for({most + step, 8, {}}).ok()) most += step;
  }
  const auto bytes = [](std::uint64_t differences) {
    return sizing::iblt_bytes(sizing::iblt_cells(differences), 8);
  };
  EXPECT_LE(bytes(most), sizing::kIbltMaxBytes);
  EXPECT_GT(bytes(most + 1), sizing::kIbltMaxBytes);
  EXPECT_EQ(InvertibleBloomTable::size_for({most + 1, 8, {}}).status(), Status::kTooLarge);
}

TEST(IbltSize, CellsAreTheLeastMultipleOfFour) {
  for (std::uint64_t d = 1; d <= 20'000; ++d) {
    const std::uint64_t cells = sizing::iblt_cells(d);
    ASSERT_EQ(cells % 4, 0u);
    ASSERT_GE(10 * cells, 14 * d + 240) << d;
    ASSERT_LT(10 * (cells - 4), 14 * d + 240) << d;
  }
  static_assert(sizing::iblt_cells(1) == 28 && sizing::iblt_cells(50) == 96);
  static_assert(sizing::iblt_cells(1'000) == 1'424);
  // 7 d + 139 and the largest product keep inside 64 bits.
  constexpr std::uint64_t kMost = sizing::kMaxCount;
  static_assert(sizing::iblt_partition(kMost) == kMost / 20 * 7 + (kMost % 20 * 7 + 139) / 20);
  static_assert(sizing::iblt_bytes(sizing::iblt_cells(kMost), 64) / 76 >=
                sizing::iblt_cells(kMost));
}

TEST(IbltSize, BytesAreThoseOfTheCells) {
  for (const std::uint32_t key_bytes : kKeyLengths) {
    for (const std::uint64_t d : {1u, 10u, 11u, 500u}) {
      const auto table = iblt(d, key_bytes);
      const std::uint64_t bytes = (table.cells() * (12 + key_bytes) + 7) / 8 * 8;
      EXPECT_EQ(table.size_bytes(), bytes);
      EXPECT_EQ(*InvertibleBloomTable::size_for({d, key_bytes, {}}), bytes);
      EXPECT_EQ(table.header().payload_bytes, 8 + bytes);
      EXPECT_EQ(table.header().capacity, d);
      EXPECT_EQ(table.header().count, 0u);
      EXPECT_EQ(table.capacity(), d);
      EXPECT_EQ(table.differences(), d);
      EXPECT_EQ(table.key_bytes(), key_bytes);
      EXPECT_EQ(table.count(), 0u);
    }
  }
}

TEST(IbltKeys, AnotherLengthIsRefused) {
  for (const std::uint32_t key_bytes : kKeyLengths) {
    auto table = iblt(5, key_bytes);
    insert_all(table, iblt_keys(key_bytes, 0, 3));
    const Bytes before = wire_bytes(table);
    for (const std::size_t length : {std::size_t{0}, std::size_t{key_bytes} - 1,
                                     std::size_t{key_bytes} + 1, std::size_t{200}}) {
      EXPECT_EQ(table.insert(HeapCopy(Bytes(length)).span()), Status::kInvalidKey);
      EXPECT_EQ(table.erase(HeapCopy(Bytes(length)).span()), Status::kInvalidKey);
    }
    EXPECT_EQ(wire_bytes(table), before);
  }
}

TEST(IbltCells, AsTheFormatStatesThem) {
  for (const Hasher& hasher : hashers_of<InvertibleBloomTable>()) {
    for (const std::uint32_t key_bytes : kKeyLengths) {
      for (const std::uint64_t d : {1u, 7u, 100u}) {
        auto table = iblt(d, key_bytes, hasher);
        std::map<Bytes, int> held;
        for (std::uint64_t i = 0; i < 3 * d; ++i) {
          const Bytes key = iblt_key(key_bytes, i);
          const int copies = static_cast<int>(i % 5) - 2;  // -2 to 2
          for (int c = 0; c < std::abs(copies); ++c) {
            ASSERT_EQ(copies > 0 ? table.insert(key) : table.erase(key), Status::kOk);
          }
          held[key] = copies;
        }
        ASSERT_EQ(payload_of(table), expected_payload(table, held))
            << name_of(hasher) << ", " << key_bytes;
        ASSERT_EQ(table.validate(), Status::kOk);
      }
    }
  }
}

TEST(IbltCells, InsertAndEraseCancelInAnyOrder) {
  auto table = iblt(10, 31), other = iblt(10, 31);
  const Bytes empty = wire_bytes(table);
  const KeySet first = iblt_keys(31, 0, 40), second = iblt_keys(31, 20, 40);
  insert_all(table, first);
  erase_all(table, second);
  erase_all(other, second);
  insert_all(other, first);
  EXPECT_EQ(wire_bytes(table), wire_bytes(other));
  insert_all(table, second);
  erase_all(table, first);
  EXPECT_EQ(wire_bytes(table), empty);
  other.clear();
  EXPECT_EQ(wire_bytes(other), empty);
}

TEST(IbltCells, CountsWrap) {
  auto table = iblt(1, 8);
  Bytes bytes = wire_bytes(table);
  for (std::size_t cell = 0; cell < 28; ++cell)
    detail::store_le32(&bytes[kDataAt + 4 * cell], 0x7fffffff);
  repair_crcs(bytes);
  auto most = decode<InvertibleBloomTable>(bytes);
  ASSERT_TRUE(most.ok());
  const Bytes key = iblt_key(8, 1);
  ASSERT_EQ(most->insert(key), Status::kOk);
  const std::size_t cell = expected_places(*most, key).cells[0];
  EXPECT_EQ(detail::load_le32(&wire_bytes(*most)[kDataAt + 4 * cell]), 0x80000000u);
  EXPECT_FALSE(listed(*most).complete);
  auto down = table.subtract(*most);  // 0 - -2^31 is -2^31 again
  ASSERT_TRUE(down.ok());
  EXPECT_EQ(detail::load_le32(&wire_bytes(*down)[kDataAt + 4 * cell]), 0x80000000u);
  ASSERT_EQ(down->erase(key), Status::kOk);
  EXPECT_EQ(detail::load_le32(&wire_bytes(*down)[kDataAt + 4 * cell]), 0x7fffffffu);
  EXPECT_EQ(down->validate(), Status::kOk);
}

TEST(IbltSubtract, IsTheTableOfTheDifference) {
  for (const std::uint32_t key_bytes : kKeyLengths) {
    auto left = iblt(10, key_bytes), right = iblt(10, key_bytes), expected = iblt(10, key_bytes);
    insert_all(left, iblt_keys(key_bytes, 0, 1'000));
    insert_all(right, iblt_keys(key_bytes, 5, 1'002));
    insert_all(expected, iblt_keys(key_bytes, 0, 5));
    erase_all(expected, iblt_keys(key_bytes, 1'000, 7));
    const Bytes left_before = wire_bytes(left), right_before = wire_bytes(right);
    const auto difference = left.subtract(right);
    ASSERT_TRUE(difference.ok());
    EXPECT_EQ(wire_bytes(*difference), wire_bytes(expected));
    EXPECT_EQ(wire_bytes(left), left_before);
    EXPECT_EQ(wire_bytes(right), right_before);
    const auto nothing = left.subtract(left);
    ASSERT_TRUE(nothing.ok());
    EXPECT_EQ(wire_bytes(*nothing), wire_bytes(iblt(10, key_bytes)));
  }
}

TEST(IbltSubtract, WantsAPartnerMadeAlike) {
  const auto table = iblt(10, 8);
  EXPECT_EQ(table.subtract(iblt(10, 9)).status(), Status::kIncompatible);
  EXPECT_EQ(table.subtract(iblt(13, 8)).status(), Status::kIncompatible);
  EXPECT_EQ(table.subtract(iblt(10, 8, Hasher(HashId::kXxh3, 1))).status(), Status::kIncompatible);
  EXPECT_EQ(table.subtract(iblt(10, 8, Hasher(sip_key()))).status(), Status::kIncompatible);
  const auto keyed = iblt(10, 8, Hasher(sip_key()));
  EXPECT_EQ(keyed.subtract(iblt(10, 8, Hasher(sip_key(1)))).status(), Status::kIncompatible);
  EXPECT_TRUE(keyed.subtract(iblt(10, 8, Hasher(sip_key()))).ok());
  // Only the cells count: 3 and 4 differences have as many.
  const auto partner = iblt(3, 8).subtract(iblt(4, 8));
  ASSERT_TRUE(partner.ok());
  EXPECT_EQ(partner->differences(), 3u);
}

TEST(IbltWire, TheDeepCheck) {
  auto table = iblt(3, 5);  // 32 cells of 17 bytes
  insert_all(table, iblt_keys(5, 0, 9));
  const Bytes bytes = wire_bytes(table);
  const DeepCheck<InvertibleBloomTable> check(bytes);
  EXPECT_EQ(check.with64(kCapacityAt, 4), Status::kOk) << "as many cells";
  // Every bit of every cell is in a sum that the other partitions must repeat.
  for (std::size_t at = kDataAt; at < bytes.size(); ++at) {
    for (const unsigned bit : {0u, 7u}) {
      Bytes changed = bytes;
      changed[at] ^= static_cast<std::byte>(1u << bit);
      ASSERT_EQ(check.of(changed), Status::kCorrupt) << "byte " << at;
    }
  }
}

TEST(IbltMemory, EachAllocationMayFail) {
  auto table = iblt(20, 8);
  insert_all(table, iblt_keys(8, 0, 6));
  erase_all(table, iblt_keys(8, 10, 6));
  const Bytes bytes = wire_bytes(table);
  const auto expect = [&](std::size_t allocations, auto act) {
    for (std::size_t failing = 1; failing <= allocations + 1; ++failing) {
      tamis_fail_allocation(failing);
      const Status status = act();
      const std::size_t asked = tamis_allocations();
      tamis_fail_allocation(0);
      EXPECT_EQ(status, failing <= allocations ? Status::kOutOfMemory : Status::kOk) << failing;
      EXPECT_EQ(asked, std::min(failing, allocations));
      EXPECT_EQ(wire_bytes(table), bytes);
    }
  };
  expect(1, [&] { return InvertibleBloomTable::create({20, 8, {}}).status(); });
  expect(1, [&] { return table.clone().status(); });
  expect(1, [&] { return table.empty_copy().status(); });
  expect(1, [&] { return table.subtract(table).status(); });
  expect(1, [&] { return decode<InvertibleBloomTable>(bytes).status(); });
  expect(5, [&] { return table.decode().status(); });
}

}  // namespace
}  // namespace tamis::test
