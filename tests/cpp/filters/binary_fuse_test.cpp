// Properties of binary fuse filters besides their building: the slots of a key, the widths, the
// rate, the limits and the bytes.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "filters/binary_fuse_samples.hpp"
#include "support/format_table.hpp"

namespace tamis::test {
namespace {

Status status_of(BinaryFuseFilter::Config config, std::uint64_t capacity = 100) {
  Hashes hashes = fuse_hashes(capacity > 100 ? 100 : capacity);
  config.capacity = capacity;
  const Status status = BinaryFuseFilter::size_for(config).status();
  if (capacity <= 100) {
    EXPECT_EQ(BinaryFuseFilter::build(config, hashes).status(), status);
  }
  return status;
}

TEST(BinaryFusePlaces, AreThoseOfTheFormat) {
  for (const sizing::FuseShape shape : {sizing::FuseShape{1, 0},
                                        {1, 3},
                                        {7, 0},
                                        {5, 4},
                                        {1'000, 10},
                                        {3'000, 18},
                                        {16'380, 18},
                                        {0xfffffffc, 0}}) {
    const FusePlaces places(shape);
    for (std::uint64_t n = 0; n < 2'000; ++n) {
      const std::uint64_t g = n == 0 ? 0 : n == 1 ? ~std::uint64_t{0} : fmix64(n);
      const auto expected = places_of(g, shape.segments, std::uint64_t{1} << shape.segment_log, 4);
      for (std::size_t i = 0; i < 4; ++i) {
        ASSERT_EQ(places.slots(g)[i], expected[i]);
        ASSERT_LT(expected[i], shape.slots(static_cast<std::uint32_t>(i) + 1));
        ASSERT_EQ(expected[i] >> shape.segment_log, (expected[0] >> shape.segment_log) + i);
      }
      ASSERT_EQ(FusePlaces::fingerprint(g),
                (g ^ g / (std::uint64_t{1} << 32)) % (std::uint64_t{1} << 32));
    }
  }
}

TEST(BinaryFusePlaces, TheRowsOfTheFormat) {
  const auto rows = format_table("| C | s | g | F | p_0 | p_1 | p_2 | p_3 |");
  ASSERT_GT(rows.size(), 3u);
  for (const auto& row : rows) {
    ASSERT_EQ(row.size(), 8u);
    const std::uint64_t g = hexadecimal(row[2]);
    const sizing::FuseShape shape{static_cast<std::uint32_t>(decimal(row[0])),
                                  static_cast<std::uint32_t>(decimal(row[1]))};
    const FusePlaces places(shape);
    EXPECT_EQ(FusePlaces::fingerprint(g), hexadecimal(row[3]));
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(places.slots(g)[i], decimal(row[4 + i]));
  }
}

TEST(BinaryFuseShapes, TheRowsOfTheFormat) {
  const auto rows = format_table("| n | a | attempt | C | s |");
  ASSERT_GT(rows.size(), 3u);
  for (const auto& row : rows) {
    ASSERT_EQ(row.size(), 5u);
    const std::uint64_t keys = decimal(row[0]);
    const auto arity =
        row[1] == "-" ? sizing::fuse_arity(keys) : static_cast<std::uint32_t>(decimal(row[1]));
    const auto shape = sizing::fuse_shape(keys, arity, static_cast<std::uint32_t>(decimal(row[2])));
    EXPECT_EQ(shape.segments, decimal(row[3])) << row[0];
    EXPECT_EQ(shape.segment_log, decimal(row[4])) << row[0];
  }
}

// Loads differ between widths of whole bytes and other widths, and between batches and single keys.
TEST(BinaryFuseLookUp, AnswersWhatTheSlotsSay) {
  const Hashes asked = fuse_hashes(2'000);  // the first of them are keys
  for (const std::uint32_t arity : {3u, 4u}) {
    for (std::uint32_t bits = 1; bits <= 32; ++bits) {
      const auto filter = fuse(fuse_hashes(300), fuse_config(bits, arity));
      const auto slots = slots_of(filter);
      const auto [segments, log] = filter.shape();
      std::vector<std::uint8_t> answers(asked.size(), 2);
      filter.may_contain(asked, answers.data());
      for (std::size_t i = 0; i < asked.size(); ++i) {
        const std::uint64_t g = filter.hasher().mix(Hash{asked[i]});
        std::uint64_t sum = FusePlaces::fingerprint(g);
        for (const std::uint64_t at : places_of(g, segments, std::uint64_t{1} << log, arity)) {
          sum ^= slots[static_cast<std::size_t>(at)];
        }
        const bool is_in = sum % (std::uint64_t{1} << bits) == 0;
        ASSERT_EQ(filter.may_contain(Hash{asked[i]}), is_in) << bits << " bits, key " << i;
        ASSERT_EQ(answers[i], is_in ? 1 : 0) << bits << " bits, key " << i;
      }
    }
  }
}

TEST(BinaryFuseLookUp, BatchesOfAnyLength) {
  for (const std::uint64_t keys : {0u, 1u, 50u}) {
    const auto filter = fuse(fuse_hashes(keys), fuse_config(3));
    for (std::size_t size = 0; size <= 130; ++size) {
      const Hashes asked = fuse_hashes(size);
      std::vector<std::uint8_t> answers(size + 1, 2);
      filter.may_contain(asked, answers.data());
      for (std::size_t i = 0; i < size; ++i) {
        ASSERT_EQ(answers[i], filter.may_contain(Hash{asked[i]}) ? 1 : 0) << i << " of " << size;
      }
      ASSERT_EQ(answers[size], 2) << "nothing behind the end is written";
    }
  }
}

TEST(BinaryFuseLookUp, ByKeyAsByHash) {
  for (const Hasher& hasher : {Hasher(), Hasher(HashId::kXxh3, 99), Hasher(SipKey{}, 5)}) {
    Hashes hashes;
    for (std::uint64_t i = 0; i < 200; ++i) {
      hashes.push_back(static_cast<std::uint64_t>(hasher(make_key(KeyFamily::kUrls, 0, i))));
    }
    const auto filter = fuse(hashes, fuse_config(9, 0, hasher));
    for (std::uint64_t i = 0; i < 200; ++i)
      EXPECT_TRUE(filter.may_contain(make_key(KeyFamily::kUrls, 0, i)));
    for (std::uint64_t i = 0; i < 200; ++i) {
      const Bytes key = make_key(KeyFamily::kUrls, 1, i);
      EXPECT_EQ(filter.may_contain(key), filter.may_contain(hasher(key)));
    }
  }
}

TEST(BinaryFuseRate, OfAbsentKeys) {
  constexpr std::uint64_t kAbsentKeys = 200'000;
  const Hashes absent_keys = fuse_hashes(kAbsentKeys, 1);
  std::vector<std::uint8_t> answers(kAbsentKeys);
  for (const std::uint64_t keys : {1u, 10u, 1'000u, 20'000u}) {
    for (const std::uint32_t arity : {3u, 4u}) {
      for (const std::uint32_t bits : {1u, 2u, 3u, 5u, 8u, 11u, 16u}) {
        const auto filter = fuse(fuse_hashes(keys), fuse_config(bits, arity));
        EXPECT_EQ(filter.fpr(), std::ldexp(1, -static_cast<int>(bits)));
        EXPECT_EQ(filter.estimated_fpr(), filter.fpr());
        filter.may_contain(absent_keys, answers.data());
        std::uint64_t hits = 0;
        for (const std::uint8_t answer : answers) hits += answer;
        // Most slots of few keys are 0, and so are the fingerprints of the absent keys here.
        EXPECT_TRUE(is_plausible(hits, kAbsentKeys, filter.fpr()))
            << keys << " keys, arity " << arity << ", " << bits << " bits: " << hits;
      }
    }
  }
}

TEST(BinaryFuseLimits, Options) {
  EXPECT_EQ(status_of({}), Status::kOk);
  EXPECT_EQ(status_of({.hasher = Hasher(SipKey{})}), Status::kOk);
  for (const std::uint32_t arity : {1u, 2u, 5u, 8u, 1u << 31, ~0u}) {
    EXPECT_EQ(status_of({.arity = arity}), Status::kInvalidOption) << arity;
  }
  for (const std::uint32_t bits : {33u, 64u, 1u << 31, ~0u}) {
    EXPECT_EQ(status_of({.fingerprint_bits = bits}), Status::kInvalidOption) << bits;
  }
  for (const double fpr : {0.0, -1.0, 1.0, 1e-40, 0x1p-33, 0x1p-32 * 0.999, std::nan("")}) {
    EXPECT_EQ(status_of({.fpr = fpr}), Status::kInvalidOption) << fpr;
    EXPECT_EQ(status_of({.fpr = fpr, .fingerprint_bits = 8}), Status::kOk) << fpr;
  }
  for (const HashId id : {HashId::kNone, HashId::kSipHash, HashId::kSeeds, HashId::kDigest,
                          HashId::kMurmur2aFnv1a, HashId::kGuava}) {
    EXPECT_EQ(status_of({.hasher = Hasher(id)}), Status::kInvalidOption);
  }
  for (const std::uint64_t capacity : {std::uint64_t{0}, sizing::kMaxCount + 1}) {
    EXPECT_EQ(BinaryFuseFilter::size_for({.capacity = capacity}).status(), Status::kInvalidOption);
  }
}

TEST(BinaryFuseLimits, TheFewestBitsThatKeepTheRate) {
  for (std::uint32_t bits = 1; bits <= 32; ++bits) {
    const double rate = std::ldexp(1, -static_cast<int>(bits));
    EXPECT_EQ(fuse(fuse_hashes(10), {.fpr = rate}).fingerprint_bits(), bits);
    EXPECT_EQ(fuse(fuse_hashes(10), {.fpr = rate * 1.999}).fingerprint_bits(), bits);
  }
}

TEST(BinaryFuseLimits, Sizes) {
  for (const std::uint64_t keys : {1u, 2u, 100u, 5'000u}) {
    for (const std::uint32_t bits : {1u, 8u, 13u, 32u}) {
      const auto filter = fuse(fuse_hashes(keys), fuse_config(bits, 4));
      const auto size =
          BinaryFuseFilter::size_for({.capacity = keys, .fingerprint_bits = bits, .arity = 4});
      ASSERT_TRUE(size.ok());
      EXPECT_EQ(filter.header().payload_bytes, 8 + filter.size_bytes());
      if (attempt_of(filter) < 3) {
        EXPECT_EQ(filter.size_bytes(), *size);
      } else {
        EXPECT_GT(filter.size_bytes(), *size);
      }
    }
  }
  EXPECT_EQ(status_of({}, sizing::kMaxFuseKeys), Status::kOk);
  EXPECT_EQ(status_of({}, sizing::kMaxFuseKeys + 1), Status::kTooLarge);
  EXPECT_EQ(status_of({}, sizing::kMaxCount), Status::kTooLarge);
}

// The tightest tables that are known to do, and the figures in docs/benchmarks.md.
TEST(BinaryFuseLimits, BitsPerKey) {
  const auto bits_per_key = [](std::uint64_t keys, std::uint32_t arity) {
    return static_cast<double>(sizing::fuse_shape(keys, arity, 0).slots(arity)) * 8 /
           static_cast<double>(keys);
  };
  EXPECT_LE(bits_per_key(1'000'000, 4), 8.65);
  EXPECT_LE(bits_per_key(1'000'000, 3), 9.05);
  for (std::uint64_t keys = 1'000'000; keys < sizing::kMaxFuseKeys; keys = keys * 5 / 4) {
    EXPECT_LE(bits_per_key(keys, 4), 8.65) << keys;
    EXPECT_LE(bits_per_key(keys, 3), 9.05) << keys;
  }
  for (const std::uint32_t arity : {3u, 4u}) {
    double before = 100;
    for (const std::uint64_t keys : {100u, 1'000u, 10'000u, 100'000u, 1'000'000u}) {
      EXPECT_LT(bits_per_key(keys, arity), before) << keys;
      before = bits_per_key(keys, arity);
    }
  }
}

TEST(BinaryFuseWire, TheSlotsStandWhereTheFormatSays) {
  const auto filter = fuse({7}, fuse_config(13, 4));
  const Bytes bytes = wire_bytes(filter);
  const auto [segments, log] = filter.shape();
  ASSERT_EQ(bytes.size(), 64u + 8u + (filter.shape().slots(4) * 13 + 63) / 64 * 8);
  EXPECT_EQ(detail::load_le64(bytes.data() + kCapacityAt), 1u);
  EXPECT_EQ(detail::load_le64(bytes.data() + kCountAt), 1u);
  EXPECT_EQ(detail::load_le32(bytes.data() + kHeaderBytes), segments);
  EXPECT_EQ(bytes[68], std::byte{static_cast<unsigned char>(log)});
  EXPECT_EQ(bytes[69], std::byte{4});
  EXPECT_EQ(bytes[70], std::byte{13});
  EXPECT_EQ(bytes[71], std::byte{0});
  // With one key, one of its slots has its fingerprint, and all else is 0.
  const std::uint64_t g = fmix64(7);
  const std::uint32_t fingerprint = FusePlaces::fingerprint(g) % (1u << 13);
  std::uint64_t found = 0;
  for (const std::uint64_t at : places_of(g, segments, std::uint64_t{1} << log, 4)) {
    found += slots_of(filter)[static_cast<std::size_t>(at)] == fingerprint ? 1u : 0u;
  }
  EXPECT_EQ(found, 1u);
  std::uint64_t used = 0;
  for (const std::uint32_t slot : slots_of(filter)) used += slot != 0 ? 1u : 0u;
  EXPECT_EQ(used, 1u);
}

TEST(BinaryFuseWire, TheDeepCheck) {
  const auto filter = fuse(fuse_hashes(20), fuse_config(5, 3));
  const Bytes bytes = wire_bytes(filter);
  const auto [segments, log] = filter.shape();
  const std::uint64_t slots = filter.shape().slots(3);
  const DeepCheck<BinaryFuseFilter> check(bytes);
  const auto with_counts = [&](std::uint64_t count) {
    Bytes changed = bytes;
    set64(changed, kCapacityAt, count);
    set64(changed, kCountAt, count);
    return check.of(changed);
  };
  EXPECT_EQ(check.unchanged(), Status::kOk);
  EXPECT_EQ(check.with64(kCapacityAt, 21), Status::kCorrupt) << "capacity and count differ";
  EXPECT_EQ(check.with64(kCountAt, 19), Status::kCorrupt);
  EXPECT_EQ(with_counts(0), Status::kCorrupt);
  EXPECT_EQ(with_counts(10), Status::kCorrupt) << "more slots in use than keys";
  EXPECT_EQ(with_counts(slots), Status::kOk);
  EXPECT_EQ(with_counts(slots + 1), Status::kCorrupt) << "more keys than slots";
  for (const std::uint32_t c : {0u, segments + 20, 1u << 31, ~0u}) {
    EXPECT_EQ(check.with32(64, c), Status::kCorrupt) << c << " segments";
  }
  for (const std::uint32_t s : {log + 1, log + 2, 18u, 19u, 32u, 64u, 255u}) {
    EXPECT_EQ(check.with(68, s, 1), Status::kCorrupt) << "segments of 2^" << s;
  }
  for (const std::uint32_t arity : {0u, 1u, 2u, 5u, 255u})
    EXPECT_EQ(check.with(69, arity, 1), Status::kCorrupt);
  for (const std::uint32_t bits : {0u, 1u, 8u, 32u, 33u, 255u})
    EXPECT_EQ(check.with(70, bits, 1), Status::kCorrupt);
  for (const std::uint32_t zero : {1u, 128u}) EXPECT_EQ(check.with(71, zero, 1), Status::kCorrupt);
  ASSERT_NE(slots * 5 % 64, 0u);
  for (std::uint64_t bit = slots * 5; bit % 64 != 0; ++bit) {
    Bytes changed = bytes;
    changed[static_cast<std::size_t>(72 + bit / 8)] |= static_cast<std::byte>(1u << (bit % 8));
    EXPECT_EQ(check.of(changed), Status::kCorrupt) << "bit " << bit << " is past the end";
  }
  for (const std::size_t length : {64u, 68u, 72u, 80u}) {
    Bytes changed(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
    set64(changed, kPayloadBytesAt, length - 64);
    EXPECT_EQ(check.of(changed), Status::kCorrupt) << length << " bytes";
  }
}

TEST(BinaryFuseWire, TheDeepCheckOfNoKeys) {
  const Bytes bytes = wire_bytes(fuse({}, fuse_config(5, 4)));
  ASSERT_EQ(bytes.size(), 72u);
  for (std::size_t at = 64; at < 72; ++at) {
    for (unsigned value = 0; value < 256; ++value) {
      Bytes changed = bytes;
      changed[at] = static_cast<std::byte>(value);
      repair_crcs(changed);
      const auto decoded = decode<BinaryFuseFilter>(changed);
      const bool is_valid = (at == 69 && (value == 3 || value == 4)) ||
                            (at == 70 && value >= 1 && value <= 32) || changed == bytes;
      ASSERT_EQ(decoded.ok(), is_valid) << "byte " << at << " is " << value;
      if (is_valid) {
        EXPECT_EQ(wire_bytes(*decoded), changed);
        EXPECT_FALSE(decoded->may_contain(Hash{0}));
      } else {
        EXPECT_EQ(decoded.status(), Status::kCorrupt);
      }
    }
  }
}

// The bytes are refused, or are another filter that answers and keeps its bytes.
TEST(BinaryFuseWire, EveryDamagedByte) {
  for (const std::uint32_t arity : {3u, 4u}) {
    const Bytes bytes = wire_bytes(fuse(fuse_hashes(60), fuse_config(7, arity)));
    for (std::size_t at = 10; at < bytes.size(); ++at) {
      for (unsigned bit = 0; bit < 8; ++bit) {
        Bytes changed = bytes;
        changed[at] ^= static_cast<std::byte>(1u << bit);
        repair_crcs(changed);
        const HeapCopy copy(changed);
        const auto decoded = decode<BinaryFuseFilter>(copy.span());
        if (!decoded.ok()) continue;
        ASSERT_EQ(wire_bytes(*decoded), changed) << "byte " << at;
        ASSERT_EQ(decoded->validate(), Status::kOk);
        for (std::uint64_t i = 0; i < 50; ++i) (void)decoded->may_contain(Hash{splitmix64(i)});
      }
    }
  }
}

TEST(BinaryFuseWire, CopiesAreEqual) {
  for (const std::uint64_t keys : {0u, 1u, 1'000u}) {
    const auto filter = fuse(fuse_hashes(keys), fuse_config(11, 0, Hasher(SipKey{}, 3)));
    const auto copy = filter.clone();
    ASSERT_TRUE(copy.ok());
    EXPECT_EQ(wire_bytes(*copy), wire_bytes(filter));
    const SipKey key{};
    const auto decoded = decode<BinaryFuseFilter>(wire_bytes(filter), {.key = &key});
    ASSERT_TRUE(decoded.ok());
    EXPECT_EQ(wire_bytes(*decoded), wire_bytes(filter));
    for (const std::uint64_t hash : fuse_hashes(keys))
      ASSERT_TRUE(decoded->may_contain(Hash{hash}));
  }
}

}  // namespace
}  // namespace tamis::test
