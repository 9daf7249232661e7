// A stream of operations on every type, against the models of contract/. The first bytes choose the
// type, its options and how far it is filled to begin with.

#include <fuzzer/FuzzedDataProvider.h>

#include <cstdint>
#include <utility>

#include "contract/filter_model.hpp"
#include "contract/other_models.hpp"
#include "contract/static_model.hpp"
#include "fuzz/fuzz.hpp"

namespace tamis::fuzz {
namespace {

// The models' source of numbers.
class FuzzedNumbers {
 public:
  explicit FuzzedNumbers(FuzzedDataProvider& in) : in_(in) {}
  std::uint64_t below(std::uint64_t n) {
    return in_.ConsumeIntegralInRange<std::uint64_t>(0, n - 1);
  }
  bool is_at_end() const { return in_.remaining_bytes() == 0; }

 private:
  FuzzedDataProvider& in_;
};

template <class Model>
void run(Model&& model, const FuzzedNumbers& numbers) {
  // Longer inputs find no more, and take long.
  for (int i = 0; i < 300 && !numbers.is_at_end(); ++i) model.step();
}

Hasher some_hasher(FuzzedDataProvider& in) {
  const auto id = HashId{in.ConsumeIntegralInRange<std::uint8_t>(0, kHashIds)};
  const std::uint64_t seed = is_seeded(id) ? in.ConsumeIntegral<std::uint64_t>() : 0;
  return id == HashId::kSipHash ? Hasher(test::sip_key(), seed) : Hasher(id, seed);
}

template <class F>
void run_filter(FuzzedDataProvider& in, FuzzedNumbers& numbers) {
  typename F::Config config;
  config.capacity = 1 + numbers.below(100);
  config.fpr = in.ConsumeFloatingPointInRange<double>(1e-6, 0.9);
  config.hasher = some_hasher(in);
  if (in.ConsumeBool()) {
    test::vary_options(
        config, [&](std::uint64_t n) { return static_cast<std::uint32_t>(numbers.below(n)); });
  }
  auto first = F::create(config), second = F::create(config);
  MUST(first.status() == second.status());
  if (!first.ok()) return;  // a hash that the type does not allow
  test::FilterModel<F, FuzzedNumbers> model(std::move(*first), std::move(*second),
                                            2 * config.capacity + 4, numbers);
  model.fill(numbers.below(config.capacity + 1));
  run(model, numbers);
}

template <class F>
void run_sketch(FuzzedDataProvider& in, FuzzedNumbers& numbers) {
  typename F::Config config;
  config.differences = 1 + numbers.below(40);
  config.key_bytes = 4 + static_cast<std::uint32_t>(numbers.below(61));
  config.hasher = some_hasher(in);
  auto first = F::create(config), second = F::create(config);
  if (!first.ok() || !second.ok()) return;
  run(test::SketchModel<F, FuzzedNumbers>(std::move(*first), std::move(*second),
                                          2 * config.differences, numbers),
      numbers);
}

template <class F>
void run_static(FuzzedDataProvider& in, FuzzedNumbers& numbers) {
  test::StaticModel<F, FuzzedNumbers> model(some_hasher(in), numbers);
  for (int i = 0; i < 8 && !numbers.is_at_end(); ++i) model.step();
}

template <class F>
void run_array(FuzzedNumbers& numbers) {
  auto array = F::create({.length = numbers.below(400)});
  MUST(array.ok());
  run(test::ArrayModel<F, FuzzedNumbers>(std::move(*array), numbers), numbers);
}

}  // namespace
}  // namespace tamis::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tamis::fuzz;
  FuzzedDataProvider in(data, size);
  FuzzedNumbers numbers(in);
  with_type_at(in.ConsumeIntegral<std::uint8_t>(), [&]<class F>() {
    if constexpr (tamis::MutableFilter<F>) {
      run_filter<F>(in, numbers);
    } else if constexpr (tamis::Sketch<F>) {
      run_sketch<F>(in, numbers);
    } else if constexpr (tamis::test::BuiltOnce<F>) {
      run_static<F>(in, numbers);
    } else {
      run_array<F>(numbers);
    }
  });
  return 0;
}
