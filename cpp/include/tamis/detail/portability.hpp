// tamis/detail/portability.hpp - features that the oldest supported standard library lacks.
#pragma once

// Keeps a function out of its callers. All compilers that build this know GNU's attributes.
#define TAMIS_NOINLINE [[gnu::noinline]]

// Is before a function that callers inline, in a header *_inline.hpp. In WebAssembly its own source
// file alone includes that header: all callers share one copy, which is smaller and as fast.
#ifdef __wasm__
#define TAMIS_INLINE
#else
#define TAMIS_INLINE inline
#endif

namespace tamis::detail {

// std::bit_cast, which the libc++ of Emscripten 3.1.6 does not have.
template <class To, class From>
[[nodiscard]] constexpr To bit_cast(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

}  // namespace tamis::detail
