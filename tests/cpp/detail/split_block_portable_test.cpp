// split_block_test.cpp with the portable form of the split block, which has its own names
// (detail/isa.hpp).

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <random>

#undef __SSE2__
#undef __ARM_NEON
#define SplitBlock SplitBlockPortable
#include "detail/split_block_test.cpp"
