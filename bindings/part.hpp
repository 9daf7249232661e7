// bindings/part.hpp - puts functions into a part of the wasm, and runs code when a part is loaded.
//
// Here an export is called PART:NAME; in the finished part it is called NAME.
// js/scripts/wasm/cut.mjs gives each part the functions that its exports need and that no other
// part needs.
#pragma once

#if __has_attribute(export_name)
#define TAMIS_EXPORT(part, name) extern "C" __attribute__((export_name(part ":" name)))
#else  // in native tests, which call the function by its C name
#define TAMIS_EXPORT(part, name) extern "C"
#endif

// TAMIS_PART("cuckoo", load_cuckoo) { ... } runs once when the part is loaded, before any other
// code in the part. A part may have several of these, in no defined order. No other code runs at
// the start: cut.mjs refuses static constructors.
#define TAMIS_PART(part, function) TAMIS_EXPORT(part, #function) void function() noexcept
