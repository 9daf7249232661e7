// bindings/memory.cpp - replaces libc's malloc, calloc, free and abort for all code.
//
// Emscripten's emmalloc adds an address and a size in 32 bits, so that near 4 GiB its blocks
// overlap. This file is compiled without link-time optimisation (CMakeLists.txt), which would
// confuse these definitions with the compiler's own functions of the same names.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "linear_heap.hpp"
#include "part.hpp"

namespace {

struct WasmMemory {
  static std::byte* at(std::uint32_t address) noexcept {
    return reinterpret_cast<std::byte*>(address);
  }
  static std::uint32_t pages() noexcept { return __builtin_wasm_memory_size(0); }
  static bool grow(std::uint32_t pages) noexcept {
    return __builtin_wasm_memory_grow(0, pages) != SIZE_MAX;
  }
};

using Heap = tamis::bindings::LinearHeap<WasmMemory>;

Heap& heap() noexcept {
  static constinit Heap made;
  // The heap must begin after everything that the linker placed. __heap_base has that address, but
  // wasm-ld 14 crashes on it when relocations are kept. So the heap begins at the last 8 bytes of
  // the initial pages, which are unused.
  if (!made.is_started()) made.start((WasmMemory::pages() << 16) - 8);
  return made;
}

}  // namespace

TAMIS_EXPORT("base", "_malloc")
void* malloc(std::size_t size) { return reinterpret_cast<void*>(heap().allocate(size)); }

// libc's header declares calloc and abort as C functions.
void* calloc(std::size_t count, std::size_t size) {
  std::size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) return nullptr;
  return reinterpret_cast<void*>(heap().allocate_zeroed(bytes));
}

TAMIS_EXPORT("base", "_free")
void free(void* memory) { heap().release(reinterpret_cast<std::uintptr_t>(memory)); }

// libc++ calls this function to end the program. The runtime reports a trap; libc's own abort would
// add the code for signals.
void abort() { __builtin_trap(); }
