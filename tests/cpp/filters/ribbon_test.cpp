// Properties of the ribbon filter: sizes close to the least possible, small lists, rates, and the
// deep check.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <tamis/filters/ribbon.hpp>
#include "detail/retrieval_model.hpp"
#include "support/test_calloc.hpp"

namespace tamis::test {
namespace {

RibbonFilter ribbon(std::vector<std::uint64_t> hashes, std::uint32_t bits,
                    const Hasher& hasher = Hasher()) {
  auto made = RibbonFilter::build({.fingerprint_bits = bits, .hasher = hasher}, hashes);
  EXPECT_TRUE(made.ok()) << code(made.status());
  return std::move(*made);
}

bool has_all(const RibbonFilter& filter, const std::vector<std::uint64_t>& hashes) {
  std::vector<std::uint8_t> answers(hashes.size(), 9);
  filter.may_contain(hashes, answers.data());
  return std::ranges::all_of(answers, [](std::uint8_t answer) { return answer == 1; }) &&
         std::ranges::all_of(hashes,
                             [&](std::uint64_t hash) { return filter.may_contain(Hash{hash}); });
}

// The number of `trials` absent keys that are reported.
std::uint64_t hits_among(const RibbonFilter& filter, std::uint64_t trials, std::uint64_t set = 1) {
  std::vector<std::uint64_t> hashes(4096);
  std::vector<std::uint8_t> answers(4096);
  std::uint64_t hits = 0, i = 0;
  while (i < trials) {
    const std::size_t size = static_cast<std::size_t>(std::min<std::uint64_t>(4096, trials - i));
    for (std::size_t j = 0; j < size; ++j) hashes[j] = splitmix64((set << 40) + i++);
    filter.may_contain(std::span<const std::uint64_t>(hashes).first(size), answers.data());
    for (std::size_t j = 0; j < size; ++j) hits += answers[j];
  }
  return hits;
}

TEST(Ribbon, EveryCountTo300) {
  for (std::uint64_t count = 0; count <= 300; ++count) {
    const auto keys = hashes_of_set(0, count);
    for (const std::uint32_t bits : {1u, 7u, 8u, 17u, 32u}) {
      const RibbonFilter filter = ribbon(keys, bits);
      ASSERT_TRUE(has_all(filter, keys)) << count << ", " << bits;
      ASSERT_EQ(filter.count(), count);
      ASSERT_EQ(filter.capacity(), count);
      ASSERT_EQ(filter.validate(), Status::kOk);
      const Bytes bytes = wire_bytes(filter);
      const auto again = decode<RibbonFilter>(HeapCopy(bytes).span());
      ASSERT_TRUE(again.ok());
      ASSERT_EQ(wire_bytes(*again), bytes);
      ASSERT_TRUE(count > 0 || hits_among(filter, 1'000) == 0);
    }
  }
}

TEST(Ribbon, WidthByRate) {
  const auto bits_for = [](double fpr) {
    std::vector<std::uint64_t> none;
    const auto made = RibbonFilter::build({.fpr = fpr}, none);
    return made.ok() ? made->fingerprint_bits() : 0;
  };
  EXPECT_EQ(bits_for(0.01), 7u);
  EXPECT_EQ(bits_for(0.99), 1u);
  EXPECT_EQ(bits_for(0.5), 1u);
  EXPECT_EQ(bits_for(0.499), 2u);
  for (int r = 1; r <= 32; ++r) {
    EXPECT_EQ(bits_for(std::ldexp(1.0, -r)), static_cast<std::uint32_t>(r));
    EXPECT_EQ(bits_for(std::ldexp(1.0000001, -r)), static_cast<std::uint32_t>(r));
    const double less = std::ldexp(0.9999999, -r);
    EXPECT_EQ(bits_for(less), r < 32 ? static_cast<std::uint32_t>(r + 1) : 0);
  }
  for (const double fpr : {0x1.fffffp-33, 1e-10, 0.0, -1.0, 1.0, 2.0, std::nan("")})
    EXPECT_EQ(bits_for(fpr), 0u);
  const RibbonFilter filter = ribbon(hashes_of_set(0, 10), 9);
  EXPECT_EQ(filter.fpr(), 0x1p-9);
  EXPECT_EQ(filter.estimated_fpr(), 0x1p-9);
  EXPECT_EQ(ribbon({}, 9).estimated_fpr(), 0);
}

TEST(Ribbon, RefusesOptions) {
  std::vector<std::uint64_t> keys = hashes_of_set(0, 10);
  const auto status = [&](const RibbonFilter::Config& config) {
    const Status built = RibbonFilter::build(config, keys).status();
    EXPECT_EQ(RibbonFilter::size_for(config).status(), built);
    return built;
  };
  EXPECT_EQ(status({.fingerprint_bits = 32}), Status::kOk);
  EXPECT_EQ(status({.fingerprint_bits = 33}), Status::kInvalidOption);
  EXPECT_EQ(status({.fingerprint_bits = ~0u}), Status::kInvalidOption);
  EXPECT_EQ(status({.fpr = 0, .fingerprint_bits = 8}), Status::kOk) << "the rate is not looked at";
  for (const HashId id : {HashId::kNone, HashId::kSeeds, HashId::kGuava, HashId::kSipHash}) {
    EXPECT_EQ(status({.hasher = Hasher(id)}), Status::kInvalidOption);
  }
  EXPECT_EQ(status({.hasher = Hasher(SipKey{})}), Status::kOk);
  EXPECT_EQ(RibbonFilter::size_for({.capacity = ~std::uint64_t{0}}).status(), Status::kTooLarge);
  EXPECT_EQ(RibbonFilter::size_for({.capacity = std::uint64_t{1} << 34}).status(),
            Status::kTooLarge);
}

// The whole payload, records too, over n r / 8 bytes.
TEST(Ribbon, SizesNearTheLeast) {
  const auto overhead = [](std::uint64_t count, std::uint32_t bits, std::uint64_t set) {
    const RibbonFilter filter = ribbon(hashes_of_set(set, count), bits);
    return 8 * static_cast<double>(filter.header().payload_bytes) /
           static_cast<double>(count * bits);
  };
  for (const std::uint32_t bits : {7u, 8u, 10u, 16u}) {
    for (std::uint64_t set = 0; set < 5; ++set) EXPECT_LE(overhead(100, bits, set), 1.10);
    for (const std::uint64_t count :
         {1'000u, 1'500u, 3'000u, 4'095u, 4'096u, 4'600u, 7'000u, 15'000u, 30'000u}) {
      for (std::uint64_t set = 0; set < 2; ++set)
        EXPECT_LE(overhead(count, bits, set), 1.03) << count;
    }
  }
  EXPECT_LE(overhead(100'000, 8, 0), 1.01);
}

TEST(Ribbon, SizeIsAsExpected) {
  for (const std::uint64_t count :
       {0u, 1u, 10u, 63u, 64u, 200u, 3'000u, 4'095u, 4'096u, 5'000u, 10'000u, 50'000u, 100'000u}) {
    for (const std::uint32_t bits : {1u, 7u, 8u, 20u}) {
      const RibbonFilter filter = ribbon(hashes_of_set(0, count), bits);
      const auto expected = RibbonFilter::size_for({.capacity = count, .fingerprint_bits = bits});
      ASSERT_TRUE(expected.ok());
      const double size = static_cast<double>(filter.size_bytes());
      EXPECT_NEAR(static_cast<double>(*expected), size, 16 + size / 100) << count << ", " << bits;
      EXPECT_EQ(filter.header().payload_bytes, filter.size_bytes() + 8 * filter.levels());
    }
  }
}

// The rate is 2^-r for every width, for lists with one level, dense or not, and with two.
TEST(Ribbon, Rates) {
  for (std::uint32_t bits = 1; bits <= 32; ++bits) {
    const std::uint64_t trials = bits < 8 ? 20'000 : 80'000;
    for (const std::uint64_t count : {1u, 2u, 3u, 7u, 40u, 64u, 66u, 1'000u, 5'000u}) {
      // The few bits of a small list are of one seed: many seeds together have the rate.
      const std::uint64_t seeds = count < 1'000 ? 40 : 1;
      std::uint64_t hits = 0;
      for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        const Hasher hasher(HashId::kXxh3, seed);
        hits += hits_among(ribbon(hashes_of_set(0, count), bits, hasher), trials / seeds, 1 + seed);
      }
      EXPECT_TRUE(
          is_plausible(hits, trials / seeds * seeds, std::ldexp(1.0, -static_cast<int>(bits))))
          << hits << " of " << trials << ": " << bits << " bits, " << count << " keys";
    }
  }
}

TEST(Ribbon, KeysAndHashesAreTheSame) {
  std::vector<std::uint64_t> hashes;
  for (const Hasher& hasher : {Hasher(), Hasher(HashId::kXxh3, 5), Hasher(SipKey{}, 9)}) {
    hashes.clear();
    for (std::uint64_t i = 0; i < 500; ++i) {
      hashes.push_back(static_cast<std::uint64_t>(hasher(make_key(KeyFamily::kUrls, 0, i))));
    }
    const RibbonFilter filter = ribbon(hashes, 8, hasher);
    std::uint64_t hits = 0;
    for (std::uint64_t i = 0; i < 500; ++i) {
      ASSERT_TRUE(filter.may_contain(make_key(KeyFamily::kUrls, 0, i)));
      const Bytes absent_key = make_key(KeyFamily::kUrls, 1, i);
      ASSERT_EQ(filter.may_contain(absent_key), filter.may_contain(hasher(absent_key)));
      hits += filter.may_contain(absent_key) ? 1 : 0;
    }
    EXPECT_LT(hits, 20u);
    EXPECT_EQ(filter.header().seed, hasher.seed());
  }
}

TEST(Ribbon, RepeatsAndOrder) {
  const auto keys = hashes_of_set(0, 6'000);
  const Bytes bytes = wire_bytes(ribbon(keys, 8));
  auto many = keys;
  many.insert(many.end(), keys.begin(), keys.end());
  many.insert(many.end(), 70, keys[17]);
  std::shuffle(many.begin(), many.end(), std::mt19937(3));
  EXPECT_EQ(wire_bytes(ribbon(many, 8)), bytes);
  const RibbonFilter equal = ribbon(std::vector<std::uint64_t>(10'000, 42), 8);
  EXPECT_EQ(equal.count(), 1u);
  EXPECT_TRUE(equal.may_contain(Hash{42}));
  EXPECT_EQ(wire_bytes(equal), wire_bytes(ribbon({42}, 8)));
}

// Every byte of the file, with the checksums made right: refused, or a filter with these bytes.
TEST(Ribbon, EveryDamagedByte) {
  for (const auto& [count, bits] :
       {std::pair{0u, 7u}, {1u, 1u}, {5u, 7u}, {70u, 12u}, {4'200u, 3u}}) {
    const Bytes bytes = wire_bytes(ribbon(hashes_of_set(0, count), bits));
    std::size_t accepted = 0;
    for (std::size_t at = 8; at < bytes.size(); at += count > 1'000 && at > 200 ? 7 : 1) {
      for (const unsigned damage : {1u, 0x80u, 0xffu}) {
        Bytes changed = bytes;
        changed[at] ^= static_cast<std::byte>(damage);
        repair_crcs(changed);
        const HeapCopy copy(changed);
        const auto read = decode<RibbonFilter>(copy.span());
        if (!read.ok()) continue;
        ++accepted;
        ASSERT_EQ(wire_bytes(*read), changed);
        ASSERT_EQ(read->validate(), Status::kOk);
        hits_among(*read, 200);
      }
    }
    EXPECT_GE(accepted, 24u) << "the seed may be any";
  }
}

TEST(Ribbon, EveryLength) {
  for (const std::uint64_t count : {0u, 9u, 4'200u}) {
    const Bytes bytes = wire_bytes(ribbon(hashes_of_set(0, count), 11));
    for (std::size_t size = 64; size < bytes.size(); size += 1 + size / 40) {
      Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
      set64(cut, 48, size - 64);
      repair_crcs(cut);
      ASSERT_EQ(decode<RibbonFilter>(HeapCopy(cut).span()).status(), Status::kCorrupt) << size;
    }
  }
}

TEST(Ribbon, TheDeepCheck) {
  using Check = DeepCheck<RibbonFilter>;
  const Check one(wire_bytes(ribbon(hashes_of_set(0, 70), 7)));
  const Check two(wire_bytes(ribbon(hashes_of_set(0, 5'000), 7)));
  const Check none(wire_bytes(ribbon({}, 7)));
  ASSERT_EQ(one.with(kCapacityAt, 70, 8), Status::kOk);
  EXPECT_EQ(one.with(kCapacityAt, 71, 8), Status::kCorrupt) << "capacity";
  EXPECT_EQ(one.with(kCountAt, 71, 8), Status::kCorrupt) << "count";
  for (const std::uint32_t slots : {0u, 69u, 71u, 300u, ~0u})
    EXPECT_EQ(one.with(64, slots, 4), Status::kCorrupt);
  for (const std::uint32_t width : {0u, 6u, 8u, 33u, 64u, 255u})
    EXPECT_EQ(one.with(70, width, 1), Status::kCorrupt);
  for (const std::uint32_t more : {1u, 7u, 8u, 255u})
    EXPECT_EQ(one.with(71, more, 1), Status::kCorrupt);
  EXPECT_EQ(one.with(68, 0xffff, 2), Status::kOk) << "any attempt may be a good one";
  EXPECT_EQ(two.with(64, 4'687, 4), Status::kCorrupt) << "slots of a level that bumps";
  EXPECT_EQ(two.with(72, 4'688, 4), Status::kCorrupt) << "more slots than the level before";
  EXPECT_EQ(two.with(78, 8, 1), Status::kCorrupt) << "another width";
  EXPECT_EQ(two.with(79, 1, 1), Status::kCorrupt) << "levels";
  EXPECT_EQ(none.with(68, 1, 2), Status::kCorrupt) << "an attempt without keys";
  EXPECT_EQ(none.with(64, 1, 4), Status::kCorrupt);
  EXPECT_EQ(none.with(70, 33, 1), Status::kCorrupt);
  EXPECT_EQ(none.with(70, 32, 1), Status::kOk) << "as wide as one likes";
}

TEST(Ribbon, RefusedMemory) {
  const RibbonFilter filter = ribbon(hashes_of_set(0, 5'000), 8);
  const Bytes bytes = wire_bytes(filter);
  for (std::size_t i = 1; i <= 2; ++i) {
    tamis_fail_allocation(i);
    const Status cloned = filter.clone().status(), read = decode<RibbonFilter>(bytes).status();
    tamis_fail_allocation(0);
    EXPECT_EQ(cloned, Status::kOutOfMemory);
    EXPECT_EQ(read, Status::kOutOfMemory);
  }
  const auto copy = filter.clone();
  ASSERT_TRUE(copy.ok());
  EXPECT_EQ(wire_bytes(*copy), bytes);
}

}  // namespace
}  // namespace tamis::test
