// Promises of every structure of structures.def about its bytes. It has one encoding, which is read
// back unchanged, its own copies, and the key that it needs. It also fails well without memory.

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include "contract/container_fixture.hpp"

namespace tamis::test {
namespace {

template <class F>
class Container : public ContainerTest<F> {};
TYPED_TEST_SUITE(Container, AllStructures);

TYPED_TEST(Container, RoundTripIsByteForByte) {
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    for (const std::uint64_t elements : {0u, 1u, 2u, 3u, 63u, 64u, 65u, 1'000u}) {
      const auto structure = make_filled<TypeParam>(elements, hasher);
      const Bytes bytes = wire_bytes(structure);
      EXPECT_EQ(bytes.size(), kHeaderBytes + structure.header().payload_bytes);
      EXPECT_EQ(encoded_bytes(structure), bytes.size());
      // A structure that is built to be shipped is packed to the byte.
      if (!BuiltOnce<TypeParam>) EXPECT_EQ(bytes.size() % 8, 0u);
      const auto decoded = this->decode_copy(bytes);
      ASSERT_TRUE(decoded.ok()) << code(decoded.status());
      EXPECT_EQ(decoded->count(), structure.count());
      EXPECT_EQ(decoded->size_bytes(), structure.size_bytes());
      EXPECT_EQ(decoded->validate(), Status::kOk);
      EXPECT_EQ(decoded->hasher(), structure.hasher());
      EXPECT_EQ(wire_bytes(*decoded), bytes);
      if constexpr (Filter<TypeParam>) {
        EXPECT_EQ(decoded->capacity(), structure.capacity());
        EXPECT_EQ(decoded->fpr(), structure.fpr());
        for (std::uint64_t i = 0; i < elements; ++i) {
          ASSERT_TRUE(decoded->may_contain(own_key(i)));
        }
      }
      if constexpr (BuiltOnce<TypeParam>) {
        EXPECT_EQ(decoded->count(), elements);
        EXPECT_TRUE(holds_all(*decoded, own_hashes(hasher, elements)));
      }
    }
  }
}

TYPED_TEST(Container, BytesAtAnyAddress) {
  const Bytes bytes = wire_bytes(make_filled<TypeParam>(37, hashers_of<TypeParam>().front()));
  for (std::size_t shift = 0; shift < 16; ++shift) {
    Bytes shifted(shift);
    shifted.insert(shifted.end(), bytes.begin(), bytes.end());
    const auto decoded = decode<TypeParam>(std::span(shifted).subspan(shift));
    ASSERT_TRUE(decoded.ok());
    EXPECT_EQ(wire_bytes(*decoded), bytes);
  }
}

TYPED_TEST(Container, EncodeIntoWantsExactlyTheSize) {
  const auto structure = make_filled<TypeParam>(37, hashers_of<TypeParam>().front());
  const Bytes bytes = wire_bytes(structure);
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
    const Bytes bytes = wire_bytes(structure);
    auto copy = structure.clone();
    ASSERT_TRUE(copy.ok());
    EXPECT_EQ(wire_bytes(*copy), bytes);
    if constexpr (BuiltOnce<TypeParam>) {
      // The copy owns its memory, since the original goes.
      structure = make_filled<TypeParam>(3, hasher);
      EXPECT_EQ(wire_bytes(*copy), bytes);
      EXPECT_TRUE(holds_all(*copy, own_hashes(hasher, 37)));
    } else {
      for (std::uint64_t i = 40; i < 60; ++i) add(*copy, i);
      EXPECT_NE(wire_bytes(*copy), bytes);
      EXPECT_EQ(wire_bytes(structure), bytes);
    }
  }
}

TYPED_TEST(Container, MovedFromMayBeAssignedAndDestroyed) {
  const Hasher hasher = hashers_of<TypeParam>().front();
  auto first = make_filled<TypeParam>(37, hasher);
  const Bytes bytes = wire_bytes(first);
  TypeParam second = std::move(first);
  EXPECT_EQ(wire_bytes(second), bytes);
  first = make_filled<TypeParam>(3, hasher);
  EXPECT_EQ(first.validate(), Status::kOk);
  first = std::move(second);
  EXPECT_EQ(wire_bytes(first), bytes);
  TypeParam& self = first;
  first = std::move(self);
  EXPECT_EQ(wire_bytes(first), bytes);
}

TYPED_TEST(Container, Keys) {
  const SipKey key = sip_key(), other = sip_key(1);
  const bool is_hashed = hashing_of<TypeParam>() != Hashing::kUnhashed;
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    const HeapCopy copy(wire_bytes(make_filled<TypeParam>(3, hasher)));
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

TYPED_TEST(Container, EveryAllocationMayFail) {
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    const auto structure = make_filled<TypeParam>(37, hasher);
    const Bytes bytes = wire_bytes(structure);
    const auto config = config_for<TypeParam>(37, hasher);
    Hashes hashes;
    if constexpr (BuiltOnce<TypeParam>) hashes = own_hashes(hasher, 37);
    fail_each_allocation([&] { return make<TypeParam>(config, hashes).status(); });
    fail_each_allocation([&] { return make<TypeParam>(config).status(); });
    fail_each_allocation([&] { return this->decode_copy(bytes).status(); });
    fail_each_allocation([&] { return structure.clone().status(); });
    fail_each_allocation([&] { return encode(structure).status(); });
    if constexpr (MutableFilter<TypeParam>) {
      fail_each_allocation([&] { return structure.empty_copy().status(); });
    }
    EXPECT_EQ(wire_bytes(structure), bytes);
  }
}

}  // namespace
}  // namespace tamis::test
