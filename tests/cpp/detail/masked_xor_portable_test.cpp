// masked_xor_test.cpp with the portable form, which has its own names (detail/isa.hpp).

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>

#undef __SSE2__
#undef __ARM_NEON
#define MaskedXor MaskedXorPortable
#include "detail/masked_xor_test.cpp"
