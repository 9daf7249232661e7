// bindings/builtin_types.cpp - the C++ types that cross the border, and no others.
//
// Emscripten 3.1.6 registers every type that embind knows, strings and array views among them, and
// brings printf along. That is 4.6 kB on the wire for nothing that is used here. Its function is
// defined here instead, with the types of structures.cpp and filters/ alone; a newer Emscripten
// keeps its own.

#include <emscripten.h>
#include <emscripten/bind.h>

#if __EMSCRIPTEN_major__ == 3 && __EMSCRIPTEN_minor__ == 1 && __EMSCRIPTEN_tiny__ == 6

#include <limits>

namespace {

template <class Integer>
void register_integer(const char* name) {
  emscripten::internal::_embind_register_integer(
      emscripten::internal::TypeID<Integer>::get(), name, sizeof(Integer),
      static_cast<long>(std::numeric_limits<Integer>::min()),
      static_cast<unsigned long>(std::numeric_limits<Integer>::max()));
}

}  // namespace

extern "C" {

// Before all other constructors: embind_lean.js has nothing wait for a type.
EMSCRIPTEN_KEEPALIVE __attribute__((constructor(101))) void
__embind_register_native_and_builtin_types() {
  using emscripten::internal::TypeID;
  emscripten::internal::_embind_register_void(TypeID<void>::get(), "void");
  register_integer<int>("int");
  register_integer<unsigned int>("unsigned int");
  register_integer<unsigned long>("unsigned long");
  emscripten::internal::_embind_register_float(TypeID<double>::get(), "double", sizeof(double));
}

}  // extern "C"

#endif
