// A stream of operations on every type, against a model that cannot err: std::unordered_set for
// filters, std::vector<bool> for bit arrays. After each operation: no false negative, the count is
// the model's, the structure is valid; and now and then its bytes are read back.

#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_set>

#include "fuzz.hpp"

namespace tamis::fuzz {
namespace {

// Replaces the structure by what its bytes hold.
template <class F>
void reread(F& structure, const SipKey* key) {
  const Bytes bytes = encoded(structure);
  auto decoded = decode<F>(bytes, {.key = key});
  FUZZ_CHECK(decoded.ok());
  FUZZ_CHECK(encoded(*decoded) == bytes);
  structure = std::move(*decoded);
}

template <class F>
class FilterModel {
 public:
  explicit FilterModel(FuzzedDataProvider& in) {
    typename F::Config config;
    config.capacity = in.ConsumeIntegralInRange<std::uint64_t>(1, 300);
    config.fpr = in.ConsumeFloatingPointInRange<double>(1e-6, 0.9);
    const auto id = HashId{in.ConsumeIntegralInRange<std::uint8_t>(0, kHashIds)};
    const std::uint64_t seed = is_seeded(id) ? in.ConsumeIntegral<std::uint64_t>() : 0;
    is_keyed_ = id == HashId::kSipHash;
    config.hasher = is_keyed_ ? Hasher(sip_key(), seed) : Hasher(id, seed);
    auto first = F::create(config);
    auto second = F::create(config);
    FUZZ_CHECK(first.status() == second.status());
    if (!first.ok()) return;  // a hash that the type does not allow
    filters_[0].emplace(std::move(*first));
    filters_[1].emplace(std::move(*second));
  }

  void run(FuzzedDataProvider& in) {
    if (!filters_[0].has_value()) return;
    while (in.remaining_bytes() > 0) {
      const std::size_t which = in.ConsumeBool() ? 1 : 0;
      step(in, which);
      check(which);
    }
    for (const std::size_t which : {0u, 1u}) {
      reread(*filters_[which], key());
      check(which);
    }
  }

 private:
  using Model = std::unordered_set<std::string>;

  const SipKey* key() const {
    static const SipKey kKey = sip_key();
    return is_keyed_ ? &kKey : nullptr;
  }
  static Key as_key(const std::string& text) {
    return std::as_bytes(std::span(text.data(), text.size()));
  }

  void insert(std::size_t which, const std::string& text, bool is_by_hash) {
    F& filter = *filters_[which];
    const Key key = as_key(text);
    const bool was = filter.may_contain(key);
    FUZZ_CHECK(was || !models_[which].contains(text));
    const bool can_hash = is_hash_once(filter.hasher().id());
    const auto added =
        is_by_hash && can_hash ? filter.insert(filter.hasher()(key)) : filter.insert(key);
    FUZZ_CHECK(added.ok() && *added == !was);
    counts_[which] += *added ? 1 : 0;
    models_[which].insert(text);
  }

  void step(FuzzedDataProvider& in, std::size_t which) {
    F& filter = *filters_[which];
    const F& other = *filters_[1 - which];
    switch (in.ConsumeIntegralInRange<int>(0, 9)) {
      case 0:
      case 1:
      case 2:
        return insert(which, in.ConsumeRandomLengthString(40), in.ConsumeBool());
      case 3: {
        // Many short keys, most of them again and again.
        const std::string letters = in.ConsumeRandomLengthString(64);
        for (const char letter : letters) insert(which, std::string(1, letter), false);
        return;
      }
      case 4:
        if constexpr (Mergeable<F>) {
          FUZZ_CHECK(filter.merge(other) == Status::kOk);
          models_[which].insert(models_[1 - which].begin(), models_[1 - which].end());
          counts_[which] += counts_[1 - which];
        }
        return;
      case 5:
        if constexpr (Intersectable<F>) {
          FUZZ_CHECK(filter.intersect(other) == Status::kOk);
          std::erase_if(models_[which],
                        [&](const auto& text) { return !models_[1 - which].contains(text); });
          counts_[which] = std::min(counts_[which], counts_[1 - which]);
        }
        return;
      case 6:
        filter.clear();
        models_[which].clear();
        counts_[which] = 0;
        return;
      case 7:
        return reread(filter, key());
      case 8: {
        auto copy = other.clone();
        FUZZ_CHECK(copy.ok() && encoded(*copy) == encoded(other));
        filter = std::move(*copy);
        models_[which] = models_[1 - which];
        counts_[which] = counts_[1 - which];
        return;
      }
      default: {
        auto fresh = other.empty_copy();
        FUZZ_CHECK(fresh.ok());
        filter = std::move(*fresh);
        models_[which].clear();
        counts_[which] = 0;
      }
    }
  }

  void check(std::size_t which) const {
    const F& filter = *filters_[which];
    FUZZ_CHECK(filter.validate() == Status::kOk);
    FUZZ_CHECK(filter.count() == std::min(counts_[which], sizing::kMaxCount));
    for (const std::string& text : models_[which]) FUZZ_CHECK(filter.may_contain(as_key(text)));
    if (counts_[which] == 0) FUZZ_CHECK(!filter.may_contain(as_key("absent")));
  }

  std::optional<F> filters_[2];
  Model models_[2];
  std::uint64_t counts_[2] = {0, 0};
  bool is_keyed_ = false;
};

template <class F>
class ArrayModel {
 public:
  explicit ArrayModel(FuzzedDataProvider& in)
      : model_(in.ConsumeIntegralInRange<std::size_t>(0, 400)) {
    auto array = F::create({.length = model_.size()});
    FUZZ_CHECK(array.ok());
    array_.emplace(std::move(*array));
  }

  void run(FuzzedDataProvider& in) {
    while (in.remaining_bytes() > 0) {
      step(in);
      FUZZ_CHECK(array_->validate() == Status::kOk);
      FUZZ_CHECK(array_->count() == ones());
      std::string printed(model_.size(), '?');
      FUZZ_CHECK(array_->print(0, printed) == Status::kOk);
      for (std::size_t i = 0; i < model_.size(); ++i) {
        FUZZ_CHECK(printed[i] == (model_[i] ? '1' : '0'));
      }
    }
    reread(*array_, nullptr);
  }

 private:
  std::uint64_t ones() const {
    return static_cast<std::uint64_t>(std::ranges::count(model_, true));
  }

  void step(FuzzedDataProvider& in) {
    const auto i = in.ConsumeIntegralInRange<std::size_t>(0, model_.size() + 1);
    const bool was = i < model_.size() && model_[i];
    const auto change = [&](const Result<bool>& answer, bool value) {
      FUZZ_CHECK(answer.ok() == (i < model_.size()));
      if (!answer.ok()) return;
      FUZZ_CHECK(*answer == was);
      model_[i] = value;
    };
    switch (in.ConsumeIntegralInRange<int>(0, 6)) {
      case 0:
        return change(array_->set(i), true);
      case 1:
        return change(array_->clear(i), false);
      case 2:
        return change(array_->toggle(i), !was);
      case 3:
        return change(array_->test(i), was);
      case 4:
        return reread(*array_, nullptr);
      default: {
        auto other = F::create({.length = model_.size()});
        FUZZ_CHECK(other.ok());
        const bool is_merge = in.ConsumeBool();
        for (std::size_t bit = 0; bit < model_.size(); ++bit) {
          const bool value = in.ConsumeBool();
          if (value) FUZZ_CHECK(other->set(bit).ok());
          model_[bit] = is_merge ? model_[bit] || value : model_[bit] && value;
        }
        FUZZ_CHECK((is_merge ? array_->merge(*other) : array_->intersect(*other)) == Status::kOk);
      }
    }
  }

  std::vector<bool> model_;
  std::optional<F> array_;
};

}  // namespace
}  // namespace tamis::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tamis::fuzz;
  FuzzedDataProvider in(data, size);
  with_type(in.ConsumeIntegral<std::uint8_t>(), [&in]<class F>() {
    if constexpr (tamis::MutableFilter<F>) {
      FilterModel<F>(in).run(in);
    } else {
      ArrayModel<F>(in).run(in);
    }
  });
  return 0;
}
