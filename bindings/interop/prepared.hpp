// bindings/interop/prepared.hpp - filters of other libraries. JavaScript writes their bytes
// directly to the final address.
#pragma once

#include <tamis/interop/foreign_bits.hpp>

#include "../handles.hpp"

namespace tamis::bindings {

// Converts a count from JavaScript, in which a negative number stands for kUncounted.
constexpr std::uint64_t count_of(double count) noexcept {
  return count < 0 ? kUncounted : static_cast<std::uint64_t>(count);
}

// Returns the handle of a filter whose bytes are 0, and writes the address of these bytes to `at`,
// as a double. They never move.
template <class F>
Handle hand_over_at(Result<F>&& filter, Address at, Address status) noexcept {
  if (filter.ok()) {
    const void* bytes;
    if constexpr (requires { filter->bytes(); }) {
      bytes = filter->bytes().data();
    } else {
      bytes = Access::words(*filter).data();
    }
    *reinterpret_cast<double*>(at) = reinterpret_cast<Address>(bytes);
  }
  return hand_over(adopt(std::move(filter)), status);
}

}  // namespace tamis::bindings
