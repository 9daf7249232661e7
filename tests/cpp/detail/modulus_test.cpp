// Remainders by products against the division itself.

#include <gtest/gtest.h>

#include <cstdint>

#include <tamis/detail/modulus.hpp>

namespace tamis::test {
namespace {

using detail::Modulus;

constexpr std::uint64_t kDivisors[] = {
    1,          2,           3,           64,         479232,           (1u << 31) - 1,
    1u << 31,   0xfffffffeu, 0xffffffffu, 1ull << 32, (1ull << 32) + 1, 3ull << 40,
    1ull << 46, 1ull << 63,  ~0ull - 1,   ~0ull,
};

// The multiples of each divisor and their neighbours, at which a quotient is most often wrong by
// one.
template <class Check>
void for_each_edge(std::uint64_t n, std::uint64_t most, Check check) {
  for (const std::uint64_t x : {std::uint64_t{0}, std::uint64_t{1}, most - 1, most}) check(x);
  std::uint64_t random = 1;
  for (int i = 0; i < 1000; ++i) {
    random = random * 0xf1357aea2e62a9c5 + 1;
    const std::uint64_t multiple = (random & most) / n * n;
    for (const std::uint64_t x : {random, multiple - 1, multiple, multiple + 1}) check(x & most);
  }
}

TEST(Modulus, EqualsTheDivision) {
  for (const std::uint64_t n : kDivisors) {
    const Modulus modulus(n);
    for_each_edge(n, ~std::uint64_t{0},
                  [&](std::uint64_t x) { ASSERT_EQ(modulus(x), x % n) << x << " mod " << n; });
  }
}

TEST(Modulus, OfNarrowEqualsTheDivision) {
  for (const std::uint64_t n : kDivisors) {
    const Modulus modulus(n);
    for_each_edge(n, 0xffffffff, [&](std::uint64_t x) {
      ASSERT_EQ(modulus.of_narrow(x), x % n) << x << " mod " << n;
    });
  }
}

}  // namespace
}  // namespace tamis::test
