// The list of owning objects: order, lifetimes and refused memory.

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include <tamis/detail/list.hpp>
#include "support/test_calloc.hpp"

namespace tamis::test {
namespace {

// Counts the objects that own something, so that one destroyed twice or never is seen.
class Owner {
 public:
  static inline int alive = 0;

  explicit Owner(int value) noexcept : value_(new int(value)) { ++alive; }
  Owner(Owner&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
  Owner& operator=(Owner&&) = delete;
  ~Owner() {
    if (value_ == nullptr) return;
    --alive;
    delete value_;
  }
  int value() const noexcept { return *value_; }

 private:
  int* value_;
};

using Owners = detail::List<Owner>;

Owners counted(int size) {
  Owners list;
  for (int i = 0; i < size; ++i) EXPECT_EQ(list.push_back(Owner(i)), Status::kOk);
  return list;
}

void expect_counted(const Owners& list, int size) {
  ASSERT_EQ(list.size(), static_cast<std::size_t>(size));
  int i = 0;
  for (const Owner& owner : list) EXPECT_EQ(owner.value(), i++);
  EXPECT_EQ(i, size);
  if (size > 0) {
    EXPECT_EQ(list[0].value(), 0);
    EXPECT_EQ(list.back().value(), size - 1);
  }
}

TEST(List, KeepsItsItemsAndTheirOrder) {
  for (int size = 0; size <= 100; ++size) {
    const Owners list = counted(size);
    expect_counted(list, size);
    EXPECT_EQ(Owner::alive, size);
  }
  EXPECT_EQ(Owner::alive, 0);
}

TEST(List, ShrinksAndGrowsAgain) {
  Owners list = counted(20);
  list.resize_down(20);
  expect_counted(list, 20);
  list.resize_down(7);
  expect_counted(list, 7);
  EXPECT_EQ(Owner::alive, 7);
  for (int i = 7; i < 50; ++i) ASSERT_EQ(list.push_back(Owner(i)), Status::kOk);
  expect_counted(list, 50);
  list.clear();
  expect_counted(list, 0);
  EXPECT_EQ(Owner::alive, 0);
  list.clear();
  ASSERT_EQ(list.push_back(Owner(0)), Status::kOk);
  expect_counted(list, 1);
}

TEST(List, Moves) {
  Owners first = counted(5);
  Owners second(std::move(first));
  expect_counted(first, 0);
  expect_counted(second, 5);
  Owners third = counted(30);
  third = std::move(second);
  expect_counted(second, 0);
  expect_counted(third, 5);
  EXPECT_EQ(Owner::alive, 5);
  Owners& itself = third;
  third = std::move(itself);
  expect_counted(third, 5);
  ASSERT_EQ(second.push_back(Owner(0)), Status::kOk) << "one that was moved from may be used again";
  expect_counted(second, 1);
}

TEST(List, RefusedMemoryLeavesItAsItWas) {
  int refused = 0;
  for (int size = 0; size <= 40; ++size) {
    Owners list = counted(size);
    tamis_fail_allocation(1);
    const Status status = list.push_back(Owner(size));
    tamis_fail_allocation(0);
    ASSERT_TRUE(status == Status::kOk || status == Status::kOutOfMemory);
    refused += status == Status::kOutOfMemory ? 1 : 0;
    const int now = size + (status == Status::kOk ? 1 : 0);
    expect_counted(list, now);
    ASSERT_EQ(Owner::alive, now) << "what was not taken is gone";
    for (int i = now; i < 60; ++i) ASSERT_EQ(list.push_back(Owner(i)), Status::kOk);
    expect_counted(list, 60);
  }
  EXPECT_GT(refused, 3);
  EXPECT_LT(refused, 20) << "memory is asked for in steps";
  EXPECT_EQ(Owner::alive, 0);
}

TEST(List, Alignment) {
  struct alignas(64) Wide {
    std::uint64_t word;
  };
  detail::List<Wide> list;
  for (std::uint64_t i = 0; i < 20; ++i) {
    ASSERT_EQ(list.push_back(Wide{i}), Status::kOk);
    for (const Wide& wide : list) ASSERT_EQ(reinterpret_cast<std::uintptr_t>(&wide) % 64, 0u);
  }
  for (std::uint64_t i = 0; i < 20; ++i) EXPECT_EQ(list[i].word, i);
}

}  // namespace
}  // namespace tamis::test
