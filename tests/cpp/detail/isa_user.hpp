// isa_user.cpp, compiled twice for different processors and linked into one program.
#pragma once

#include <array>
#include <cstddef>

#include "support/container.hpp"

namespace tamis::test {

struct IsaUser {
  Bytes bytes;          // the bytes of a filter that was filled by inlined inserts
  std::size_t answers;  // the number of keys that inlined look-ups found in it
  // The addresses of functions in headers whose code depends on the instruction set.
  std::array<const void*, 2> functions;
};

IsaUser use_plain();
IsaUser use_avx2();

}  // namespace tamis::test
