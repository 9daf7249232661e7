// Native speed of every type of structures.def that answers for keys: ns per key, hashed
// beforehand. The sizes lie in the second-level cache, in the third and in memory. The rows are:
//
//   insert            the cost of adding a key
//   build             the cost of a key of a type that is built once, all at a time
//   hit, miss         the cost of a look-up, of present keys and of absent keys, one by one
//   batch-hit, -miss  the cost of one of many look-ups in one call, if the type has such a call
//   erase             the cost of removing a key, until the filter is empty
//   hash              the cost of hashing a 54-byte key: add it to the others for strings
//
// Read the column per_key.
//
//   npm run bench:native                                      lab/bench runs it, beside WebAssembly
//   build/native/tamis_bench --benchmark_filter=cuckoo        some rows of it alone

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <tamis/registry.hpp>

namespace {

using namespace tamis;

// The most keys that a pass looks up, which are enough to be everywhere in the largest filter.
constexpr std::uint64_t kMostAsked = 1'000'000;

using Hashes = std::vector<std::uint64_t>;

// Hashes of `asked` of `count` members or absent keys.
Hashes hashes(std::uint64_t count, bool are_members, std::uint64_t asked) {
  Hashes made;
  made.reserve(asked);
  // The order differs from that of the numbers, so that neighbours in the list are none in the
  // filter.
  for (std::uint64_t i = 0; i < asked; ++i) {
    made.push_back(fmix64(2 * (i * 0x9e3779b1 % count) + (are_members ? 0 : 1)));
  }
  return made;
}

// Frees the filter that was measured before, so that one at a time is in memory.
std::function<void()> release = [] {};

// A type with options, and a number of keys.
template <class F>
class Subject {
 public:
  Subject(const typename F::Config& config, std::uint64_t count) : config_(config), count_(count) {
    if constexpr (requires { config_.capacity; }) config_.capacity = members();
  }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  // The first of two lists has a tenth of the keys.
  [[nodiscard]] std::uint64_t members() const {
    return BuiltOfTwo<F, std::uint64_t> ? count_ / 10 : count_;
  }

  // The lists that a type is built of. They are scratch, so each build takes a copy.
  struct Lists {
    Hashes first;
    Hashes second;
    std::vector<std::uint32_t> values;
  };
  [[nodiscard]] Lists lists() const {
    Lists made{hashes(members(), true, members()), {}, {}};
    if constexpr (BuiltOfTwo<F, std::uint64_t>) {
      made.second = hashes(count_ - members(), false, count_ - members());
    }
    if constexpr (BuiltOfTwo<F, std::uint32_t>) {
      for (const std::uint64_t key : made.first) made.values.push_back(key & 0xff);
    }
    return made;
  }
  [[nodiscard]] Result<F> build(Lists& lists) const {
    [[maybe_unused]] std::uint64_t conflicts = 0;
    if constexpr (BuiltOfTwo<F, std::uint64_t>) {
      return F::build(config_, lists.first, std::span(lists.second), conflicts);
    } else if constexpr (BuiltOfTwo<F, std::uint32_t>) {
      return F::build(config_, lists.first, std::span(lists.values), conflicts);
    } else {
      return F::build(config_, lists.first);
    }
  }

  // The filter with all its keys, or nullptr if it could not be made.
  [[nodiscard]] const F* filter() {
    if (!filter_) {
      release();
      release = [this] { filter_.reset(); };
      auto made = make();
      if (made.ok()) filter_.emplace(std::move(*made));
    }
    return filter_ ? &*filter_ : nullptr;
  }

 private:
  [[nodiscard]] Result<F> make() const {
    if constexpr (MutableFilter<F>) {
      auto made = F::create(config_);
      if (!made.ok()) return made.status();
      for (const std::uint64_t key : hashes(count_, true, count_)) {
        if (!Result<bool>(made->insert(Hash{key})).ok()) return Status::kFull;
      }
      return made;
    } else {
      Lists from = lists();
      return build(from);
    }
  }

  typename F::Config config_;
  std::uint64_t count_;
  std::optional<F> filter_;
};

// An iteration goes through all keys; `per_key` is the mean of one.
void count_keys(benchmark::State& state, std::uint64_t keys) {
  using benchmark::Counter;
  const auto flags =
      static_cast<Counter::Flags>(Counter::kIsIterationInvariantRate | Counter::kInvert);
  state.counters["per_key"] = Counter(static_cast<double>(keys), flags);
}

template <class F>
void insert(benchmark::State& state, Subject<F>& subject) {
  const F* filled = subject.filter();
  if (filled == nullptr) return state.SkipWithError("not filled");
  auto filter = filled->clone();
  if (!filter.ok()) return state.SkipWithError("no memory for a copy");
  const Hashes keys = hashes(subject.count(), true, subject.count());
  for (auto _ : state) {
    filter->clear();
    for (const std::uint64_t key : keys) benchmark::DoNotOptimize(filter->insert(Hash{key}));
  }
  count_keys(state, keys.size());
}

template <class F>
void build(benchmark::State& state, Subject<F>& subject) {
  const auto lists = subject.lists();
  for (auto _ : state) {
    state.PauseTiming();
    auto scratch = lists;
    state.ResumeTiming();
    auto made = subject.build(scratch);
    if (!made.ok()) return state.SkipWithError("not built");
    benchmark::DoNotOptimize(made->count());
  }
  count_keys(state, subject.count());
}

template <class F>
void query(benchmark::State& state, Subject<F>& subject, bool members) {
  const F* filter = subject.filter();
  if (filter == nullptr) return state.SkipWithError("not filled");
  const std::uint64_t count = members ? subject.members() : subject.count();
  const Hashes keys = hashes(count, members, std::min(count, kMostAsked));
  for (auto _ : state) {
    for (const std::uint64_t key : keys) benchmark::DoNotOptimize(filter->may_contain(Hash{key}));
  }
  count_keys(state, keys.size());
}

template <class F>
void query_batch(benchmark::State& state, Subject<F>& subject, bool members) {
  const F* filter = subject.filter();
  if (filter == nullptr) return state.SkipWithError("not filled");
  const std::uint64_t count = members ? subject.members() : subject.count();
  const Hashes numbers = hashes(count, members, std::min(count, kMostAsked));
  std::vector<Hash> keys;
  for (const std::uint64_t number : numbers) keys.push_back(Hash{number});
  std::vector<std::uint8_t> answers(keys.size());
  for (auto _ : state) {
    filter->may_contain(std::span<const Hash>(keys), answers.data());
    benchmark::ClobberMemory();
  }
  if (members && std::find(answers.begin(), answers.end(), 0) != answers.end()) {
    return state.SkipWithError("a false negative");
  }
  count_keys(state, keys.size());
}

template <class F>
void erase(benchmark::State& state, Subject<F>& subject) {
  const F* filter = subject.filter();
  if (filter == nullptr) return state.SkipWithError("not filled");
  const Hashes keys = hashes(subject.count(), true, subject.count());
  for (auto _ : state) {
    state.PauseTiming();
    auto copy = filter->clone();
    if (!copy.ok()) return state.SkipWithError("no memory for a copy");
    state.ResumeTiming();
    for (const std::uint64_t key : keys) benchmark::DoNotOptimize(copy->erase(Hash{key}));
  }
  count_keys(state, keys.size());
}

void hash(benchmark::State& state) {
  std::array<std::byte, 54> key{};
  const Hasher hasher;
  for (auto _ : state) {
    key[0] = static_cast<std::byte>(state.iterations());
    benchmark::DoNotOptimize(hasher(key));
  }
  count_keys(state, 1);
}

template <class F>
void add(const std::string& name, const typename F::Config& config, std::uint64_t count) {
  const auto subject = std::make_shared<Subject<F>>(config, count);
  const auto row = [&](const char* operation, auto measure) {
    const std::string full = name + "/" + operation + "/" + std::to_string(count);
    const auto run = [subject, measure](benchmark::State& state) { measure(state, *subject); };
    return benchmark::RegisterBenchmark(full.c_str(), run)->Unit(benchmark::kMillisecond);
  };
  // With the largest size each takes seconds, and all together minutes.
  const auto change = [&](const char* operation, auto measure) {
    auto* registered = row(operation, measure);
    if (count > kMostAsked) registered->Repetitions(1);
  };
  if constexpr (MutableFilter<F>) {
    change("insert", insert<F>);
  } else {
    change("build", build<F>);
  }
  row("hit", [](auto& state, auto& one) { query(state, one, true); });
  row("miss", [](auto& state, auto& one) { query(state, one, false); });
  if constexpr (requires(const F& filter, std::uint8_t* answers) {
                  filter.may_contain(std::span<const Hash>(), answers);
                }) {
    row("batch-hit", [](auto& state, auto& one) { query_batch(state, one, true); });
    row("batch-miss", [](auto& state, auto& one) { query_batch(state, one, false); });
  }
  if constexpr (DeletableFilter<F>) change("erase", erase<F>);
}

// Each size is measured by itself, so that a filter is made once for all its rows.
template <class F>
void add(const std::string& name, const typename F::Config& config) {
  for (const std::uint64_t count : {100'000u, 1'000'000u, 10'000'000u}) add<F>(name, config, count);
}

// The options that a type is measured with: the rate of its default, or widths that programs like.
template <class F>
void add_type(const std::string& slug) {
  if constexpr (Filter<F> || BuiltOfTwo<F, std::uint32_t>) {
    typename F::Config config;
    if constexpr (StaticFilter<F>) {
      for (const std::uint32_t bits : {8u, 16u}) {
        config.fingerprint_bits = bits;
        const std::string name = slug + "/" + std::to_string(bits) + "-bit";
        if constexpr (requires { config.arity; }) {
          for (const std::uint32_t arity : {3u, 4u}) {
            config.arity = arity;
            add<F>(name + "/" + std::to_string(arity) + "-wise", config);
          }
        } else {
          add<F>(name, config);
        }
      }
    } else {
      if constexpr (requires { config.value_bits; }) config.value_bits = 8;
      add<F>(slug, config);
    }
  }
}

[[maybe_unused]] const bool registered = [] {
  benchmark::RegisterBenchmark("xxh3, 54 bytes/hash/1", hash);
  for_each_type([]<class F>() { add_type<F>(info_of(F::kType).slug); });
  return true;
}();

}  // namespace
