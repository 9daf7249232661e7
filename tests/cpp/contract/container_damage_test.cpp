// Damaged bytes of every structure of structures.def: the code is the one that FORMAT.md's order of
// checks names. Each input is a heap block of exactly its size.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "contract/container_fixture.hpp"

namespace tamis::test {
namespace {

template <class F>
class DamagedContainer : public ContainerTest<F> {};
TYPED_TEST_SUITE(DamagedContainer, AllStructures);

TYPED_TEST(DamagedContainer, EveryTruncationIsTruncated) {
  for (const Bytes& bytes : this->samples()) {
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      const Bytes front(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
      this->expect_rejected(front, length < 8 ? Status::kNotTamis : Status::kTruncated, "cut",
                            length);
    }
  }
}

TYPED_TEST(DamagedContainer, EveryExtensionIsCorrupt) {
  for (const Bytes& bytes : this->samples()) {
    for (std::size_t more = 1; more <= 64; ++more) {
      for (const std::byte filler : {std::byte{0}, std::byte{0xff}}) {
        Bytes longer = bytes;
        longer.resize(bytes.size() + more, filler);
        this->expect_rejected(longer, Status::kCorrupt, "extension", more);
      }
    }
    Bytes twice = bytes;
    twice.insert(twice.end(), bytes.begin(), bytes.end());
    this->expect_rejected(twice, Status::kCorrupt, "second copy", bytes.size());
  }
}

TYPED_TEST(DamagedContainer, EveryOtherByteOfTheHeaderIsRejected) {
  for (const Bytes& bytes : this->samples()) {
    for (std::size_t at = 0; at < kHeaderBytes; ++at) {
      for (int change = 1; change < 256; ++change) {
        Bytes damaged = bytes;
        damaged[at] ^= static_cast<std::byte>(change);
        this->expect_rejected(damaged, this->code_of_damage(at), "byte", at);
      }
    }
  }
}

TYPED_TEST(DamagedContainer, EverySingleAndDoubleBitFlipIsRejected) {
  const auto flip = [](Bytes& bytes, std::size_t bit) {
    bytes[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
  };
  for (const Bytes& bytes : this->samples()) {
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
      Bytes damaged = bytes;
      flip(damaged, bit);
      this->expect_rejected(damaged, this->code_of_damage(bit / 8), "bit", bit);
    }
  }
  Bytes bytes = wire_bytes(make_filled<TypeParam>(1, hashers_of<TypeParam>().front()));
  // Every pair in small containers, an even choice of some 300,000 in larger ones.
  const std::size_t bits = bytes.size() * 8, stride = 1 + bits * bits / 600'000;
  for (std::size_t first = 0; first < bits; ++first) {
    flip(bytes, first);
    for (std::size_t second = first + 1 + first % stride; second < bits; second += stride) {
      flip(bytes, second);
      ASSERT_FALSE(decode<TypeParam>(bytes).ok()) << first << ", " << second;
      flip(bytes, second);
    }
    flip(bytes, first);
  }
}

std::size_t seed_bytes_of(HashId id) {
  if (!is_seeded(id)) return 0;
  return id == HashId::kSparkV2 ? 4 : 8;
}

// The codes that a changed field of the header may have once the checksums are right again; none:
// the field may hold any value, so the deep check decides.
std::vector<Status> codes_of_field(std::size_t at, std::size_t seed_bytes, bool is_keyed) {
  if (at < 8) return {Status::kNotTamis};
  if (at < kTypeAt) return {Status::kUnsupportedVersion};
  if (at == kTypeAt) return {Status::kUnknownType, Status::kWrongType};
  if (at == kHashAt) return {};
  if (at < kSeedAt) return {Status::kCorrupt};
  if (at < kKeyIdAt) return {at < kSeedAt + seed_bytes ? Status::kOk : Status::kCorrupt};
  if (at < kCapacityAt) return {is_keyed ? Status::kWrongKey : Status::kCorrupt};
  if (at < kPayloadBytesAt) return {};
  if (at < kPayloadCrcAt) return {Status::kTruncated, Status::kCorrupt, Status::kTooLarge};
  return {};
}

TYPED_TEST(DamagedContainer, RepairedFlipsAreRejectedOrAnotherValidStructure) {
  for (const Bytes& bytes : this->samples()) {
    const HashId id{std::to_integer<std::uint8_t>(bytes[kHashAt])};
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
      const std::size_t at = bit / 8;
      Bytes damaged = bytes;
      damaged[at] ^= static_cast<std::byte>(1u << (bit % 8));
      repair_crcs(damaged);
      const Status status = this->decode_and_use(damaged);
      const auto codes = codes_of_field(at, seed_bytes_of(id), id == HashId::kSipHash);
      if (at < kHeaderBytes && !codes.empty()) {
        ASSERT_TRUE(std::ranges::count(codes, status) == 1)
            << "bit " << bit << ": " << code(status);
      }
      if (at >= kHeaderBytes && status != Status::kOk) {
        ASSERT_EQ(status, Status::kCorrupt) << "bit " << bit;
      }
    }
  }
}

TYPED_TEST(DamagedContainer, RepairedBoundaryValuesInEveryField) {
  std::vector<std::uint64_t> values;
  for (const std::uint64_t limit :
       {std::uint64_t{0}, std::uint64_t{64}, kDefaultMaxBytes - kHeaderBytes, kDefaultMaxBytes,
        std::uint64_t{1} << 31, std::uint64_t{1} << 32, sizing::kMaxBits, std::uint64_t{1} << 40,
        std::uint64_t{1} << 53, std::uint64_t{1} << 61, std::uint64_t{1} << 63}) {
    values.insert(values.end(), {limit - 1, limit, limit + 1});
  }
  // Many of them end in the same 32 bits.
  std::set<std::uint32_t> narrow;
  for (const std::uint64_t value : values) narrow.insert(static_cast<std::uint32_t>(value));
  for (const Bytes& bytes : this->samples()) {
    const auto try_with = [&](std::size_t at, auto set, auto value) {
      Bytes damaged = bytes;
      set(damaged, at, value);
      repair_crcs(damaged);
      (void)this->decode_and_use(damaged);
    };
    for (std::size_t at = 0; at + 4 <= std::min<std::size_t>(bytes.size(), 128); at += 4) {
      for (const std::uint32_t value : narrow) try_with(at, set32, value);
      if (at % 8 != 0 || at + 8 > bytes.size()) continue;
      for (const std::uint64_t value : values) try_with(at, set64, value);
    }
  }
}

TYPED_TEST(DamagedContainer, TheHeadersLimits) {
  const Hasher hasher = hashers_of<TypeParam>().front();
  const Bytes bytes = wire_bytes(make_filled<TypeParam>(37, hasher));
  const auto with = [&](std::size_t at, std::uint64_t value) {
    Bytes changed = bytes;
    set64(changed, at, value);
    repair_crcs(changed);
    return changed;
  };
  for (const std::size_t at : {kCapacityAt, kCountAt}) {
    this->expect_rejected(with(at, sizing::kMaxCount + 1), Status::kTooLarge, "field", at);
    this->expect_rejected(with(at, ~std::uint64_t{0}), Status::kTooLarge, "field", at);
  }
  const std::uint64_t payload = bytes.size() - kHeaderBytes;
  this->expect_rejected(with(kPayloadBytesAt, payload - 1), Status::kCorrupt, "payload", 0);
  this->expect_rejected(with(kPayloadBytesAt, payload + 1), Status::kTruncated, "payload", 1);
  // 2^40 bits and more are over the limit, for any number of bytes.
  for (const std::uint64_t claim :
       {kDefaultMaxBytes - kHeaderBytes + 1, std::uint64_t{1} << 37, ~std::uint64_t{0}}) {
    this->expect_rejected(with(kPayloadBytesAt, claim), Status::kTooLarge, "claim", claim);
  }
  this->expect_rejected(with(kPayloadBytesAt, kDefaultMaxBytes - kHeaderBytes), Status::kTruncated,
                        "claim", 0);

  const HeapCopy copy(bytes);
  EXPECT_TRUE(decode<TypeParam>(copy.span(), {.max_bytes = bytes.size()}).ok());
  for (const std::uint64_t most :
       {bytes.size() - 1, std::size_t{64}, std::size_t{63}, std::size_t{0}}) {
    EXPECT_EQ(decode<TypeParam>(copy.span(), {.max_bytes = most}).status(), Status::kTooLarge)
        << most;
  }
  EXPECT_TRUE(decode<TypeParam>(copy.span(), {.max_bytes = ~std::uint64_t{0}}).ok());
}

TYPED_TEST(DamagedContainer, RepairedBlocksOfZerosAndOnesAndSwappedWords) {
  for (const Bytes& bytes : this->samples()) {
    for (const std::size_t block : {std::size_t{8}, std::size_t{512}}) {
      for (std::size_t at = 0; at < bytes.size(); at += 8) {
        for (const std::byte filler : {std::byte{0}, std::byte{0xff}}) {
          Bytes damaged = bytes;
          std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(at),
                      std::min(block, bytes.size() - at), filler);
          if (damaged != bytes) {
            ASSERT_FALSE(this->decode_copy(damaged).ok()) << block << " bytes at " << at;
          }
          repair_crcs(damaged);
          (void)this->decode_and_use(damaged);
        }
      }
    }
    for (std::size_t first = 0; first + 8 <= bytes.size(); first += 8) {
      for (std::size_t second = first + 8; second + 8 <= bytes.size(); second += 8) {
        Bytes damaged = bytes;
        std::swap_ranges(damaged.begin() + static_cast<std::ptrdiff_t>(first),
                         damaged.begin() + static_cast<std::ptrdiff_t>(first + 8),
                         damaged.begin() + static_cast<std::ptrdiff_t>(second));
        if (damaged != bytes) {
          ASSERT_FALSE(this->decode_copy(damaged).ok()) << first << " and " << second;
        }
        repair_crcs(damaged);
        (void)this->decode_and_use(damaged);
      }
    }
  }
}

TYPED_TEST(DamagedContainer, TheHeaderOfOneTypeBeforeThePayloadOfAnother) {
  const Bytes own = wire_bytes(make_filled<TypeParam>(37, hashers_of<TypeParam>().front()));
  const auto visit = [&](const Bytes& other) {
    if (other[kTypeAt] == own[kTypeAt]) return;
    this->expect_rejected(other, Status::kWrongType, "type", kTypeAt);
    Bytes mixed(own.begin(), own.begin() + kHeaderBytes);
    mixed.insert(mixed.end(), other.begin() + kHeaderBytes, other.end());
    ASSERT_FALSE(this->decode_copy(mixed).ok());
    set64(mixed, kPayloadBytesAt, other.size() - kHeaderBytes);
    repair_crcs(mixed);
    (void)this->decode_and_use(mixed);
    // And its own payload with the other's header fields.
    Bytes dressed(other.begin(), other.begin() + kHeaderBytes);
    dressed[kTypeAt] = own[kTypeAt];
    dressed[kHashAt] = own[kHashAt];
    dressed.insert(dressed.end(), own.begin() + kHeaderBytes, own.end());
    set64(dressed, kPayloadBytesAt, own.size() - kHeaderBytes);
    repair_crcs(dressed);
    (void)this->decode_and_use(dressed);
  };
  for_each_type([&]<class F>() {
    if constexpr (Structure<F>) visit(wire_bytes(make_filled<F>(37, hashers_of<F>().front())));
  });
}

}  // namespace
}  // namespace tamis::test
