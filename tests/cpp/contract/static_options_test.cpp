// Types of structures.def that are built once get options, lists and bytes that they cannot take,
// and no memory. The sizes are larger than those of the small samples of other tests.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "contract/container_fixture.hpp"
#include "contract/static_sweeps.hpp"
#include "filters/binary_fuse_samples.hpp"

namespace tamis::test {
namespace {

template <class F>
class StaticOptions : public ContainerTest<F> {
 protected:
  using Config = typename F::Config;

  static Status status_of(const Config& config) {
    const Status status = build<F>(config, even_hashes(50, 1)).status();
    EXPECT_EQ(F::size_for(config).status(), status);
    // Refused before there is a key to build of, too.
    EXPECT_EQ(build<F>(config, {}).status(), status);
    return status;
  }
  // Large enough for every way of building.
  static constexpr std::uint64_t kMany = 40'000;
};
TYPED_TEST_SUITE(StaticOptions, BuiltOnceTypes);

// Types with a size that follows from a rate. The rate of an exact set is one more bit, which its
// own tests check.
template <class F>
concept SizedByRate = StaticFilter<F> && requires(typename F::Config config) { config.fpr; };

TYPED_TEST(StaticOptions, AnFprOutsideItsRangeIsRefused) {
  if constexpr (SizedByRate<TypeParam>) {
    const auto status = [&](double fpr) {
      return this->status_of(config_for<TypeParam>(50, Hasher(), fpr));
    };
    for (const double fpr : {0.0, 1.0, 2.0, -0.01, 1e-40, std::nan(""), HUGE_VAL, -HUGE_VAL,
                             std::nextafter(0x1p-32, 0.0), 0x1p-33}) {
      EXPECT_EQ(status(fpr), Status::kInvalidOption) << fpr;
    }
    EXPECT_EQ(status(0x1p-32), Status::kOk);
    EXPECT_EQ(status(std::nextafter(1.0, 0.0)), Status::kOk);
  }
}

TYPED_TEST(StaticOptions, TheNarrowestFingerprintThatKeepsTheFpr) {
  if constexpr (SizedByRate<TypeParam>) {
    for (std::uint32_t bits = 1; bits <= 32; ++bits) {
      const double rate = std::exp2(-static_cast<double>(bits));
      for (const double fpr :
           {rate, std::nextafter(rate, 1.0), 1.4 * rate, std::nextafter(2 * rate, 0.0)}) {
        const auto built =
            build<TypeParam>(config_for<TypeParam>(0, Hasher(), fpr), even_hashes(20, 1));
        ASSERT_TRUE(built.ok()) << fpr;
        EXPECT_EQ(built->fpr(), rate) << fpr;
        EXPECT_EQ(built->estimated_fpr(), rate) << fpr;
        if constexpr (requires { built->fingerprint_bits(); }) {
          EXPECT_EQ(built->fingerprint_bits(), bits) << fpr;
          // The same width gives the same result, for any rate.
          auto config = config_for<TypeParam>(0, Hasher(), 7.0);
          config.fingerprint_bits = bits;
          const auto again = build<TypeParam>(config, even_hashes(20, 1));
          ASSERT_TRUE(again.ok());
          EXPECT_EQ(wire_bytes(*again), wire_bytes(*built));
        }
      }
    }
  }
}

TYPED_TEST(StaticOptions, WidthsOutsideTheirRangeAreRefused) {
  const auto expect = [&](Status expected, auto change) {
    auto config = config_for<TypeParam>(50, Hasher());
    change(config);
    EXPECT_EQ(this->status_of(config), expected);
  };
  const std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
  for (const std::uint32_t width : {33u, 64u, 256u, 1u << 16, most}) {
    if constexpr (requires(typename TypeParam::Config config) { config.fingerprint_bits; }) {
      expect(Status::kInvalidOption, [&](auto& config) { config.fingerprint_bits = width; });
    }
    if constexpr (requires(typename TypeParam::Config config) { config.value_bits; }) {
      expect(Status::kInvalidOption, [&](auto& config) { config.check_bits = width; });
      const auto size = [&] {
        auto config = config_for<TypeParam>(50, Hasher());
        config.value_bits = width;
        return TypeParam::size_for(config).status();
      };
      EXPECT_EQ(size(), Status::kInvalidOption) << width;
    }
  }
  if constexpr (requires(typename TypeParam::Config config) { config.arity; }) {
    for (const std::uint32_t arity : {1u, 2u, 5u, 259u, most}) {
      expect(Status::kInvalidOption, [&](auto& config) { config.arity = arity; });
    }
    for (const std::uint32_t arity : {0u, 3u, 4u}) {
      expect(Status::kOk, [&](auto& config) { config.arity = arity; });
    }
  }
  if constexpr (requires(typename TypeParam::Config config) { config.check_bits; }) {
    for (const std::uint32_t width : {0u, 1u, 32u}) {
      expect(Status::kOk, [&](auto& config) { config.check_bits = width; });
    }
  }
}

TYPED_TEST(StaticOptions, HashesThatNeedTheKeysBytesAreRefused) {
  for (std::uint8_t id = 0; id <= kHashIds; ++id) {
    // The keyed hash wants its key.
    const Status expected = HashId{id} == HashId::kXxh3 ? Status::kOk : Status::kInvalidOption;
    EXPECT_EQ(this->status_of(config_for<TypeParam>(50, Hasher(HashId{id}))), expected)
        << static_cast<int>(id);
  }
}

TYPED_TEST(StaticOptions, SizesAreForeseen) {
  if constexpr (requires(typename TypeParam::Config config) { config.capacity; }) {
    for (auto config : variants<TypeParam>(Hasher(), 7)) {
      for (const std::uint64_t keys : {1u, 10u, 64u, 300u, 1'000u, 20'000u, 40'000u}) {
        config.capacity = keys;
        if constexpr (requires { config.excluded; }) {
          config.excluded = 0;
          for (const std::uint64_t hash : even_hashes(keys, 3)) {
            config.excluded += excluded_beside(hash).size();
          }
        }
        const auto size = TypeParam::size_for(config);
        const auto built = build<TypeParam>(config, even_hashes(keys, 3));
        ASSERT_EQ(size.status(), Status::kOk) << keys;
        ASSERT_EQ(built.status(), Status::kOk) << keys;
        if constexpr (TypeParam::kType == FilterType::kBinaryFuseFilter) {
          // The expected size is that of the table of the first attempt. The build makes that of
          // the attempt that succeeded.
          const auto bytes_at = [&](std::uint32_t attempt) {
            const auto shape = sizing::fuse_shape(keys, built->arity(), attempt);
            return detail::PackedArray::byte_count(shape.slots(built->arity()),
                                                   built->fingerprint_bits());
          };
          EXPECT_EQ(*size, bytes_at(0)) << keys;
          EXPECT_EQ(built->size_bytes(), bytes_at(attempt_of(*built, config.hasher.seed())))
              << keys;
        } else {
          EXPECT_NEAR(static_cast<double>(*size), static_cast<double>(built->size_bytes()),
                      16 + 0.01 * static_cast<double>(*size))
              << keys;
        }
      }
      config.capacity = sizing::kMaxCount;
      EXPECT_EQ(TypeParam::size_for(config).status(), Status::kTooLarge);
      for (const std::uint64_t keys : {sizing::kMaxCount + 1, ~std::uint64_t{0}}) {
        config.capacity = keys;
        const Status status = TypeParam::size_for(config).status();
        EXPECT_TRUE(status == Status::kInvalidOption || status == Status::kTooLarge)
            << code(status);
      }
    }
  }
}

// Lists that contradict each other. The result counts each such key once, however often it occurs.
TYPED_TEST(StaticOptions, ConflictsAreCounted) {
  const auto config = config_for<TypeParam>(0, Hasher(HashId::kXxh3, 4));
  const Hashes keys = even_hashes(100, 2);
  for (const std::uint64_t conflicting : {0u, 1u, 7u, 100u}) {
    for (const std::uint64_t copies : {1u, 3u}) {
      std::uint64_t conflicts = 77;
      Hashes first = keys;
      const auto expect = [&](auto second) {
        const Status status = TypeParam::build(config, first, second, conflicts).status();
        EXPECT_EQ(status, conflicting == 0 ? Status::kOk : Status::kConflict) << code(status);
        EXPECT_EQ(conflicts, conflicting);
      };
      if constexpr (ExactSet<TypeParam>) {
        Hashes second = even_hashes(500, 3);
        for (std::uint64_t i = 0; i < conflicting * copies; ++i) {
          second.insert(second.begin() + static_cast<std::ptrdiff_t>(i), keys[i % conflicting]);
        }
        expect(second);
      } else if constexpr (StaticMap<TypeParam>) {
        std::vector<std::uint32_t> values;
        for (const std::uint64_t hash : keys) values.push_back(value_of(hash, config.value_bits));
        for (std::uint64_t i = 0; i < conflicting * copies; ++i) {
          first.push_back(keys[i % conflicting]);
          values.push_back(values[static_cast<std::size_t>(i % conflicting)] ^ 1);
        }
        // The same entry again is not a new one.
        first.push_back(keys.back());
        values.push_back(values[keys.size() - 1]);
        expect(values);
      }
    }
  }
}

// A value that is too wide, and lists of two lengths.
TYPED_TEST(StaticOptions, ValuesThatDoNotFitAreRefused) {
  if constexpr (StaticMap<TypeParam>) {
    auto config = config_for<TypeParam>(0, Hasher());
    const auto status = [&](std::vector<std::uint32_t> values) {
      Hashes keys = even_hashes(3, 1);
      std::uint64_t conflicts = 0;
      return TypeParam::build(config, keys, values, conflicts).status();
    };
    for (std::uint32_t bits = 1; bits <= 32; ++bits) {
      config.value_bits = bits;
      const std::uint32_t most = ~std::uint32_t{0} >> (32 - bits);
      EXPECT_EQ(status({0, most, 1}), Status::kOk) << bits;
      if (bits < 32) EXPECT_EQ(status({0, most + 1, 1}), Status::kInvalidOption) << bits;
      EXPECT_EQ(status({0, 1}), Status::kInvalidOption);
      EXPECT_EQ(status({}), Status::kInvalidOption);
      EXPECT_EQ(status({0, 1, 0, 1}), Status::kInvalidOption);
    }
    for (const std::uint32_t bits : {0u, 33u, 64u, ~0u}) {
      config.value_bits = bits;
      EXPECT_EQ(status({0, 0, 0}), Status::kInvalidOption) << bits;
    }
  }
}

TYPED_TEST(StaticOptions, EveryAllocationOfALargeOneMayFail) {
  const Hashes keys = even_hashes(this->kMany, 6);
  const auto config = config_for<TypeParam>(0, Hasher());
  const auto built = build<TypeParam>(config, keys);
  ASSERT_TRUE(built.ok());
  const Bytes bytes = wire_bytes(*built);
  fail_each_allocation([&] { return build<TypeParam>(config, keys).status(); });
  fail_each_allocation([&] { return this->decode_copy(bytes).status(); });
  fail_each_allocation([&] { return built->clone().status(); });
}

// The checksums are right. There are flips in the records, at both ends and at some hundred other
// places of a large one, cuts and insertions.
TYPED_TEST(StaticOptions, DamageToALargeOneIsRejectedOrAnotherValidOne) {
  const Bytes bytes = wire_bytes(make_filled<TypeParam>(this->kMany, Hasher()));
  const auto visit = [&](std::size_t at, unsigned bit) {
    Bytes damaged = bytes;
    damaged[at] ^= static_cast<std::byte>(1u << bit);
    repair_crcs(damaged);
    const auto decoded = this->decode_copy(damaged);
    if (decoded.ok()) {
      ASSERT_EQ(wire_bytes(*decoded), damaged) << at;
      ASSERT_EQ(decoded->validate(), Status::kOk) << at;
      for (std::uint64_t i = 0; i < 100; ++i) (void)claims(*decoded, fmix64(i));
    } else if (at >= kHeaderBytes) {
      ASSERT_EQ(decoded.status(), Status::kCorrupt) << at;
    }
  };
  for (const unsigned bit : {0u, 3u, 7u}) {
    for (std::size_t at = kCapacityAt; at < kHeaderBytes + 48; ++at) visit(at, bit);
    for (std::size_t back = 1; back <= 16; ++back) visit(bytes.size() - back, bit);
  }
  for (unsigned i = 0; i < 100; ++i) {
    const std::uint64_t place = reduce(fmix64(i), bytes.size() - kHeaderBytes);
    visit(kHeaderBytes + static_cast<std::size_t>(place), i % 8);
  }
  for (std::size_t at = kHeaderBytes; at < bytes.size(); at += 1 + at / 8) {
    for (const bool is_cut : {false, true}) {
      Bytes other(bytes.begin(),
                  is_cut ? bytes.begin() + static_cast<std::ptrdiff_t>(at) : bytes.end());
      if (!is_cut) other.insert(other.begin() + static_cast<std::ptrdiff_t>(at), 8, std::byte{0});
      set64(other, kPayloadBytesAt, other.size() - kHeaderBytes);
      repair_crcs(other);
      ASSERT_EQ(this->decode_copy(other).status(), Status::kCorrupt) << at;
    }
  }
}

}  // namespace
}  // namespace tamis::test
