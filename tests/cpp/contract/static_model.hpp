// Builds static structures from lists of hashes of many kinds, then reads them, writes them and
// reads them back. The lists come from a source, like the commands of filter_model.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "contract/use_everything.hpp"

namespace tamis::test {

template <BuiltOnce F, class Source>
class StaticModel {
 public:
  StaticModel(const Hasher& hasher, Source& source) : source_(source) {
    config_.hasher = hasher;
    if constexpr (StaticMap<F>) config_.value_bits = 8;
  }

  // Tests one list: it can be built, its keys are found, and order and repetition do not change its
  // bytes.
  void step() {
    if (source_.below(2) == 0) {
      vary_options(config_,
                   [&](std::uint64_t n) { return static_cast<std::uint32_t>(source_.below(n)); });
    }
    Hashes keys = some_hashes();
    auto built = build<F>(config_, keys);
    if (!is_hash_once(config_.hasher.id())) return MUST(built.status() == Status::kInvalidOption);
    MUST(built.ok());
    const Bytes bytes = wire_bytes(*built);
    check(*built, keys);

    keys.insert(keys.end(), keys.begin(), keys.begin() + some_of(keys.size()));
    std::rotate(keys.begin(), keys.begin() + some_of(keys.size()), keys.end());
    if (source_.below(2) == 0) std::ranges::reverse(keys);
    const auto again = build<F>(config_, keys);
    MUST(again.ok() && wire_bytes(*again) == bytes);

    const auto decoded = decode<F>(bytes, {.key = key_for(config_.hasher.id())});
    MUST(decoded.ok() && wire_bytes(*decoded) == bytes);
    check(*decoded, keys);
    load_hostile<F>(bytes, config_.hasher.id(), source_);
  }

 private:
  std::ptrdiff_t some_of(std::size_t size) {
    return static_cast<std::ptrdiff_t>(source_.below(size + 1));
  }

  // Up to some hundred hashes: random ones, or regular ones that would reveal weak mixing.
  Hashes some_hashes() {
    Hashes hashes(static_cast<std::size_t>(source_.below(source_.below(4) == 0 ? 400 : 40)));
    const std::uint64_t kind = source_.below(6), first = source_.below(~std::uint64_t{0});
    const std::uint64_t seed = config_.hasher.seed();
    for (std::uint64_t i = 0; i < hashes.size(); ++i) {
      switch (kind) {
        case 0:
          hashes[i] = source_.below(~std::uint64_t{0});
          break;
        case 1:
          hashes[i] = first + i;
          break;
        case 2:
          hashes[i] = first + (i << 32);
          break;
        case 3:
          hashes[i] = fmix64(first + i / 3);
          break;
        default:
          // At a first attempt (of the whole or of part 0), these are neighbours in the structure.
          hashes[i] = unfmix64(first + i) - (kind == 4 ? seed : attempt_seed(seed, 0, 0));
      }
    }
    return hashes;
  }

  void check(const F& structure, Hashes keys) const {
    MUST(structure.validate() == Status::kOk && is_rate(structure.estimated_fpr()));
    MUST(holds_all(structure, keys));
    std::ranges::sort(keys);
    const auto distinct = std::unique(keys.begin(), keys.end()) - keys.begin();
    MUST(structure.count() == static_cast<std::uint64_t>(distinct));
    MUST(structure.capacity() == structure.count());
  }

  typename F::Config config_;
  Source& source_;
};

}  // namespace tamis::test
