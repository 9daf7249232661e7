// Random sequences of commands on every type, against the models. Filters begin empty, filled to
// 50, 80, 95 and 100 % of their capacity.

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "contract/filter_model.hpp"
#include "contract/other_models.hpp"
#include "contract/static_model.hpp"
#include "support/samples.hpp"

namespace tamis::test {

namespace {

// SplitMix64, from the number of the sequence on.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(fmix64(seed)) {}
  std::uint64_t below(std::uint64_t n) {
    state_ += 0x9e3779b97f4a7c15;
    return reduce(splitmix64(state_), n);
  }

 private:
  std::uint64_t state_;
};

constexpr std::uint64_t kSequences = 120, kCommands = 200, kLists = 6;

template <class F>
class Model : public ::testing::Test {
 protected:
  // The hidden keys of all sequences of a type, and their expected number.
  HiddenKeys hidden_;
  double expected_ = 0;

  void filter_sequence(std::uint64_t sequence, const Hasher& hasher, Numbers& numbers) {
    constexpr std::uint64_t kFillings[] = {0, 50, 80, 95, 100};
    constexpr double kRates[] = {0.01, 0.1, 0.5, 0.001};
    typename F::Config config;
    config.capacity = 1 + numbers.below(sequence % 10 == 0 ? 300 : 60);
    config.fpr = kRates[numbers.below(std::size(kRates))];
    config.hasher = hasher;
    if (sequence % 2 == 1) {
      vary_options(config,
                   [&](std::uint64_t n) { return static_cast<std::uint32_t>(numbers.below(n)); });
    }
    auto first = F::create(config), second = F::create(config);
    ASSERT_TRUE(first.ok() && second.ok()) << code(first.status());
    FilterModel<F, Numbers> model(std::move(*first), std::move(*second), 2 * config.capacity + 4,
                                  numbers);
    model.fill(config.capacity * kFillings[sequence % std::size(kFillings)] / 100);
    for (std::uint64_t i = 0; i < kCommands; ++i) model.step();
    if constexpr (requires { model.filter().false_negative_rate(); }) {
      const HiddenKeys found = model.hidden_keys();
      hidden_.hidden += found.hidden;
      expected_ += static_cast<double>(found.held) * model.filter().false_negative_rate();
    }
  }

  void sequence(std::uint64_t number) {
    Numbers numbers(number);
    const auto hashers = hashers_of<F>();
    const Hasher& hasher = hashers[number % hashers.size()];
    if constexpr (MutableFilter<F>) {
      filter_sequence(number, hasher, numbers);
    } else if constexpr (Sketch<F>) {
      const std::uint64_t differences = 1 + numbers.below(30);
      auto config = config_for<F>(differences, hasher);
      config.key_bytes = 4 + static_cast<std::uint32_t>(numbers.below(13));
      auto first = F::create(config), second = F::create(config);
      ASSERT_TRUE(first.ok() && second.ok());
      SketchModel<F, Numbers> model(std::move(*first), std::move(*second), 2 * differences,
                                    numbers);
      for (std::uint64_t i = 0; i < kCommands; ++i) model.step();
    } else if constexpr (BuiltOnce<F>) {
      StaticModel<F, Numbers> model(hasher, numbers);
      for (std::uint64_t i = 0; i < kLists; ++i) model.step();
    } else {
      auto array = F::create(config_for<F>(numbers.below(400), hasher));
      ASSERT_TRUE(array.ok());
      ArrayModel<F, Numbers> model(std::move(*array), numbers);
      for (std::uint64_t i = 0; i < kCommands; ++i) model.step();
    }
  }
};
TYPED_TEST_SUITE(Model, AllStructures);

TYPED_TEST(Model, RandomCommands) {
  for (std::uint64_t number = 0; number < kSequences && !this->HasFailure(); ++number) {
    SCOPED_TRACE("sequence " + std::to_string(number));
    try {
      this->sequence(number);
    } catch (const std::logic_error& failure) {
      ADD_FAILURE() << failure.what();
    }
  }
  // Neighbouring keys share the tombstones of a sequence, so the bound is a wide one.
  EXPECT_LE(static_cast<double>(this->hidden_.hidden), 2 * this->expected_ + 10);
}

}  // namespace
}  // namespace tamis::test
