// bindings/publish.hpp - the control plane: functions that JavaScript calls through embind.
#pragma once

#include <emscripten/bind.h>

#include <cstdint>
#include <type_traits>

#include "part.hpp"

namespace tamis::bindings {

// Gives JavaScript a function of numbers. embind's JavaScript half (js/src/core/border/runtime.ts)
// knows no types, and passes on the results of wasm: an unsigned number of 32 bits would get a
// sign. The functions have no noexcept, since the embind of Emscripten 3.1.6 does not know such
// function types.
template <class Result, class... Arguments>
void publish(const char* name, Result (*function)(Arguments...)) {
  static_assert(std::is_void_v<Result> || std::is_same_v<Result, double> ||
                std::is_same_v<Result, std::int32_t>);
  emscripten::function(name, function);
}

}  // namespace tamis::bindings
