// The hashes of expressions: one by one, and many at once.

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include <tamis/url/expressions.hpp>

#include "support/support.hpp"

namespace tamis::test {
namespace {

using url::ExpressionHash;

TEST(ExpressionHash, IsThatOfTheProtocol) {
  EXPECT_EQ(hex(url::hash_expression("foo.com/")),
            "af30010e4c011fc77e1ab03ef898ab2f8dec17c0bd178a875ad0cd9b7a6e5973");
}

TEST(ExpressionHash, ManyAsOneByOne) {
  std::vector<std::string> texts;
  // Also more than the expressions of one URL, and of more than one block.
  for (std::size_t i = 0; i < 200; ++i)
    texts.emplace_back(i * 7 % 131, static_cast<char>('!' + i % 90));
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  for (std::size_t count = 0; count <= views.size(); ++count) {
    std::vector<ExpressionHash> hashes(count);
    url::hash_expressions(std::span(views).first(count), hashes.data());
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(hashes[i], url::hash_expression(views[i])) << count << " " << i;
    }
  }
}

}  // namespace
}  // namespace tamis::test
