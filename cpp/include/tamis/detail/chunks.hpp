// tamis/detail/chunks.hpp - long loops in parts.
//
// Engines recompile a hot wasm function, but one long call stays in the slow code. So a loop over
// many keys is a function, and each call of it handles some thousands of them.
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

// Calls act(from, to) for each part of 0..size - 1. The call is not inlined, so act may be a loop.
template <class Act>
void in_chunks(std::size_t size, Act act) noexcept {
  for (std::size_t from = 0; from < size; from += kChunk)
    act_on_chunk(act, from, std::min(from + kChunk, size));
}

}  // namespace tamis::detail
