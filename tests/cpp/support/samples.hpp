// Makes, fills and uses a structure of any type in structures.def, for the typed tests. A new kind
// of structure needs a branch here; a new type of a known kind needs nothing.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tamis/registry.hpp>
#include "contract/built_once.hpp"
#include "contract/use_everything.hpp"
#include "support/support.hpp"
#include "support/test_calloc.hpp"

namespace tamis::test {

// The types in a list that satisfy a predicate.
template <template <class> class Predicate, class List>
struct Select;
template <template <class> class Predicate, class... Types>
struct Select<Predicate, ::testing::Types<Types...>> {
  template <class Chosen, class... Left>
  struct Step {
    using List = Chosen;
  };
  template <class... Chosen, class First, class... Left>
  struct Step<::testing::Types<Chosen...>, First, Left...> {
    using List = typename Step<
        std::conditional_t<Predicate<First>::value, ::testing::Types<Chosen..., First>,
                           ::testing::Types<Chosen...>>,
        Left...>::List;
  };
  using List = typename Step<::testing::Types<>, Types...>::List;
};
template <class T>
struct IsStructure : std::bool_constant<Structure<T>> {};
// All types of the registry for TYPED_TEST_SUITE, except those of url/, which have their own tests.
using AllStructures = Select<IsStructure, Structures::As<::testing::Types>>::List;
template <class T>
struct IsMutableFilter : std::bool_constant<MutableFilter<T>> {};
using MutableFilters = Select<IsMutableFilter, AllStructures>::List;
template <class T>
struct IsDeletableFilter : std::bool_constant<DeletableFilter<T>> {};
using DeletableFilters = Select<IsDeletableFilter, AllStructures>::List;
template <class T>
struct IsFilter : std::bool_constant<Filter<T>> {};
using Filters = Select<IsFilter, AllStructures>::List;
template <class T>
struct IsBuiltOnce : std::bool_constant<BuiltOnce<T>> {};
using BuiltOnceTypes = Select<IsBuiltOnce, AllStructures>::List;

// A hasher for each scheme that the type allows, with and without a seed.
template <class F>
std::vector<Hasher> hashers_of() {
  if (hashing_of<F>() == Hashing::kUnhashed) return {Hasher(HashId::kNone)};
  std::vector<Hasher> hashers = {Hasher(HashId::kXxh3), Hasher(HashId::kXxh3, 0xfedcba9876543210),
                                 Hasher(sip_key()), Hasher(sip_key(), 7)};
  if (hashing_of<F>() == Hashing::kBloomSchemes) {
    hashers.insert(
        hashers.end(),
        {Hasher(HashId::kSeeds), Hasher(HashId::kSeeds, ~std::uint64_t{0}), Hasher(HashId::kDigest),
         Hasher(HashId::kMurmur2aFnv1a), Hasher(HashId::kGuava), Hasher(HashId::kGuava32),
         Hasher(HashId::kSparkV1), Hasher(HashId::kSparkV2, 0xfffffff9), Hasher(HashId::kGo),
         Hasher(HashId::kRedisBloom), Hasher(HashId::kDataSketches, 123456789),
         Hasher(HashId::kNpmBloomFilters, 0x1234567890), Hasher(HashId::kNpmBloomfilter)});
  }
  if (hashing_of<F>() == Hashing::kSplitBlocks) hashers.push_back(Hasher(HashId::kParquet));
  return hashers;
}

inline std::string name_of(const Hasher& hasher) {
  return "hash id " + std::to_string(static_cast<int>(hasher.id())) + ", seed " +
         std::to_string(hasher.seed());
}

template <class F>
typename F::Config config_for(std::uint64_t capacity, const Hasher& hasher, double fpr = 0.01) {
  typename F::Config config;
  if constexpr (requires { config.hasher; }) config.hasher = hasher;
  if constexpr (requires { config.capacity; }) config.capacity = capacity;
  if constexpr (requires { config.fpr; }) config.fpr = fpr;
  if constexpr (StaticMap<F>) config.value_bits = 5;
  if constexpr (Sketch<F>) {
    config.differences = capacity;
    config.key_bytes = 8;
  }
  if constexpr (requires { config.length; }) config.length = capacity;
  return config;
}

// The key with this number in set 0, which most typed tests use.
inline Bytes own_key(std::uint64_t number) { return make_key(KeyFamily::kUrls, 0, number); }
inline Hashes own_hashes(const Hasher& hasher, std::uint64_t keys) {
  Hashes hashes;
  for (std::uint64_t i = 0; i < keys; ++i) {
    hashes.push_back(static_cast<std::uint64_t>(hasher(own_key(i))));
  }
  return hashes;
}

// Keys that would break code for short ASCII keys.
inline std::vector<Bytes> awkward_keys() {
  std::vector<Bytes> keys = {Bytes(), Bytes(1), Bytes(1, std::byte{0x80}),
                             Bytes(1, std::byte{0xff}),
                             Bytes(std::size_t{1} << 20, std::byte{0xa5})};
  // Lengths near the block lengths of the hashes.
  for (const std::size_t length : {2u, 3u, 4u, 7u, 8u, 9u, 15u, 16u, 17u, 111u, 112u, 127u, 128u,
                                   129u, 240u, 241u, 1'024u, 1'025u}) {
    keys.push_back(Bytes(length, std::byte{0xfe}));
  }
  return keys;
}

// Makes a structure from options, and from keys if it is a static type.
template <class F>
Result<F> make(const typename F::Config& config, const Hashes& hashes = {}) {
  if constexpr (BuiltOnce<F>) {
    return build<F>(config, hashes);
  } else {
    return F::create(config);
  }
}

// Checks that create() and size_for() return the same status, and returns it.
template <Creatable F>
Status status_of(const typename F::Config& config) {
  const Status status = F::create(config).status();
  EXPECT_EQ(F::size_for(config).status(), status);
  return status;
}

template <class F>
F make_empty(std::uint64_t capacity, const Hasher& hasher, double fpr = 0.01) {
  auto made = make<F>(config_for<F>(capacity, hasher, fpr));
  EXPECT_TRUE(made.ok()) << code(made.status());
  return std::move(*made);
}

// The number of absent keys that are reported as present.
template <Filter F, class KeyOf>
std::uint64_t hits_of(const F& filter, std::uint64_t absent_keys, KeyOf absent_key) {
  std::uint64_t hits = 0;
  for (std::uint64_t i = 0; i < absent_keys; ++i) {
    hits += filter.may_contain(absent_key(i)) ? 1u : 0u;
  }
  return hits;
}

// Adds the element with this number in set 0.
template <Creatable F>
void add(F& structure, std::uint64_t number) {
  if constexpr (MutableFilter<F>) {
    const Result<bool> added = structure.insert(own_key(number));
    EXPECT_TRUE(added.ok()) << code(added.status());
  } else if constexpr (Sketch<F>) {
    Bytes key(structure.key_bytes());
    detail::store_le32(key.data(), static_cast<std::uint32_t>(number));
    EXPECT_EQ(structure.insert(key), Status::kOk);
  } else {
    const auto was = structure.set(number * 7 % structure.length());
    EXPECT_TRUE(was.ok()) << code(was.status());
  }
}

// A structure with `elements` elements, and with room for `capacity`, or for as many as it has. A
// static type only has room for its own elements.
template <class F>
F make_filled(std::uint64_t elements, const Hasher& hasher, std::uint64_t capacity = 0) {
  if constexpr (BuiltOnce<F>) {
    auto made = build<F>(config_for<F>(elements, hasher), own_hashes(hasher, elements));
    EXPECT_TRUE(made.ok()) << code(made.status());
    return std::move(*made);
  } else {
    F structure =
        make_empty<F>(capacity != 0 ? capacity : std::max<std::uint64_t>(elements, 1), hasher);
    for (std::uint64_t i = 0; i < elements; ++i) add(structure, i);
    return structure;
  }
}

}  // namespace tamis::test
