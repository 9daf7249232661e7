// Files that are compiled for different processors have functions of their own where the code depends
// on that. Otherwise the linker would give one file's code to the other, which may run on an older
// processor.

#include <gtest/gtest.h>

#include "detail/isa_user.hpp"

namespace tamis::test {
namespace {

TEST(Isa, FilesOfOneProgramShareNoFunctionThatDependsOnIt) {
#ifdef __x86_64__
  if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "this processor has no AVX2";
  const IsaUser plain = use_plain(), avx2 = use_avx2();
  EXPECT_EQ(plain.bytes, avx2.bytes);
  EXPECT_EQ(plain.answers, avx2.answers);
  for (std::size_t i = 0; i < plain.functions.size(); ++i)
    EXPECT_NE(plain.functions[i], avx2.functions[i]) << i;
#else
  GTEST_SKIP() << "only x86-64 has two instruction sets here";
#endif
}

}  // namespace
}  // namespace tamis::test
