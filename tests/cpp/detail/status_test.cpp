// The registry of errors, and Result.

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <string_view>

#include <tamis/status.hpp>

namespace tamis::test {
namespace {

constexpr Status kAll[] = {
#define TAMIS_STATUS(name, code, message) Status::name,
#include <tamis/status.def>
#undef TAMIS_STATUS
};

TEST(Status, CodesAreDistinctAndWellFormed) {
  std::set<std::string> codes;
  for (const Status status : kAll) {
    const std::string_view text = code(status);
    ASSERT_TRUE(text.starts_with("ERR_TAMIS_")) << text;
    for (const char letter : text) {
      ASSERT_TRUE((letter >= 'A' && letter <= 'Z') || letter == '_') << text;
    }
    EXPECT_TRUE(codes.emplace(text).second) << text << " stands twice";
    EXPECT_GT(std::string_view(message(status)).size(), 10u) << text;
    EXPECT_EQ(std::string_view(message(status)).back() == '.', false) << text;
  }
}

TEST(Status, NumbersRunFromOne) {
  std::int32_t expected = 1;
  for (const Status status : kAll) {
    EXPECT_EQ(static_cast<std::int32_t>(status), expected++);
  }
  EXPECT_EQ(static_cast<std::int32_t>(Status::kOk), 0);
}

TEST(Status, OkAndUnknownHaveTexts) {
  EXPECT_STREQ(code(Status::kOk), "OK");
  EXPECT_STREQ(message(Status::kOk), "success");
  EXPECT_STREQ(code(static_cast<Status>(9'999)), code(Status::kInternal));
}

TEST(Result, HoldsAValueOrAReason) {
  const Result<int> seven = 7;
  ASSERT_TRUE(seven.ok());
  EXPECT_EQ(*seven, 7);
  EXPECT_EQ(seven.status(), Status::kOk);
  const Result<int> none = Status::kTooLarge;
  EXPECT_FALSE(none.ok());
  EXPECT_EQ(none.status(), Status::kTooLarge);
}

TEST(Result, OkIsNoReason) {
  const Result<int> none = Status::kOk;
  EXPECT_FALSE(none.ok());
  EXPECT_EQ(none.status(), Status::kInternal);
}

TEST(Result, CarriesWhatOnlyMoves) {
  Result<std::unique_ptr<int>> made = std::make_unique<int>(3);
  ASSERT_TRUE(made.ok());
  const std::unique_ptr<int> taken = std::move(*made);
  EXPECT_EQ(*taken, 3);
}

TEST(Result, CanBeAssigned) {
  Result<std::string> one = std::string("ada");
  const Result<std::string> other = std::string("grace");
  one = other;
  EXPECT_EQ(*one, "grace");
  one = Status::kFull;
  EXPECT_EQ(one.status(), Status::kFull);
}

TEST(Result, IsTrueWithAValue) {
  EXPECT_TRUE(Result<int>(0));
  EXPECT_FALSE(Result<int>(Status::kFull));
  static_assert(!std::is_constructible_v<bool, Result<bool>>);
}

TEST(Result, GivesAnotherValueInPlaceOfNone) {
  const Result<std::string> none = Status::kTooLarge, ada = std::string("ada");
  EXPECT_EQ(none.value_or("grace"), "grace");
  EXPECT_EQ(ada.value_or("grace"), "ada");
  Result<std::unique_ptr<int>> made = std::make_unique<int>(3);
  EXPECT_EQ(*std::move(made).value_or(nullptr), 3);
}

// This file alone is compiled with asserts, and no other has a Result of this type.
TEST(ResultDeathTest, AssertsThatThereIsAValue) {
  struct Nothing {};
  const Result<Nothing> none = Status::kTooLarge;
  EXPECT_DEATH((void)*none, "ok()");
  EXPECT_DEATH((void)none.operator->(), "ok()");
}

}  // namespace
}  // namespace tamis::test
