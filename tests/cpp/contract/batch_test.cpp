// Every filter gives the same answers for many hashes at once as for one at a time.

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "support/samples.hpp"

namespace tamis::test {
namespace {

template <class F>
class BatchContract : public ::testing::Test {};
TYPED_TEST_SUITE(BatchContract, Filters);

TYPED_TEST(BatchContract, AnswersAsOneCallEach) {
  for (const Hasher& hasher : hashers_of<TypeParam>()) {
    const auto filter = make_filled<TypeParam>(500, hasher);
    // Every other key is an absent key.
    std::vector<Hash> hashes;
    for (std::uint64_t i = 0; i < 1'000; ++i) {
      const Bytes key = make_key(KeyFamily::kUrls, i % 2, i / 2);
      hashes.push_back(is_hash_once(hasher.id()) ? hasher(key) : Hash{i});
    }
    std::size_t ones = 0, at = 0;
    for (const std::size_t count : {0u, 1u, 31u, 32u, 33u, 100u, 800u}) {
      // There is one byte more, which must not change. The batch has exactly its size, for
      // AddressSanitizer.
      std::vector<std::uint8_t> answers(count + 1, std::uint8_t{0xa5});
      const std::vector<Hash> batch(hashes.begin() + static_cast<std::ptrdiff_t>(at),
                                    hashes.begin() + static_cast<std::ptrdiff_t>(at + count));
      filter.may_contain(batch, answers.data());
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(answers[i], filter.may_contain(batch[i]) ? 1 : 0)
            << name_of(hasher) << ", " << i << " of " << count;
        ones += answers[i];
      }
      EXPECT_EQ(answers[count], 0xa5);
      at += count;
    }
    EXPECT_GE(ones, 498u);
    if (is_hash_once(hasher.id())) {
      EXPECT_LT(ones, 700u);
    }
  }
}

}  // namespace
}  // namespace tamis::test
