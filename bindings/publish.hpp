// bindings/publish.hpp - registers functions for JavaScript, which calls them through embind.
#pragma once

#include <emscripten/bind.h>

#include <cstdint>
#include <type_traits>

#include "part.hpp"

namespace tamis::bindings {

// Makes a function with numbers available to JavaScript. The JavaScript half of embind here
// (js/src/core/border/runtime.ts) knows no types and returns wasm's results as they are, so an
// unsigned 32-bit result would come out negative. The functions are not noexcept, because the
// embind of Emscripten 3.1.6 does not support noexcept function types.
template <class Result, class... Arguments>
void publish(const char* name, Result (*function)(Arguments...)) {
  static_assert(std::is_void_v<Result> || std::is_same_v<Result, double> ||
                std::is_same_v<Result, std::int32_t>);
  emscripten::function(name, function);
}

}  // namespace tamis::bindings
