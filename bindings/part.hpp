// bindings/part.hpp - which part of the wasm a function is for, and what runs when that part is loaded.
//
// An export is called PART:NAME here, and NAME in the part: js/scripts/wasm/cut.mjs gives each part
// what its exports reach and no other part's do.
#pragma once

#if __has_attribute(export_name)
#define TAMIS_EXPORT(part, name) __attribute__((export_name(part ":" name)))
#else  // in the tests of this machine, which call the function by its C name
#define TAMIS_EXPORT(part, name)
#endif

// TAMIS_PART("cuckoo", load_cuckoo) { ... }: runs once, when the part is loaded, before anything else
// of it. A part may have several; their order is not defined. The wasm has no other start: cut.mjs
// refuses static constructors.
#define TAMIS_PART(part, function) extern "C" TAMIS_EXPORT(part, #function) void function() noexcept
