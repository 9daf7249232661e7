// split_block_test.cpp with the portable form of the split block, under names of its own.

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <random>

#undef __SSE2__
#undef __ARM_NEON
#define detail portable
#define SplitBlock SplitBlockPortable
#include "split_block_test.cpp"
