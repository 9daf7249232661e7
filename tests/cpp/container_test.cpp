// What every structure of filters.def promises about its bytes: one encoding, and for damaged bytes
// the code that FORMAT.md's order of checks names. Each input is a heap block of exactly its size.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "samples.hpp"

namespace tamis::test {
namespace {

// Offsets of the header's fields (FORMAT.md).
constexpr std::size_t kTypeAt = 10, kHashAt = 11, kSeedAt = 16, kKeyIdAt = 24, kCapacityAt = 32,
                      kCountAt = 40, kPayloadBytesAt = 48, kPayloadCrcAt = 56;

template <class F>
class Container : public ::testing::Test {
 protected:
  // Small enough for sweeps, with a last word that is not full; empty, of one element, filled.
  static std::vector<Bytes> samples() {
    std::vector<Bytes> all;
    for (const Hasher& hasher : hashers_of<F>()) {
      all.push_back(encoded(make_empty<F>(1, hasher)));
      all.push_back(encoded(make_filled<F>(1, hasher)));
      all.push_back(encoded(make_filled<F>(37, hasher)));
    }
    return all;
  }

  static Result<F> decode_copy(const Bytes& bytes) {
    const HeapCopy copy(bytes);
    const HashId id = bytes.size() > kHashAt ? HashId{std::to_integer<std::uint8_t>(bytes[kHashAt])}
                                             : HashId::kNone;
    return decode<F>(copy.span(), {.key = key_for(id)});
  }

  // Rejects, or holds a structure that gives these very bytes back and survives use.
  static Status decode_and_use(const Bytes& bytes) {
    auto decoded = decode_copy(bytes);
    if (!decoded.ok()) return decoded.status();
    EXPECT_EQ(encoded(*decoded), bytes) << "not the one encoding";
    use_everything(*decoded);
    return Status::kOk;
  }

  // Nothing is allocated for bytes that the header or the checksums rule out.
  static void expect_rejected(const Bytes& bytes, Status expected, const char* what,
                              std::size_t at) {
    tamis_fail_allocation(0);
    const Status status = decode_copy(bytes).status();
    ASSERT_EQ(status, expected) << what << " at " << at << " of " << bytes.size() << ": "
                                << code(status) << ", not " << code(expected);
    ASSERT_EQ(tamis_allocations(), 0u) << what << " at " << at;
  }

  // The code of a change somewhere in the byte `at`, the checksums left as they were.
  static Status code_of_damage(std::size_t at) {
    if (at < 8) return Status::kNotTamis;
    return at < 10 ? Status::kUnsupportedVersion : Status::kCorrupt;
  }
};
TYPED_TEST_SUITE(Container, AllStructures);

TYPED_TEST(Container, RoundTripIsByteForByte) {
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    for (const std::uint64_t elements : {0u, 1u, 2u, 3u, 63u, 64u, 65u, 1'000u}) {
      const auto structure = make_filled<TypeParam>(elements, hasher);
      const Bytes bytes = encoded(structure);
      EXPECT_EQ(bytes.size(), kHeaderBytes + structure.header().payload_bytes);
      EXPECT_EQ(encoded_bytes(structure), bytes.size());
      EXPECT_EQ(bytes.size() % 8, 0u);
      const auto decoded = this->decode_copy(bytes);
      ASSERT_TRUE(decoded.ok()) << code(decoded.status());
      EXPECT_EQ(decoded->count(), structure.count());
      EXPECT_EQ(decoded->size_bytes(), structure.size_bytes());
      EXPECT_EQ(decoded->validate(), Status::kOk);
      EXPECT_TRUE(decoded->hasher().is_same(structure.hasher()));
      EXPECT_EQ(encoded(*decoded), bytes);
      if constexpr (Filter<TypeParam>) {
        EXPECT_EQ(decoded->capacity(), structure.capacity());
        EXPECT_EQ(decoded->fpr(), structure.fpr());
        for (std::uint64_t i = 0; i < elements; ++i) {
          ASSERT_TRUE(decoded->may_contain(make_key(KeyFamily::kUrls, 0, i)));
        }
      }
    }
  }
}

TYPED_TEST(Container, BytesAtAnyAddress) {
  const Bytes bytes = encoded(make_filled<TypeParam>(37, hashers_of<TypeParam>().front()));
  for (std::size_t shift = 0; shift < 16; ++shift) {
    Bytes shifted(shift);
    shifted.insert(shifted.end(), bytes.begin(), bytes.end());
    const auto decoded = decode<TypeParam>(std::span(shifted).subspan(shift));
    ASSERT_TRUE(decoded.ok());
    EXPECT_EQ(encoded(*decoded), bytes);
  }
}

TYPED_TEST(Container, EncodeIntoWantsExactlyTheSize) {
  const auto structure = make_filled<TypeParam>(37, hashers_of<TypeParam>().front());
  const Bytes bytes = encoded(structure);
  Bytes out(bytes.size());
  ASSERT_EQ(encode_into(structure, out), Status::kOk);
  EXPECT_EQ(out, bytes);
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{63}, bytes.size() - 1, bytes.size() + 1}) {
    Bytes other(size);
    EXPECT_EQ(encode_into(structure, other), Status::kInvalidOption) << size;
    EXPECT_EQ(other, Bytes(size)) << "written to all the same";
  }
}

TYPED_TEST(Container, CloneIsEqualAndItsOwn) {
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    auto structure = make_filled<TypeParam>(37, hasher, 100);
    const Bytes bytes = encoded(structure);
    auto copy = structure.clone();
    ASSERT_TRUE(copy.ok());
    EXPECT_EQ(encoded(*copy), bytes);
    for (std::uint64_t i = 40; i < 60; ++i) add(*copy, i);
    EXPECT_NE(encoded(*copy), bytes);
    EXPECT_EQ(encoded(structure), bytes);
  }
}

TYPED_TEST(Container, MovedFromMayBeAssignedAndDestroyed) {
  const Hasher hasher = hashers_of<TypeParam>().front();
  auto first = make_filled<TypeParam>(37, hasher);
  const Bytes bytes = encoded(first);
  TypeParam second = std::move(first);
  EXPECT_EQ(encoded(second), bytes);
  first = make_filled<TypeParam>(3, hasher);
  EXPECT_EQ(first.validate(), Status::kOk);
  first = std::move(second);
  EXPECT_EQ(encoded(first), bytes);
  TypeParam& self = first;
  first = std::move(self);
  EXPECT_EQ(encoded(first), bytes);
}

TYPED_TEST(Container, EveryTruncationIsTruncated) {
  for (const Bytes& bytes : this->samples()) {
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      const Bytes front(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
      this->expect_rejected(front, length < 8 ? Status::kNotTamis : Status::kTruncated, "cut",
                            length);
    }
  }
}

TYPED_TEST(Container, EveryExtensionIsCorrupt) {
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

TYPED_TEST(Container, EveryOtherByteOfTheHeaderIsRejected) {
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

TYPED_TEST(Container, EverySingleAndDoubleBitFlipIsRejected) {
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
  Bytes bytes = encoded(make_filled<TypeParam>(1, hashers_of<TypeParam>().front()));
  for (std::size_t first = 0; first < bytes.size() * 8; ++first) {
    flip(bytes, first);
    for (std::size_t second = first + 1; second < bytes.size() * 8; ++second) {
      flip(bytes, second);
      ASSERT_FALSE(decode<TypeParam>(bytes).ok()) << first << ", " << second;
      flip(bytes, second);
    }
    flip(bytes, first);
  }
}

// The codes that a changed field of the header may have once the checksums are right again; none:
// the field may hold any value, so the deep check decides.
std::vector<Status> codes_of_field(std::size_t at, bool is_seeded_road, bool is_keyed) {
  if (at < 8) return {Status::kNotTamis};
  if (at < kTypeAt) return {Status::kUnsupportedVersion};
  if (at == kTypeAt) return {Status::kUnknownType, Status::kWrongType};
  if (at == kHashAt) return {};
  if (at < kSeedAt) return {Status::kCorrupt};
  if (at < kKeyIdAt) return {is_seeded_road ? Status::kOk : Status::kCorrupt};
  if (at < kCapacityAt) return {is_keyed ? Status::kWrongKey : Status::kCorrupt};
  if (at < kPayloadBytesAt) return {};
  if (at < kPayloadCrcAt) return {Status::kTruncated, Status::kCorrupt, Status::kTooLarge};
  return {};
}

TYPED_TEST(Container, RepairedFlipsAreRejectedOrAnotherValidStructure) {
  for (const Bytes& bytes : this->samples()) {
    const HashId id{std::to_integer<std::uint8_t>(bytes[kHashAt])};
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
      const std::size_t at = bit / 8;
      Bytes damaged = bytes;
      damaged[at] ^= static_cast<std::byte>(1u << (bit % 8));
      repair_crcs(damaged);
      const Status status = this->decode_and_use(damaged);
      const auto codes = codes_of_field(at, is_seeded(id), id == HashId::kSipHash);
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

TYPED_TEST(Container, RepairedBoundaryValuesInEveryField) {
  std::vector<std::uint64_t> values;
  for (const std::uint64_t limit :
       {std::uint64_t{0}, std::uint64_t{64}, kDefaultMaxBytes - kHeaderBytes, kDefaultMaxBytes,
        std::uint64_t{1} << 31, std::uint64_t{1} << 32, sizing::kMaxBits, std::uint64_t{1} << 40,
        std::uint64_t{1} << 53, std::uint64_t{1} << 61, std::uint64_t{1} << 63}) {
    values.insert(values.end(), {limit - 1, limit, limit + 1});
  }
  for (const Bytes& bytes : this->samples()) {
    for (std::size_t at = 0; at + 4 <= std::min<std::size_t>(bytes.size(), 128); at += 4) {
      for (const std::uint64_t value : values) {
        for (const bool is_wide : {false, true}) {
          Bytes damaged = bytes;
          if (!is_wide) {
            detail::store_le32(damaged.data() + at, static_cast<std::uint32_t>(value));
          } else if (at % 8 == 0 && at + 8 <= bytes.size()) {
            detail::store_le64(damaged.data() + at, value);
          }
          repair_crcs(damaged);
          (void)this->decode_and_use(damaged);
        }
      }
    }
  }
}

TYPED_TEST(Container, TheHeadersLimits) {
  const Hasher hasher = hashers_of<TypeParam>().front();
  const Bytes bytes = encoded(make_filled<TypeParam>(37, hasher));
  const auto with = [&](std::size_t at, std::uint64_t value) {
    Bytes changed = bytes;
    detail::store_le64(changed.data() + at, value);
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
  // 2^40 bits and more are over the limit, whatever is in hand.
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

TYPED_TEST(Container, RepairedBlocksOfZerosAndOnesAndSwappedWords) {
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
    for (std::size_t first = 0; first < bytes.size(); first += 8) {
      for (std::size_t second = first + 8; second < bytes.size(); second += 8) {
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

// Calls visit with a sample of each type of the registry.
template <class Visit, class... Types>
void for_each_type(Visit visit, std::type_identity<::testing::Types<Types...>>) {
  (visit(encoded(make_filled<Types>(37, hashers_of<Types>().front()))), ...);
}

TYPED_TEST(Container, TheHeaderOfOneTypeBeforeThePayloadOfAnother) {
  const Bytes own = encoded(make_filled<TypeParam>(37, hashers_of<TypeParam>().front()));
  const auto visit = [&](const Bytes& other) {
    if (other[kTypeAt] == own[kTypeAt]) return;
    this->expect_rejected(other, Status::kWrongType, "type", kTypeAt);
    Bytes mixed(own.begin(), own.begin() + kHeaderBytes);
    mixed.insert(mixed.end(), other.begin() + kHeaderBytes, other.end());
    ASSERT_FALSE(this->decode_copy(mixed).ok());
    detail::store_le64(mixed.data() + kPayloadBytesAt, other.size() - kHeaderBytes);
    repair_crcs(mixed);
    (void)this->decode_and_use(mixed);
    // And its own payload with the other's header fields.
    Bytes dressed(other.begin(), other.begin() + kHeaderBytes);
    dressed[kTypeAt] = own[kTypeAt];
    dressed[kHashAt] = own[kHashAt];
    dressed.insert(dressed.end(), own.begin() + kHeaderBytes, own.end());
    detail::store_le64(dressed.data() + kPayloadBytesAt, own.size() - kHeaderBytes);
    repair_crcs(dressed);
    (void)this->decode_and_use(dressed);
  };
  for_each_type(visit, std::type_identity<AllStructures>());
}

TYPED_TEST(Container, HashIdsThatTheTypeDoesNotAllowAreCorrupt) {
  std::vector<std::uint8_t> allowed;
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    allowed.push_back(static_cast<std::uint8_t>(hasher.id()));
  }
  const Bytes bytes = encoded(make_filled<TypeParam>(37, hashers_of<TypeParam>().front()));
  for (int id = 0; id < 256; ++id) {
    if (std::ranges::count(allowed, id) != 0) continue;
    Bytes changed = bytes;
    changed[kHashAt] = static_cast<std::byte>(id);
    repair_crcs(changed);
    this->expect_rejected(changed, Status::kCorrupt, "hash id", static_cast<std::size_t>(id));
  }
}

TYPED_TEST(Container, Keys) {
  const SipKey key = sip_key(), other = sip_key(1);
  const bool is_hashed = (info_of<TypeParam>().traits & kUnhashed) == 0;
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    const HeapCopy copy(encoded(make_filled<TypeParam>(3, hasher)));
    const auto status = [&](const SipKey* with) {
      return decode<TypeParam>(copy.span(), {.key = with}).status();
    };
    if (hasher.id() == HashId::kSipHash) {
      EXPECT_TRUE(is_hashed);
      EXPECT_EQ(status(&key), Status::kOk);
      EXPECT_EQ(status(nullptr), Status::kKeyRequired);
      EXPECT_EQ(status(&other), Status::kWrongKey);
    } else {
      EXPECT_EQ(status(nullptr), Status::kOk);
      EXPECT_EQ(status(&key), Status::kWrongKey);
    }
  }
}

// Runs `operation` with its first, second, ... allocation failing until it succeeds.
template <class Operation>
void expect_survives_allocation_failure(Operation operation) {
  constexpr std::size_t kMost = 1'000;
  for (std::size_t number = 1; number <= kMost; ++number) {
    tamis_fail_allocation(number);
    const Status status = operation();
    const bool was_reached = tamis_allocations() >= number;
    tamis_fail_allocation(0);
    if (!was_reached) {
      EXPECT_EQ(status, Status::kOk);
      EXPECT_GT(number, 1u) << "never allocates";
      return;
    }
    ASSERT_EQ(status, Status::kOutOfMemory) << "allocation " << number;
  }
  FAIL() << "more than " << kMost << " allocations";
}

TYPED_TEST(Container, EveryAllocationMayFail) {
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    const auto structure = make_filled<TypeParam>(37, hasher);
    const Bytes bytes = encoded(structure);
    const auto config = config_for<TypeParam>(37, hasher);
    expect_survives_allocation_failure([&] { return TypeParam::create(config).status(); });
    expect_survives_allocation_failure([&] { return this->decode_copy(bytes).status(); });
    expect_survives_allocation_failure([&] { return structure.clone().status(); });
    expect_survives_allocation_failure([&] { return encode(structure).status(); });
    if constexpr (MutableFilter<TypeParam>) {
      expect_survives_allocation_failure([&] { return structure.empty_copy().status(); });
    }
    EXPECT_EQ(encoded(structure), bytes);
  }
}

}  // namespace
}  // namespace tamis::test
