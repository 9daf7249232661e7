// Runs commands on a filter and on a model without errors, a multiset of the added keys. The
// commands come from random numbers (the model test) or the bytes of a fuzzer. After each command,
// no added key may be absent, the count must be the model's, and the filter valid.
//
// Only keys that the model contains or that the filter denies are erased, because erasing others
// may remove a different key. If a type may hide keys, hidden keys are counted; if it forgets keys,
// those of past periods are not looked up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "contract/use_everything.hpp"

namespace tamis::test {

struct HiddenKeys {
  std::uint64_t hidden = 0;
  std::uint64_t held = 0;
};

// A filter, and the keys that the model says it contains.
template <class F>
struct Tracked {
  F filter;
  struct Held {
    std::uint64_t copies = 0;
    std::uint64_t period = 0;
  };
  std::map<std::uint64_t, Held> held = {};
  // Keys that can never be erased, because their counter is stuck.
  std::set<std::uint64_t> stuck = {};
  // The number of keys (or copies) that were certainly new, and how many of them were erased.
  std::uint64_t added = 0, erased = 0;
  // For a type that forgets keys: how many keys were new to each generation, oldest first.
  std::deque<std::uint64_t> generations = {0};
  std::uint64_t period = 0;
  std::optional<std::int64_t> start_ms = {};

  void forget_all() {
    held.clear();
    stuck.clear();
    added = erased = 0;
    generations = {0};
    start_ms.reset();
  }
  void copy_from(const Tracked& other) {
    held = other.held;
    stuck = other.stuck;
    added = other.added;
    erased = other.erased;
    generations = other.generations;
    period = other.period;
    start_ms = other.start_ms;
  }
};

template <class F, class Source>
class FilterModel {
 public:
  // `first` and `second` have the same options. `keys` is the number of different keys.
  FilterModel(F&& first, F&& second, std::uint64_t keys, Source& source)
      : tracked_{{std::move(first)}, {std::move(second)}}, keys_(keys), source_(source) {}

  // Adds new keys until the filter has this count, or is full.
  void fill(std::uint64_t count) {
    for (std::uint64_t i = 0; i < keys_ && tracked_[0].filter.count() < count; ++i) {
      if (insert(tracked_[0], i, false) == Status::kFull) break;
    }
    check(tracked_[0]);
  }

  void step() {
    Tracked<F>& one = tracked_[source_.below(8) == 0 ? 1 : 0];
    command(one, &one == &tracked_[0] ? tracked_[1] : tracked_[0]);
    check(one);
  }

  HiddenKeys hidden_keys() const {
    HiddenKeys found;
    for (const auto& [number, state] : tracked_[0].held) {
      found.hidden += tracked_[0].filter.may_contain(key(number)) ? 0 : 1;
      ++found.held;
    }
    return found;
  }
  const F& filter() const { return tracked_[0].filter; }

 private:
  using T = Tracked<F>;

  // The bytes of "k" and the number. They are valid until the next call.
  static Key key(std::uint64_t number) {
    static std::string text;
    text = "k" + std::to_string(number);
    return std::as_bytes(std::span(text));
  }

  // The bytes before a command that may be refused; empty for types that refuse nothing.
  static Bytes before(const F& filter) {
    if constexpr (kMayRefuse<F> || DeletableFilter<F>) return wire_bytes(filter);
    return {};
  }

  Status insert(T& one, std::uint64_t number, bool is_by_hash) {
    F& filter = one.filter;
    const bool was = filter.may_contain(key(number));
    const Bytes bytes = before(filter);
    const std::uint64_t count = filter.count();
    const bool can_hash = is_by_hash && is_hash_once(filter.hasher().id());
    const Result<bool> added =
        can_hash ? filter.insert(filter.hasher()(key(number))) : filter.insert(key(number));
    if (!added.ok()) {
      MUST(may_answer<F>(added.status()) && wire_bytes(filter) == bytes);
      return added.status();
    }
    MUST(*added == !was && filter.may_contain(key(number)));
    one.added += has_trait<F>(kCopies) || *added ? 1 : 0;
    auto& state = one.held[number];
    state.copies = has_trait<F>(kCopies) ? state.copies + 1 : 1;
    state.period = one.period;
    if constexpr (Rotating<F>) {
      // A repeated key may be new to the current generation.
      MUST(filter.count() >= count + (*added ? 1 : 0) && filter.count() <= count + 1);
      one.generations.back() += filter.count() - count;
    }
    return Status::kOk;
  }

  void erase(T& one, std::uint64_t number, bool is_by_hash) {
    if constexpr (DeletableFilter<F>) {
      F& filter = one.filter;
      const auto state = one.held.find(number);
      const bool was = filter.may_contain(key(number));
      if (was && state == one.held.end()) return;
      const Bytes bytes = before(filter);
      const std::uint64_t count = filter.count();
      const Result<bool> erased =
          is_by_hash ? filter.erase(filter.hasher()(key(number))) : filter.erase(key(number));
      if (!erased.ok() || !*erased) {
        MUST(wire_bytes(filter) == bytes);
        MUST(erased.ok() ? !was : was && erased.status() == Status::kNotDeletable);
        MUST(erased.ok() || has_trait<F>(kLocks));
        return;
      }
      MUST(was && filter.count() == count - (count > 0 ? 1 : 0));
      ++one.erased;
      if (--state->second.copies == 0) one.held.erase(state);
    }
  }

  void insert_until_full(T& one) {
    const std::uint64_t end = one.filter.capacity() + one.filter.capacity() / 8;
    const std::uint64_t first = source_.below(keys_);
    for (std::uint64_t i = 0; i < keys_ && one.filter.count() < end; ++i) {
      if (insert(one, (first + i) % keys_, false) == Status::kFull) return;
    }
  }

  void erase_many(T& one) {
    const std::uint64_t times = one.held.size() / 2;
    for (std::uint64_t i = 0; i < times && !one.held.empty(); ++i)
      erase(one, some_held(one), false);
  }

  std::uint64_t some_held(const T& one) const {
    const auto at = one.held.lower_bound(source_.below(keys_));
    return at == one.held.end() ? one.held.begin()->first : at->first;
  }

  void merge(T& one, const T& other) {
    if constexpr (Mergeable<F>) {
      const std::uint64_t larger = std::max(one.filter.count(), other.filter.count());
      MUST(one.filter.merge(other.filter) == Status::kOk);
      for (const auto& [number, state] : other.held) {
        auto& mine = one.held[number];
        mine.copies = has_trait<F>(kCopies) ? mine.copies + state.copies : 1;
      }
      one.stuck.insert(other.stuck.begin(), other.stuck.end());
      one.added += other.added;
      one.erased += other.erased;
      if (!has_trait<F>(kCopies)) one.added = estimated(one, larger, one.added);
    }
  }

  void intersect(T& one, const T& other) {
    if constexpr (Intersectable<F>) {
      const std::uint64_t smaller = std::min(one.filter.count(), other.filter.count());
      MUST(one.filter.intersect(other.filter) == Status::kOk);
      std::erase_if(one.held, [&](const auto& entry) { return !other.held.contains(entry.first); });
      one.added = estimated(one, 0, smaller);
    }
  }

  // After a merge or an intersection, types without copies estimate their count.
  static std::uint64_t estimated(const T& one, std::uint64_t least, std::uint64_t most) {
    const std::uint64_t count = one.filter.count();
    MUST(count >= least && count <= most);
    return count;
  }

  void forget_generations(T& one, std::uint64_t periods) {
    if constexpr (Rotating<F>) {
      for (std::uint64_t i = 0; i < std::min<std::uint64_t>(periods, one.filter.generations());
           ++i) {
        one.generations.push_back(0);
        if (one.generations.size() > one.filter.generations()) one.generations.pop_front();
      }
      one.period += periods;
      const std::uint64_t live = one.filter.generations();
      std::erase_if(one.held,
                    [&](const auto& entry) { return one.period - entry.second.period >= live; });
    }
  }

  void rotate(T& one) {
    if constexpr (Rotating<F>) {
      one.filter.rotate();
      forget_generations(one, 1);
    }
  }

  void advance(T& one) {
    if constexpr (Rotating<F>) {
      const std::uint64_t period_ms = one.filter.period_ms();
      const auto now =
          one.start_ms.value_or(0) + static_cast<std::int64_t>(source_.below(4'000)) - 500;
      const auto passed = one.filter.advance(now);
      MUST(passed.ok() == (period_ms != 0));
      if (period_ms == 0) return;
      const bool is_later = one.start_ms.has_value() && now > *one.start_ms;
      const std::uint64_t periods =
          is_later ? static_cast<std::uint64_t>(now - *one.start_ms) / period_ms : 0;
      MUST(*passed == periods);
      one.start_ms = one.start_ms.has_value()
                         ? *one.start_ms + static_cast<std::int64_t>(periods * period_ms)
                         : now;
      forget_generations(one, periods);
    }
  }

  static void save_and_load(T& one) {
    const Bytes bytes = wire_bytes(one.filter);
    auto again = decode<F>(bytes, {.key = key_for(one.filter.hasher().id())});
    MUST(again.ok() && wire_bytes(*again) == bytes);
    one.filter = std::move(*again);
  }

  void command(T& one, T& other) {
    const std::uint64_t which = source_.below(100);
    if (which < 30) return void(insert(one, source_.below(keys_), source_.below(2) == 0));
    // Few different keys, so that some are inserted many times.
    if (which < 40) return void(insert(one, source_.below(4), false));
    if (which < 62 && !one.held.empty()) return erase(one, some_held(one), source_.below(2) == 0);
    if (which < 70) return erase(one, source_.below(keys_), false);
    if (which < 72) return insert_until_full(one);
    if (which < 74) return erase_many(one);
    if (which < 78) return merge(one, other);
    if (which < 80) return intersect(one, other);
    if (which < 84) return rotate(one);
    if (which < 88) return advance(one);
    if (which < 92) return save_and_load(one);
    if (which < 95) {
      return load_hostile<F>(wire_bytes(one.filter), one.filter.hasher().id(), source_);
    }
    if (which < 97) {
      auto copy = other.filter.clone();
      MUST(copy.ok() && wire_bytes(*copy) == wire_bytes(other.filter));
      one.filter = std::move(*copy);
      return one.copy_from(other);
    }
    if (which < 98) {
      auto fresh = other.filter.empty_copy();
      MUST(fresh.ok());
      one.filter = std::move(*fresh);
      return one.forget_all();
    }
    if (which < 99) return;
    one.filter.clear();
    one.forget_all();
  }

  static std::uint64_t expected_count(const T& one) {
    if constexpr (Rotating<F>) {
      std::uint64_t sum = 0;
      for (const std::uint64_t keys : one.generations) sum += keys;
      return sum;
    }
    return one.added - std::min(one.added, one.erased);
  }

  static void check_copies(T& one, std::uint64_t number, std::uint64_t copies) {
    if constexpr (Counted<F>) {
      const std::uint32_t most = stuck_at(one.filter), found = one.filter.count_of(key(number));
      MUST(found <= most && found >= std::min<std::uint64_t>(copies, most));
      if (found == most) one.stuck.insert(number);
    }
  }

  static void check(T& one) {
    MUST(one.filter.validate() == Status::kOk);
    MUST(one.filter.count() == expected_count(one));
    MUST(is_rate(one.filter.estimated_fpr()));
    for (const auto& [number, state] : one.held) {
      check_copies(one, number, state.copies);
      // After an erase, a tombstone may hide the key.
      if (has_trait<F>(kTombstones) && one.erased > 0) continue;
      MUST(one.filter.may_contain(key(number)));
    }
    for (const std::uint64_t number : one.stuck) {
      if constexpr (Counted<F>) MUST(one.filter.count_of(key(number)) == stuck_at(one.filter));
    }
  }

  T tracked_[2];
  std::uint64_t keys_;
  Source& source_;
};

}  // namespace tamis::test
