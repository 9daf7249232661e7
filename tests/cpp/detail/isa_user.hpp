// Two files of one program that are compiled for different processors: isa_user.cpp, twice.
#pragma once

#include <array>
#include <cstddef>

#include "support/container.hpp"

namespace tamis::test {

struct IsaUser {
  Bytes bytes;          // of a filter that was filled by inlined inserts
  std::size_t answers;  // the number of keys that inlined look-ups found in it
  // The addresses of functions in headers whose code depends on the instruction set.
  std::array<const void*, 2> functions;
};

IsaUser use_plain();
IsaUser use_avx2();

}  // namespace tamis::test
