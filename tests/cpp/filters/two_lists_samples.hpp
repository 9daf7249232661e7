// Samples for the tests of types that are built of two lists: hashes, orders, bytes and damage.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <tamis/wire.hpp>
#include "support/support.hpp"
#include "support/test_calloc.hpp"

namespace tamis::test {

using Hashes = std::vector<std::uint64_t>;

// `size` different hashes. Those of other sets are others.
inline Hashes some_hashes(std::uint64_t set, std::size_t size) {
  Hashes hashes(size);
  for (std::size_t i = 0; i < size; ++i) hashes[i] = fmix64((set + 1) << 40 | i);
  return hashes;
}

// The same keys in another order, with every third of them twice.
inline Hashes shuffled_with_repeats(const Hashes& hashes, std::uint64_t seed) {
  Hashes more = hashes;
  for (std::size_t i = 0; i < hashes.size(); i += 3) more.push_back(hashes[i]);
  std::shuffle(more.begin(), more.end(), std::mt19937_64(seed));
  return more;
}

inline SipKey secret() {
  SipKey key;
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::byte>(i);
  return key;
}

inline std::vector<Hasher> both_hashes() {
  return {Hasher(), Hasher(HashId::kXxh3, 0xfedcba9876543210), Hasher(secret()),
          Hasher(secret(), 7)};
}

template <class F>
Result<F> from_bytes(const Bytes& bytes, bool is_keyed = false) {
  const SipKey key = secret();
  DecodeOptions options;
  if (is_keyed) options.key = &key;
  return decode<F>(HeapCopy(bytes).span(), options);
}

// Decodes the bytes, and gets the same bytes from the result and from a copy.
template <class F>
F round_trip(const F& structure) {
  const Bytes bytes = wire_bytes(structure);
  auto again = from_bytes<F>(bytes, structure.hasher().id() == HashId::kSipHash);
  EXPECT_TRUE(again.ok()) << code(again.status());
  EXPECT_EQ(wire_bytes(*again), bytes);
  EXPECT_EQ(structure.validate(), Status::kOk);
  EXPECT_EQ(again->validate(), Status::kOk);
  EXPECT_EQ(again->size_bytes(), structure.size_bytes());
  EXPECT_EQ(again->count(), structure.count());
  EXPECT_EQ(again->capacity(), structure.count());
  auto copy = again->clone();
  EXPECT_TRUE(copy.ok());
  EXPECT_EQ(wire_bytes(*copy), bytes);
  EXPECT_EQ(copy->validate(), Status::kOk);
  return std::move(*copy);
}

struct Damage {
  std::uint64_t refused = 0;
  std::uint64_t accepted = 0;
};

// Changes each byte that the checksums guard, and repairs them. `use` gets the structures that are
// accepted.
template <class F, class Use>
Damage damage_each_byte(const F& structure, Use use) {
  const Bytes bytes = wire_bytes(structure);
  Damage damage;
  for (std::size_t at = 8; at < bytes.size(); ++at) {
    for (const int change : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
      Bytes damaged = bytes;
      damaged[at] ^= static_cast<std::byte>(change);
      repair_crcs(damaged);
      const auto read = from_bytes<F>(damaged);
      if (!read.ok()) {
        ++damage.refused;
        continue;
      }
      ++damage.accepted;
      EXPECT_EQ(wire_bytes(*read), damaged)
          << "not canonical: byte " << at << ", change " << change;
      EXPECT_EQ(read->validate(), Status::kOk) << at;
      use(*read);
    }
  }
  return damage;
}

// Another length of the payload is CORRUPT, even if the header agrees with it.
template <class F>
void refuse_other_lengths(const F& structure) {
  const Bytes bytes = wire_bytes(structure);
  for (std::size_t size = kHeaderBytes; size <= bytes.size() + 16; ++size) {
    if (size == bytes.size()) continue;
    Bytes other = bytes;
    other.resize(size);
    set64(other, 48, size - kHeaderBytes);
    repair_crcs(other);
    ASSERT_EQ(from_bytes<F>(other).status(), Status::kCorrupt) << size << " of " << bytes.size();
  }
}

// Fails each allocation of `make`, which must report it. Then none fails, and it must succeed.
template <class Make>
void fail_each_allocation(Make make) {
  for (std::size_t number = 1; number < 1'000; ++number) {
    tamis_fail_allocation(number);
    const Status status = make();
    const bool is_done = tamis_allocations() < number;
    tamis_fail_allocation(0);
    if (is_done) {
      EXPECT_EQ(status, Status::kOk);
      EXPECT_GT(number, 1u);
      return;
    }
    ASSERT_EQ(status, Status::kOutOfMemory) << number;
  }
  FAIL() << "no end of allocations";
}

}  // namespace tamis::test
