// bindings/part.hpp - the part of the wasm that a function is for, and the code that runs when that
// part is loaded.
//
// An export is called PART:NAME here, and NAME in the part. js/scripts/wasm/cut.mjs gives each part
// the functions that its exports reach and those of no other part do.
#pragma once

#if __has_attribute(export_name)
#define TAMIS_EXPORT(part, name) extern "C" __attribute__((export_name(part ":" name)))
#else  // in the tests of this machine, which call the function by its C name
#define TAMIS_EXPORT(part, name) extern "C"
#endif

// TAMIS_PART("cuckoo", load_cuckoo) { ... } runs once, when the part is loaded, before all else in
// it. A part may have several, in no defined order. The wasm has no other start: cut.mjs refuses
// static constructors.
#define TAMIS_PART(part, function) TAMIS_EXPORT(part, #function) void function() noexcept
