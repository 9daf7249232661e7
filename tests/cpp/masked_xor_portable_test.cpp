// masked_xor_test.cpp with the portable form, under names of its own.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>

#include <tamis/detail/endian.hpp>

#undef __SSE2__
namespace tamis::portable {
using detail::load_le64;
}
#define detail portable
#define MaskedXor MaskedXorPortable
#include "masked_xor_test.cpp"
