// tamis/detail/chunks.hpp - long loops, cut up.
//
// Engines compile a wasm function anew while it is hot, but go on in the slow code of one long
// call. So a loop over many keys stands in a TAMIS_NOINLINE function that is called for some
// thousands of them.
#pragma once

#include <algorithm>
#include <cstddef>

#include <tamis/detail/portability.hpp>

namespace tamis::detail {

inline constexpr std::size_t kChunk = 4096;

// Calls act(from, to) for each part of 0..size - 1.
template <class Act>
void in_chunks(std::size_t size, Act act) noexcept {
  for (std::size_t from = 0; from < size; from += kChunk) act(from, std::min(from + kChunk, size));
}

}  // namespace tamis::detail
