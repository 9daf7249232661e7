// The container's parts: CRC-32C, the reader and writer, the registry, and the order of the checks.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "support/samples.hpp"

namespace tamis::test {
namespace {

TEST(Crc32c, PublishedVectors) {
  // The values are from RFC 3720, B.4, and from the catalogue of CRC algorithms.
  EXPECT_EQ(crc32c(Bytes(32)), 0x8a9136aau);
  EXPECT_EQ(crc32c(Bytes(32, std::byte{0xff})), 0x62a8ab43u);
  Bytes ascending = counting_bytes(32);
  EXPECT_EQ(crc32c(ascending), 0x46dd794eu);
  std::ranges::reverse(ascending);
  EXPECT_EQ(crc32c(ascending), 0x113fdb5cu);
  EXPECT_EQ(crc32c(bytes_of("123456789")), 0xe3069283u);
  EXPECT_EQ(crc32c({}), 0u);
}

// The definition, bit by bit.
std::uint32_t crc32c_by_bits(std::span<const std::byte> bytes) {
  std::uint32_t crc = ~std::uint32_t{0};
  for (const std::byte byte : bytes) {
    crc ^= std::to_integer<std::uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78u : 0u);
  }
  return ~crc;
}

TEST(Crc32c, EveryLengthAndAlignment) {
  const Bytes bytes = counting_bytes(400, 251);
  for (std::size_t from = 0; from < 9; ++from) {
    for (std::size_t length = 0; length < 300; ++length) {
      const auto part = std::span(bytes).subspan(from, length);
      ASSERT_EQ(crc32c(HeapCopy(part).span()), crc32c_by_bits(part)) << from << " " << length;
      ASSERT_EQ(crc32c(part), crc32c_by_bits(part)) << from << " " << length;
    }
  }
}

TEST(Crc32c, ContinuesAcrossParts) {
  const Bytes bytes = counting_bytes(100, 97);
  const auto all = std::span(bytes);
  for (std::size_t split = 0; split <= bytes.size(); ++split) {
    ASSERT_EQ(crc32c(all.subspan(split), crc32c(all.first(split))), crc32c(bytes)) << split;
  }
}

// A structure that writes another number of bytes than its header says.
struct Miscounted {
  std::uint64_t written;

  [[nodiscard]] Header header() const noexcept {
    return {FilterType::kBloomFilter, HashId::kXxh3, 0, 0, 1, 0, 16};
  }
  void write(ByteWriter& out) const noexcept {
    for (std::uint64_t i = 0; i < written; i += 4) out.u32(1);
  }
};

TEST(Encode, IsInternalUnlessThePayloadWasFilled) {
  for (const std::uint64_t written : {0u, 4u, 12u, 20u, 24u, 1'000u}) {
    Bytes bytes(kHeaderBytes + 16);
    EXPECT_EQ(encode_into(Miscounted{written}, bytes), Status::kInternal) << written;
    EXPECT_EQ(encode(Miscounted{written}).status(), Status::kInternal) << written;
  }
  Bytes bytes(kHeaderBytes + 16);
  EXPECT_EQ(encode_into(Miscounted{16}, bytes), Status::kOk);
  EXPECT_TRUE(encode(Miscounted{16}).ok());
}

TEST(ByteWriter, SaysWhetherItsSpanWasFilled) {
  Bytes bytes(8);
  ByteWriter out(bytes);
  EXPECT_FALSE(out.is_at_end());
  out.u32(1);
  EXPECT_FALSE(out.is_at_end());
  out.u32(2);
  EXPECT_TRUE(out.is_at_end());
  EXPECT_TRUE(out.take(0).empty());
  EXPECT_TRUE(out.is_at_end());
  EXPECT_TRUE(out.take(1).empty());
  EXPECT_FALSE(out.is_at_end());
}

TEST(ByteReader, ReadsToTheEndAndNoFurther) {
  const HeapCopy copy(counting_bytes(15));
  ByteReader in(copy.span());
  EXPECT_EQ(in.u32(), 0x03020100u);
  EXPECT_EQ(in.u64(), 0x0b0a090807060504u);
  EXPECT_EQ(in.remaining(), 3u);
  EXPECT_FALSE(in.overrun());
  EXPECT_EQ(in.u32(), 0u);
  EXPECT_TRUE(in.overrun());
  EXPECT_EQ(in.remaining(), 3u) << "a read that fails takes nothing";
  EXPECT_EQ(in.take(3).size(), 3u);
  EXPECT_TRUE(in.take(1).empty());
  EXPECT_TRUE(in.take(~std::size_t{0}).empty());
  EXPECT_TRUE(in.overrun()) << "is not forgotten";
  ByteReader nothing{std::span<const std::byte>()};
  EXPECT_TRUE(nothing.take(0).empty());
  EXPECT_FALSE(nothing.overrun());
  EXPECT_EQ(nothing.u64(), 0u);
  EXPECT_TRUE(nothing.overrun());
}

TEST(ByteWriter, WritesToTheEndAndNoFurther) {
  Bytes bytes(15, std::byte{0xaa});
  ByteWriter out{std::span(bytes).first(13)};
  out.u32(0x03020100);
  out.u64(0x0b0a090807060504);
  out.u32(0xffffffff);
  EXPECT_TRUE(out.take(2).empty());
  Bytes expected = counting_bytes(12);
  expected.resize(15, std::byte{0xaa});
  EXPECT_EQ(bytes, expected);
  EXPECT_EQ(out.take(1).size(), 1u);
}

TEST(Encode, RefusesWhatDecodeWouldRefuse) {
  const auto large = BitArray::create({.length = kDefaultMaxBytes * 8});
  EXPECT_EQ(encode(*large).status(), Status::kTooLarge);
  const auto small = BitArray::create({.length = 64});
  const std::uint64_t size = encoded_bytes(*small);
  EXPECT_EQ(encode(*small, size - 1).status(), Status::kTooLarge);
  EXPECT_TRUE(encode(*small, size).ok());
}

TEST(Registry, IdsAndNamesAreDistinct) {
  std::set<std::string> slugs;
  std::set<FilterType> types;
  for_each_type([&]<class F>() {
    const TypeInfo info = info_of(F::kType);
    EXPECT_TRUE(slugs.insert(info.slug).second) << info.slug;
    EXPECT_TRUE(types.insert(F::kType).second) << info.slug;
    EXPECT_EQ(static_cast<int>(F::kType) >= 32, !Structure<F>) << "32 and up are url's";
  });
  EXPECT_EQ(info_of(FilterType{0}).hashing, Hashing::kUnknownType);
}

TEST(ReadHeader, GivesWhatWasWritten) {
  Bytes bytes(kHeaderBytes + 8);
  const Header header{FilterType::kBloomFilter, HashId::kSipHash, 1, 2, 3, 4, 8};
  write_header(bytes, header);
  const FilterType type = header.type;
  for (const FilterType* expected : {static_cast<const FilterType*>(nullptr), &type}) {
    const auto read = read_header(HeapCopy(std::span(bytes).first(64)).span(), expected, 1'000);
    ASSERT_TRUE(read.ok()) << code(read.status());
    EXPECT_EQ(read->type, header.type);
    EXPECT_EQ(read->hash, header.hash);
    EXPECT_EQ(read->seed, 1u);
    EXPECT_EQ(read->key_id, 2u);
    EXPECT_EQ(read->capacity, 3u);
    EXPECT_EQ(read->count, 4u);
    EXPECT_EQ(read->payload_bytes, 8u);
  }
  EXPECT_EQ(hex(std::span(bytes).first(16)),
            "89544d530d0a1a0a"
            "0100"
            "01"
            "02"
            "00000000");
}

TEST(ReadHeader, EveryOtherTypeIsUnknown) {
  Bytes bytes = wire_bytes(make_filled<BloomFilter>(3, Hasher()));
  for (int id = 0; id < 256; ++id) {
    bytes[10] = static_cast<std::byte>(id);
    repair_crcs(bytes);
    const Status status = decode<BloomFilter>(HeapCopy(bytes).span()).status();
    const FilterType type{static_cast<std::uint8_t>(id)};
    EXPECT_EQ(status, info_of(type).hashing == Hashing::kUnknownType ? Status::kUnknownType
                      : type == FilterType::kBloomFilter             ? Status::kOk
                                                                     : Status::kWrongType)
        << id;
  }
}

// The fault is in the header itself, before any check of a type.
TEST(ReadHeader, HashIdsThatTheTypeDoesNotAllow) {
  for_each_type([]<class F>() {
    const TypeInfo info = info_of(F::kType);
    for (int id = 0; id < 256; ++id) {
      Bytes bytes(kHeaderBytes);
      write_header(bytes, {F::kType, HashId{static_cast<std::uint8_t>(id)}, 0, 0, 1, 0, 0});
      const bool is_once = id == 1 || id == 2;
      const bool is_scheme = (id >= 3 && id <= 6) || (id >= 8 && id <= 15);
      const bool is_allowed =
          info.hashing == Hashing::kUnhashed ? id == 0
          : !Structure<F>                    ? id == 7  // url's
                          : is_once || (is_scheme && info.hashing == Hashing::kBloomSchemes) ||
                                (id == 16 && info.hashing == Hashing::kSplitBlocks);
      EXPECT_EQ(read_header(bytes, nullptr, kDefaultMaxBytes).status(),
                is_allowed ? Status::kOk
                : id >= 17 ? Status::kUnsupportedVersion  // a later package's
                           : Status::kCorrupt)
          << info.slug << ", hash id " << id;
    }
  });
}

// In a url-delta the field of the seed names a list.
TEST(ReadHeader, SeedsOfListsAndDeltas) {
  for (const auto type : {FilterType::kUrlList, FilterType::kUrlDelta}) {
    for (const std::uint64_t value : {std::uint64_t{1}, ~std::uint64_t{0}}) {
      Bytes bytes(kHeaderBytes);
      write_header(bytes, {type, HashId::kSha256Prefix, value, 0, 1, 1, 0});
      EXPECT_EQ(read_header(bytes, nullptr, kDefaultMaxBytes).status(),
                type == FilterType::kUrlDelta ? Status::kOk : Status::kCorrupt);
      write_header(bytes, {type, HashId::kSha256Prefix, 0, value, 1, 1, 0});
      EXPECT_EQ(read_header(bytes, nullptr, kDefaultMaxBytes).status(), Status::kCorrupt);
    }
  }
}

// FORMAT.md's order of checks. A container with this fault and any later one gives the code of this
// fault.
struct Fault {
  const char* name;
  Status status;
  std::function<void(Bytes&)> make;
  bool breaks_header_crc = false;
};

TEST(OrderOfChecks, TheFirstFaultGivesTheCode) {
  const Bytes good = wire_bytes(make_filled<BloomFilter>(3, Hasher(sip_key(1))));
  const auto at = [](std::size_t offset, std::uint8_t value) {
    return [=](Bytes& bytes) { bytes[offset] = std::byte{value}; };
  };
  const auto u64_at = [](std::size_t offset, std::uint64_t value) {
    return [=](Bytes& bytes) { set64(bytes, offset, value); };
  };
  const std::vector<Fault> faults = {
      {"magic", Status::kNotTamis, at(0, 0)},
      {"version", Status::kUnsupportedVersion, at(8, 2)},
      {"header CRC", Status::kCorrupt, at(60, 0), true},
      {"type", Status::kUnknownType, at(10, 200)},
      {"hash", Status::kCorrupt, at(11, 7)},
      {"reserved", Status::kCorrupt, at(12, 1)},
      {"capacity", Status::kTooLarge, u64_at(32, std::uint64_t{1} << 53)},
      {"count", Status::kTooLarge, u64_at(40, std::uint64_t{1} << 53)},
      {"claim", Status::kTooLarge, u64_at(48, std::uint64_t{1} << 40)},
      {"short", Status::kTruncated, [](Bytes& bytes) { bytes.pop_back(); }},
      {"long", Status::kCorrupt, [](Bytes& bytes) { bytes.push_back(std::byte{0}); }},
      {"payload", Status::kCorrupt, [](Bytes& bytes) { bytes[70] ^= std::byte{1}; }},
      // The sample's key is not the key in hand.
      {"key", Status::kWrongKey, [](Bytes&) {}},
  };
  const auto status_of = [&](const Fault& first, const Fault* second) {
    Bytes bytes = good;
    // A later claim must not undo the fault.
    if (second != nullptr) second->make(bytes);
    first.make(bytes);
    if (!first.breaks_header_crc && (second == nullptr || !second->breaks_header_crc)) {
      set32(bytes, 60, crc32c(std::span(bytes).first(60)));
    } else {
      bytes[60] ^= std::byte{0x5a};
    }
    return decode<BloomFilter>(HeapCopy(bytes).span(), {.key = key_for(HashId::kSipHash)}).status();
  };
  for (std::size_t i = 0; i < faults.size(); ++i) {
    EXPECT_EQ(status_of(faults[i], nullptr), faults[i].status) << faults[i].name;
    for (std::size_t j = i + 1; j < faults.size(); ++j) {
      // Too short and too long at once are neither.
      if (faults[i].name == std::string("short") && faults[j].name == std::string("long")) continue;
      EXPECT_EQ(status_of(faults[i], &faults[j]), faults[i].status)
          << faults[i].name << " before " << faults[j].name;
    }
  }
}

TEST(OrderOfChecks, ShortBytes) {
  const Bytes good = wire_bytes(make_filled<BloomFilter>(3, Hasher()));
  for (std::size_t length = 0; length < 64; ++length) {
    Bytes front(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length));
    const auto status = [&] { return decode<BloomFilter>(HeapCopy(front).span()).status(); };
    EXPECT_EQ(status(), length < 8 ? Status::kNotTamis : Status::kTruncated) << length;
    if (length >= 10) {
      front[9] = std::byte{1};
      EXPECT_EQ(status(), Status::kUnsupportedVersion) << length;
    }
    if (length >= 1) {
      front[0] = std::byte{'T'};
      EXPECT_EQ(status(), Status::kNotTamis) << length;
    }
  }
  EXPECT_EQ(decode<BloomFilter>({}).status(), Status::kNotTamis);
}

}  // namespace
}  // namespace tamis::test
