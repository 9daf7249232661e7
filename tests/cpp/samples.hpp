// How the typed tests make, fill and use a structure of any type of filters.def. A new kind of
// structure gets its branch here; a new type of a known kind needs nothing.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include <tamis/tamis.hpp>
#include "support.hpp"
#include "test_calloc.hpp"

namespace tamis::test {

struct NoType;
template <class, class... Types>
struct DropFirst {
  using Rest = ::testing::Types<Types...>;
};
// Every type of the registry, as a list for TYPED_TEST_SUITE.
using AllStructures = DropFirst<NoType
#define TAMIS_FILTER(Type, slug, id, kind, traits) , Type
#include <tamis/filters.def>
#undef TAMIS_FILTER
                                >::Rest;

// Those of them that satisfy a predicate.
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
struct IsMutableFilter : std::bool_constant<MutableFilter<T>> {};
using MutableFilters = Select<IsMutableFilter, AllStructures>::List;

template <class F>
const TypeInfo& info_of() {
  return *find_type(static_cast<std::uint8_t>(F::kType));
}

inline SipKey sip_key(std::uint8_t first = 0) {
  SipKey key;
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::byte>(first + i);
  return key;
}

// One hasher for each road that the type allows, with and without a seed.
template <class F>
std::vector<Hasher> hashers_of() {
  if ((info_of<F>().traits & kUnhashed) != 0) return {Hasher(HashId::kNone)};
  std::vector<Hasher> hashers = {Hasher(HashId::kXxh3), Hasher(HashId::kXxh3, 0xfedcba9876543210),
                                 Hasher(sip_key()), Hasher(sip_key(), 7)};
  if ((info_of<F>().traits & kBloomSchemes) != 0) {
    hashers.insert(
        hashers.end(),
        {Hasher(HashId::kSeeds), Hasher(HashId::kSeeds, ~std::uint64_t{0}), Hasher(HashId::kDigest),
         Hasher(HashId::kMurmur2aFnv1a), Hasher(HashId::kGuava)});
  }
  return hashers;
}

inline std::string name_of(const Hasher& hasher) {
  return "hash id " + std::to_string(static_cast<int>(hasher.id())) + ", seed " +
         std::to_string(hasher.seed());
}

// What decode needs to take a structure with this hasher back.
inline const SipKey* key_for(HashId id) {
  static const SipKey key = sip_key();
  return id == HashId::kSipHash ? &key : nullptr;
}

template <class F>
typename F::Config config_for(std::uint64_t capacity, const Hasher& hasher, double fpr = 0.01) {
  typename F::Config config;
  if constexpr (MutableFilter<F>) {
    config.capacity = capacity;
    config.fpr = fpr;
    config.hasher = hasher;
  } else {
    config.length = capacity;
  }
  return config;
}

template <class F>
F make_empty(std::uint64_t capacity, const Hasher& hasher, double fpr = 0.01) {
  auto made = F::create(config_for<F>(capacity, hasher, fpr));
  EXPECT_TRUE(made.ok()) << code(made.status());
  return std::move(*made);
}

// Adds the element `number` of the set 0.
template <class F>
void add(F& structure, std::uint64_t number) {
  if constexpr (MutableFilter<F>) {
    const auto added = structure.insert(make_key(KeyFamily::kUrls, 0, number));
    EXPECT_TRUE(added.ok()) << code(added.status());
  } else {
    const auto was = structure.set(number * 7 % structure.length());
    EXPECT_TRUE(was.ok()) << code(was.status());
  }
}

// A structure with `elements` elements and room for as many, or for `capacity`.
template <class F>
F make_filled(std::uint64_t elements, const Hasher& hasher, std::uint64_t capacity = 0) {
  F structure =
      make_empty<F>(capacity != 0 ? capacity : std::max<std::uint64_t>(elements, 1), hasher);
  for (std::uint64_t i = 0; i < elements; ++i) add(structure, i);
  return structure;
}

template <class F>
Bytes encoded(const F& structure) {
  const auto bytes = encode(structure);
  EXPECT_TRUE(bytes.ok()) << code(bytes.status());
  return bytes.ok() ? Bytes(bytes->span().begin(), bytes->span().end()) : Bytes();
}

// Puts a structure that came from hostile bytes through everything that it can do. Only that it
// ends, keeps what it was given, and stays valid is asked: the sanitizers look at the rest.
template <class F>
void use_everything(F& structure) {
  EXPECT_EQ(structure.validate(), Status::kOk);
  auto copy = structure.clone();
  ASSERT_TRUE(copy.ok()) << code(copy.status());
  if constexpr (Filter<F>) {
    for (std::uint64_t i = 0; i < 64; ++i) {
      (void)structure.may_contain(make_key(KeyFamily::kRandom, 1, i));
      (void)structure.may_contain(Hash{fmix64(i)});
    }
    EXPECT_GE(structure.fpr(), 0);
    EXPECT_LE(structure.estimated_fpr(), 1);
  }
  if constexpr (MutableFilter<F>) {
    for (std::uint64_t i = 0; i < 8; ++i) {
      const Bytes key = make_key(KeyFamily::kRandom, 1, i);
      EXPECT_TRUE(structure.insert(key).ok());
      EXPECT_TRUE(structure.may_contain(key));
    }
    EXPECT_TRUE(structure.empty_copy().ok());
  }
  if constexpr (Mergeable<F>) {
    EXPECT_EQ(structure.merge(*copy), Status::kOk);
  }
  if constexpr (Intersectable<F>) {
    EXPECT_EQ(structure.intersect(*copy), Status::kOk);
  }
  if constexpr (requires { structure.toggle(0); }) {
    for (std::uint64_t i = 0; i < 64; ++i) {
      EXPECT_EQ(structure.toggle(i).ok(), i < structure.length());
    }
  }
  EXPECT_EQ(structure.validate(), Status::kOk);
  if constexpr (MutableFilter<F>) structure.clear();
  EXPECT_EQ(structure.validate(), Status::kOk);
}

}  // namespace tamis::test
