// tamis/detail/isa.hpp - a name for the instruction set that a file is compiled for.
//
// Files of one program may be compiled for different instruction sets, but the linker keeps only
// one copy of an inline function, which may be wrong for some of the files. So inline functions
// that depend on the instruction set are in `inline namespace TAMIS_ISA`, and class members that
// call them are marked TAMIS_PER_ISA. Both give the function a different name for each set.
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

// True if the file is for any x86-64 processor, and may ask at run time what this one supports.
#if defined(__x86_64__) && defined(__SSE2__) && !defined(__AVX2__)
#define TAMIS_ASKS_PROCESSOR 1
#endif

#ifdef __wasm__
#define TAMIS_PER_ISA  // in wasm such members have no inline body (TAMIS_INLINE)
#else
#define TAMIS_TEXT_OF(name) #name
#define TAMIS_TAG(name) [[gnu::abi_tag(TAMIS_TEXT_OF(name))]]
#define TAMIS_PER_ISA TAMIS_TAG(TAMIS_ISA)
#endif
