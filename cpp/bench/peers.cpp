// Native filters beside the fastest C++ that registries bring: Boost.Bloom, and the binary fuse
// filter of xor_singleheader. All have equal 64-bit keys and as many bits for each. The rows are:
//
//   build            the cost of a key, from the keys in memory to the filter
//   present, absent  the cost of one look-up after the other
//   batch-present    the cost of one of many look-ups in one call, if the filter has such a call
//   batch-absent
//
// Read the column per_key. Rows of a peer whose header is not found are left out.
//
//   npm run bench -- --part peers      lab/bench builds it twice, for any processor and for this one

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <tamis/filters/binary_fuse.hpp>
#include <tamis/filters/blocked_bloom.hpp>
#include <tamis/filters/bloom.hpp>
#include <tamis/filters/cuckoo.hpp>
#include <tamis/filters/ribbon.hpp>

#if __has_include(<boost/bloom.hpp>)
#include <boost/bloom.hpp>
#define TAMIS_HAS_BOOST 1
#endif
#if __has_include(<binaryfusefilter.h>)
#include <binaryfusefilter.h>
#define TAMIS_HAS_FUSE 1
#endif

namespace {

using namespace tamis;
using Keys = std::vector<std::uint64_t>;

// The most keys that a pass looks up, which are enough to be everywhere in the largest filter.
constexpr std::size_t kMostAsked = 1'000'000;

template <class F>
class Tamis {
 public:
  using Config = typename F::Config;

  Tamis(Config config, Keys& keys) {
    if constexpr (MutableFilter<F>) {
      config.capacity = keys.size();
      filter_.emplace(std::move(*F::create(config)));
      (void)filter_->insert(as_hashes(keys));
    } else {
      filter_.emplace(std::move(*F::build(config, keys)));
    }
  }
  [[nodiscard]] bool has(std::uint64_t key) const { return filter_->may_contain(Hash{key}); }
  void has(std::span<const std::uint64_t> keys, std::uint8_t* answers) const {
    filter_->may_contain(as_hashes(keys), answers);
  }

 private:
  [[nodiscard]] static std::span<const Hash> as_hashes(std::span<const std::uint64_t> keys) {
    return {reinterpret_cast<const Hash*>(keys.data()), keys.size()};
  }

  std::optional<F> filter_;
};

#ifdef TAMIS_HAS_BOOST
template <class F>
class Boost {
 public:
  using Config = double;  // bits for each key

  Boost(double bits, Keys& keys) : filter_(static_cast<std::size_t>(bits * keys.size())) {
    filter_.insert(keys.begin(), keys.end());
  }
  [[nodiscard]] bool has(std::uint64_t key) const { return filter_.may_contain(key); }
  void has(std::span<const std::uint64_t> keys, std::uint8_t* answers) const {
    filter_.may_contain(keys.begin(), keys.end(),
                        [&](std::uint64_t, bool answer) { *answers++ = answer ? 1 : 0; });
  }

 private:
  F filter_;
};
#endif

#ifdef TAMIS_HAS_FUSE
class Fuse8 {
 public:
  struct Config {};

  Fuse8(Config, Keys& keys) {
    const auto size = static_cast<std::uint32_t>(keys.size());
    if (!binary_fuse8_allocate(size, &filter_) ||
        !binary_fuse8_populate(keys.data(), size, &filter_))
      std::abort();
  }
  Fuse8(const Fuse8&) = delete;
  Fuse8& operator=(const Fuse8&) = delete;
  ~Fuse8() { binary_fuse8_free(&filter_); }
  [[nodiscard]] bool has(std::uint64_t key) const { return binary_fuse8_contain(key, &filter_); }

 private:
  binary_fuse8_t filter_;
};
#endif

template <class F>
concept Batched = requires(const F& filter, std::uint8_t* answers) {
  filter.has(std::span<const std::uint64_t>(), answers);
};

// Keys that are in the filter, or that are not, in an order of their own.
Keys make_keys(std::size_t count, bool are_present, std::size_t asked) {
  Keys keys;
  keys.reserve(asked);
  for (std::uint64_t i = 0; i < asked; ++i)
    keys.push_back(fmix64(2 * (i * 0x9e3779b1 % count) + (are_present ? 0 : 1)));
  return keys;
}

// The filter that all look-ups share.
template <class F>
const F& filter_of(const typename F::Config& config, std::size_t count) {
  static std::map<std::size_t, std::unique_ptr<F>> filters;
  auto& filter = filters[count];
  if (filter == nullptr) {
    Keys keys = make_keys(count, true, count);
    filter = std::make_unique<F>(config, keys);
  }
  return *filter;
}

void count_keys(benchmark::State& state, std::size_t keys) {
  using benchmark::Counter;
  const auto flags =
      static_cast<Counter::Flags>(Counter::kIsIterationInvariantRate | Counter::kInvert);
  state.counters["per_key"] = Counter(static_cast<double>(keys), flags);
}

template <class F>
void add(const std::string& name, const typename F::Config& config, std::size_t count) {
  const auto row = [&](const char* operation, auto measure) {
    const std::string full = name + "/" + operation + "/" + std::to_string(count);
    benchmark::RegisterBenchmark(full.c_str(), measure)->Unit(benchmark::kMillisecond);
  };
  row("build", [=](benchmark::State& state) {
    const Keys keys = make_keys(count, true, count);
    for (auto _ : state) {
      state.PauseTiming();
      Keys scratch = keys;
      state.ResumeTiming();
      const F filter(config, scratch);
      benchmark::DoNotOptimize(&filter);
    }
    count_keys(state, count);
  });
  for (const bool are_present : {true, false}) {
    const std::string kind = are_present ? "present" : "absent";
    const std::size_t asked = std::min(count, kMostAsked);
    row(kind.c_str(), [=](benchmark::State& state) {
      const F& filter = filter_of<F>(config, count);
      const Keys keys = make_keys(count, are_present, asked);
      std::size_t found = 0;
      for (auto _ : state) {
        for (const std::uint64_t key : keys) found += filter.has(key) ? 1u : 0u;
        benchmark::DoNotOptimize(found);
      }
      if (are_present && found != asked * state.iterations())
        state.SkipWithError("a false negative");
      count_keys(state, asked);
    });
    if constexpr (Batched<F>) {
      row(("batch-" + kind).c_str(), [=](benchmark::State& state) {
        const F& filter = filter_of<F>(config, count);
        const Keys keys = make_keys(count, are_present, asked);
        std::vector<std::uint8_t> answers(asked);
        for (auto _ : state) {
          filter.has(std::span(keys), answers.data());
          benchmark::ClobberMemory();
        }
        count_keys(state, asked);
      });
    }
  }
}

[[maybe_unused]] const bool registered = [] {
  for (const std::size_t count : {100'000u, 1'000'000u, 10'000'000u}) {
    add<Tamis<BloomFilter>>("bloom/tamis", {}, count);
    add<Tamis<BlockedBloomFilter>>("blocked/tamis", {}, count);
    add<Tamis<CuckooFilter>>("cuckoo/tamis", {.fingerprint_bits = 12}, count);
    add<Tamis<BinaryFuseFilter>>("fuse/tamis", {.fingerprint_bits = 8, .arity = 3}, count);
    add<Tamis<RibbonFilter>>("ribbon/tamis", {.fingerprint_bits = 8}, count);
#ifdef TAMIS_HAS_BOOST
    // The bits of tamis' filters of 1 %, as their sizes are.
    using namespace boost::bloom;
    add<Boost<filter<std::uint64_t, 7>>>("bloom/Boost.Bloom", 9.59, count);
    add<Boost<filter<std::uint64_t, 1, fast_multiblock32<8>>>>("blocked/Boost.Bloom", 10.53, count);
#endif
#ifdef TAMIS_HAS_FUSE
    add<Fuse8>("fuse/xor_singleheader", {}, count);
#endif
  }
  return true;
}();

}  // namespace
