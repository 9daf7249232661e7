// tamis/detail/portability.hpp - features that the oldest supported standard library lacks.
#pragma once

// Keeps a function out of its callers. All compilers that build this know GNU's attributes.
#define TAMIS_NOINLINE [[gnu::noinline]]

namespace tamis::detail {

// std::bit_cast, which the libc++ of Emscripten 3.1.6 does not have.
template <class To, class From>
[[nodiscard]] constexpr To bit_cast(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

}  // namespace tamis::detail
