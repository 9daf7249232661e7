// tamis/detail/isa.hpp - the instruction set that a file is compiled for, as a namespace.
//
// Files of one program may be compiled for different instruction sets. The linker keeps one copy of
// an inline function, which may then be wrong for another file. So inline functions that depend on
// the instruction set are in `inline namespace TAMIS_ISA`, and have different names.
#pragma once

#if defined(__wasm_simd128__)
#define TAMIS_ISA wasm_simd
#elif defined(__SSE2__)
#define TAMIS_ISA sse2
#elif defined(__ARM_NEON)
#define TAMIS_ISA neon
#else
#define TAMIS_ISA portable
#endif
