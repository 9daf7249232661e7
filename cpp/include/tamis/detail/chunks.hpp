// tamis/detail/chunks.hpp - splits long loops into parts.
//
// Engines compile a hot wasm function again with optimisation, but a call that already runs stays
// in the slow code. So the body of a long loop is a function that handles a few thousand keys per
// call.
#pragma once

#include <algorithm>
#include <cstddef>

#include <tamis/detail/portability.hpp>

namespace tamis::detail {

inline constexpr std::size_t kChunk = 4096;

template <class Act>
TAMIS_NOINLINE void act_on_chunk(Act& act, std::size_t from, std::size_t to) noexcept {
  act(from, to);
}

// Calls act(from, to), without inlining it, for consecutive parts of 0..size - 1.
template <class Act>
void in_chunks(std::size_t size, Act act) noexcept {
  for (std::size_t from = 0; from < size; from += kChunk)
    act_on_chunk(act, from, std::min(from + kChunk, size));
}

}  // namespace tamis::detail
