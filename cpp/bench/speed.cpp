// Native speed of every filter of filters.def that keys are added to: ns per key, hashed beforehand, at
// sizes that lie in the second-level cache, in the third and in memory. Which question a row answers:
//
//   insert   what a key costs to put in
//   hit      what a look-up costs where every probe is made
//   miss     what a look-up costs where the first that fails ends it
//   erase    what a key costs to take out, until the filter is empty
//   hash     what hashing a 54-byte key costs, to be added to the others for strings
//
// The column per_key is what counts.
//
//   npm run bench:native
//   npm run bench:native -- --benchmark_filter=cuckoo

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <tamis/tamis.hpp>

namespace {

using namespace tamis;

// The i-th key's hash, of members (even) or strangers (odd).
Hash hash_of(std::uint64_t i, bool is_member) { return Hash{fmix64(2 * i + (is_member ? 0 : 1))}; }

std::vector<Hash> hashes(std::uint64_t count, bool are_members) {
  std::vector<Hash> made;
  made.reserve(count);
  // In an order unlike that of the inserts, so that a look-up finds nothing in the cache by neighbourhood.
  for (std::uint64_t i = 0; i < count; ++i) made.push_back(hash_of(i * 0x9e3779b1 % count, are_members));
  return made;
}

template <class F>
F filled(std::uint64_t count) {
  typename F::Config config;
  config.capacity = count;
  auto filter = F::create(config);
  for (std::uint64_t i = 0; i < count; ++i) benchmark::DoNotOptimize(filter->insert(hash_of(i, true)));
  return std::move(*filter);
}

// An iteration goes through all keys; `per_key` is the mean of one.
void count_keys(benchmark::State& state) {
  using benchmark::Counter;
  const auto flags = static_cast<Counter::Flags>(Counter::kIsIterationInvariantRate | Counter::kInvert);
  state.counters["per_key"] = Counter(static_cast<double>(state.range(0)), flags);
}

template <class F>
void insert(benchmark::State& state) {
  const auto count = static_cast<std::uint64_t>(state.range(0));
  const auto keys = hashes(count, true);
  F filter = filled<F>(count);
  for (auto _ : state) {
    filter.clear();
    for (const Hash key : keys) benchmark::DoNotOptimize(filter.insert(key));
  }
  count_keys(state);
}

template <class F, bool kMembers>
void query(benchmark::State& state) {
  const auto count = static_cast<std::uint64_t>(state.range(0));
  const auto keys = hashes(count, kMembers);
  const F filter = filled<F>(count);
  for (auto _ : state) {
    for (const Hash key : keys) benchmark::DoNotOptimize(filter.may_contain(key));
  }
  count_keys(state);
}

template <class F>
void erase(benchmark::State& state) {
  const auto count = static_cast<std::uint64_t>(state.range(0));
  const auto keys = hashes(count, true);
  const F filter = filled<F>(count);
  for (auto _ : state) {
    state.PauseTiming();
    auto copy = filter.clone();
    if (!copy.ok()) return state.SkipWithError("no memory for a copy");
    state.ResumeTiming();
    for (const Hash key : keys) benchmark::DoNotOptimize(copy->erase(key));
  }
  count_keys(state);
}

void hash(benchmark::State& state) {
  std::array<std::byte, 54> key{};
  const Hasher hasher;
  for (auto _ : state) {
    key[0] = static_cast<std::byte>(state.iterations());
    benchmark::DoNotOptimize(hasher(key));
  }
  state.SetItemsProcessed(state.iterations());
}

template <class F>
void add(const char* slug) {
  if constexpr (MutableFilter<F>) {
    const auto sized = [](benchmark::internal::Benchmark* bench) {
      bench->Arg(100'000)->Arg(1'000'000)->Arg(10'000'000)->Unit(benchmark::kMillisecond);
    };
    const std::string name(slug);
    sized(benchmark::RegisterBenchmark((name + "/insert").c_str(), insert<F>));
    sized(benchmark::RegisterBenchmark((name + "/hit").c_str(), query<F, true>));
    sized(benchmark::RegisterBenchmark((name + "/miss").c_str(), query<F, false>));
    if constexpr (DeletableFilter<F>) {
      sized(benchmark::RegisterBenchmark((name + "/erase").c_str(), erase<F>));
    }
  }
}

[[maybe_unused]] const bool registered = [] {
  benchmark::RegisterBenchmark("hash/54", hash);
#define TAMIS_FILTER(Type, slug, id, kind, traits) add<Type>(slug);
#include <tamis/filters.def>
#undef TAMIS_FILTER
  return true;
}();

}  // namespace
