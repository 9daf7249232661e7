// tamis/detail/portability.hpp - replaces what the oldest supported library lacks.
#pragma once

// Keeps a function from being inlined. All supported compilers understand GNU attributes.
#define TAMIS_NOINLINE [[gnu::noinline]]

// Marks a function of a header *_inline.hpp, which callers can inline. In WebAssembly, only the
// source file of the class includes that header: all callers share one copy.
#ifdef __wasm__
#define TAMIS_INLINE
#else
#define TAMIS_INLINE inline
#endif

namespace tamis::detail {

// Stands in for std::bit_cast, which the libc++ of Emscripten 3.1.6 lacks.
template <class To, class From>
[[nodiscard]] constexpr To bit_cast(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

}  // namespace tamis::detail
