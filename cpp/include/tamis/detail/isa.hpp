// tamis/detail/isa.hpp - the instruction set that a file is compiled for, as a name.
//
// Files of one program may be compiled for different instruction sets. The linker keeps one copy of
// an inline function, which may then be wrong for another file. So inline functions that depend on
// the instruction set are in `inline namespace TAMIS_ISA`. Members of a class that call them are
// TAMIS_PER_ISA. Both have different names for different sets.
#pragma once

#if defined(__wasm_simd128__)
#define TAMIS_ISA wasm_simd
#elif defined(__AVX2__)
#define TAMIS_ISA avx2
#elif defined(__SSE2__)
#define TAMIS_ISA sse2
#elif defined(__ARM_NEON)
#define TAMIS_ISA neon
#else
#define TAMIS_ISA portable
#endif

// True if the file is for any processor of x86-64, and may ask this one what else it has.
#if defined(__x86_64__) && defined(__SSE2__) && !defined(__AVX2__)
#define TAMIS_ASKS_PROCESSOR 1
#endif

#ifdef __wasm__
#define TAMIS_PER_ISA  // such members have no inline body there (TAMIS_INLINE)
#else
#define TAMIS_TEXT_OF(name) #name
#define TAMIS_TAG(name) [[gnu::abi_tag(TAMIS_TEXT_OF(name))]]
#define TAMIS_PER_ISA TAMIS_TAG(TAMIS_ISA)
#endif
