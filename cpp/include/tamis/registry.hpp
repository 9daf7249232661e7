// tamis/registry.hpp - all types in structures.def, for code that handles them the same way.
#pragma once

#include <tamis/filters/binary_fuse.hpp>
#include <tamis/filters/bit_array.hpp>
#include <tamis/filters/blocked_bloom.hpp>
#include <tamis/filters/bloom.hpp>
#include <tamis/filters/bloomier.hpp>
#include <tamis/filters/counting_bloom.hpp>
#include <tamis/filters/cuckoo.hpp>
#include <tamis/filters/d_left_counting.hpp>
#include <tamis/filters/deletable_bloom.hpp>
#include <tamis/filters/exact.hpp>
#include <tamis/filters/iblt.hpp>
#include <tamis/filters/ribbon.hpp>
#include <tamis/filters/rotating_bloom.hpp>
#include <tamis/filters/scalable_bloom.hpp>
#include <tamis/filters/tombstone_bloom.hpp>
#include <tamis/url/url_delta.hpp>
#include <tamis/url/url_list.hpp>

namespace tamis {

// A list of types. The first is void, because a comma precedes every type of the list.
template <class None, class... Types>
struct TypeList {
  template <template <class...> class Other>
  using As = Other<Types...>;

  // Calls act.template operator()<F>() for each type.
  template <class Act>
  static constexpr void for_each(Act act) {
    (act.template operator()<Types>(), ...);
  }
};

namespace detail {

using url::UrlDelta, url::UrlList;
using Structures = TypeList<void
#define TAMIS_STRUCTURE(Type, slug, id, hashing) , Type
#include <tamis/structures.def>
                            >;

}  // namespace detail
using detail::Structures;

// Calls act.template operator()<F>() for each type, in the order of structures.def.
template <class Act>
constexpr void for_each_type(Act act) {
  Structures::for_each(act);
}

}  // namespace tamis
