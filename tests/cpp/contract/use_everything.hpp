// Calls everything on a structure that came from hostile bytes. Every call must end, and the
// structure must keep its keys and stay valid. The sanitizers check the rest.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "contract/built_once.hpp"
#include "contract/traits.hpp"

namespace tamis::test {

class HostileKeys {
 public:
  // A key of 0 to 8 bytes, valid until the next call.
  Key operator[](std::uint64_t i) {
    detail::store_le64(bytes_.data(), fmix64(i));
    return Key(bytes_).first(static_cast<std::size_t>(i % 9));
  }

 private:
  std::array<std::byte, 8> bytes_{};
};

inline bool is_rate(double value) { return value >= 0 && value <= 1; }

// Calls the functions that only some types have.
template <class F>
void ask_everything(const F& filter, Key key) {
  if constexpr (Counted<F>) MUST((filter.count_of(key) > 0) == filter.may_contain(key));
  if constexpr (requires { filter.counter_at(0); }) {
    MUST(filter.counter_at(0).ok() && !filter.counter_at(filter.counters()).ok());
  }
  if constexpr (requires { filter.false_negative_rate(); })
    MUST(is_rate(filter.false_negative_rate()));
  if constexpr (requires { filter.load_factor(); }) MUST(is_rate(filter.load_factor()));
  if constexpr (requires { filter.deletable_ratio(); }) MUST(is_rate(filter.deletable_ratio()));
  if constexpr (requires { filter.is_deletable(key); }) {
    MUST(filter.may_contain(key) || !filter.is_deletable(key));
  }
  if constexpr (requires { filter.is_locked(0); }) {
    MUST(filter.is_locked(0).ok() && !filter.is_locked(filter.regions()).ok());
  }
  if constexpr (requires { filter.estimate_count(); }) MUST(filter.estimate_count() >= 0);
  if constexpr (requires { filter.to_bloom(); }) {
    const auto bloom = filter.to_bloom();
    MUST(bloom.ok() && bloom->validate() == Status::kOk);
    MUST(bloom->may_contain(key) == filter.may_contain(key));
  }
}

// True if a filter of this type may refuse a key with this status.
template <class F>
bool may_answer(Status status) {
  if (status == Status::kFull) return kMayRefuse<F>;
  // Hostile bytes may claim so many keys that a layer for them does not fit into memory.
  if (status == Status::kTooLarge || status == Status::kOutOfMemory) return Growing<F>;
  if (status == Status::kTombstoned) return has_trait<F>(kTombstones);
  if (status == Status::kNotDeletable) return has_trait<F>(kLocks);
  return status == Status::kOk;
}

template <Filter F>
void use_filter(F& filter) {
  HostileKeys keys;
  for (std::uint64_t i = 0; i < 64; ++i) (void)filter.may_contain(Hash{fmix64(i)});
  for (std::uint64_t i = 0; i < 16; ++i) (void)filter.may_contain(keys[i]);
  MUST(is_rate(filter.fpr()) && is_rate(filter.estimated_fpr()));
  ask_everything(filter, keys[3]);
  if constexpr (BuiltOnce<F>) {
    // More than two chunks of 32, the last of them not full.
    Hashes hashes;
    for (std::uint64_t i = 0; i < 75; ++i) hashes.push_back(fmix64(i));
    ask_batch(filter, hashes);
    MUST(filter.count() == filter.capacity());
    MUST(filter.count() != 0 || (filter.estimated_fpr() == 0 && !filter.may_contain(keys[3])));
  }
  if constexpr (MutableFilter<F>) {
    for (std::uint64_t i = 0; i < 8; ++i) {
      const bool was = filter.may_contain(keys[i]);
      const Result<bool> added = filter.insert(keys[i]);
      const bool is_dropped = keys[i].empty() && filter.hasher().id() == HashId::kDataSketches;
      MUST(added.ok() ? is_dropped || (*added == !was && filter.may_contain(keys[i]))
                      : may_answer<F>(added.status()));
      if (is_hash_once(filter.hasher().id())) (void)filter.insert(Hash{fmix64(i)});
    }
    MUST(filter.empty_copy().ok());
  }
  if constexpr (DeletableFilter<F>) {
    for (std::uint64_t i = 0; i < 12; ++i) {
      const bool was = filter.may_contain(keys[i]);
      const Result<bool> erased = filter.erase(keys[i]);
      MUST(erased.ok() ? *erased == was : was && may_answer<F>(erased.status()));
      (void)filter.erase(Hash{fmix64(i)});
    }
  }
  if constexpr (requires { filter.insert_if_absent(keys[0]); }) {
    const bool was = filter.may_contain(keys[0]);
    const Result<bool> added = filter.insert_if_absent(keys[0]);
    MUST(added.ok() ? *added == !was : may_answer<F>(added.status()));
  }
  if constexpr (Rotating<F>) {
    filter.rotate();
    constexpr auto kLast = static_cast<std::int64_t>(sizing::kMaxCount);
    for (const std::int64_t now : {-kLast, std::int64_t{0}, kLast}) {
      MUST(filter.advance(now).ok() == (filter.period_ms() != 0));
    }
    MUST(!filter.advance(std::numeric_limits<std::int64_t>::max()).ok());
    (void)filter.insert(keys[1]);
    MUST(filter.may_contain(keys[1]));
  }
}

template <StaticMap F>
void use_map(const F& map) {
  HostileKeys keys;
  for (std::uint64_t i = 0; i < 100; ++i) {
    const auto value = map.get(keys[i]);
    MUST(!value.has_value() || *value >> (map.value_bits() - 1) <= 1);
    MUST(value == map.get(map.hasher()(keys[i])));
    MUST(value.has_value() == map.may_contain(keys[i]));
  }
  MUST(map.value_bits() >= 1 && map.value_bits() <= 32 && map.check_bits() <= 32);
}

template <Sketch F>
void use_sketch(F& sketch, const F& other) {
  Bytes key(sketch.key_bytes(), std::byte{0xa5});
  for (std::uint64_t i = 0; i < 4; ++i) {
    key[0] = static_cast<std::byte>(i);
    MUST((i < 3 ? sketch.insert(key) : sketch.erase(key)) == Status::kOk);
  }
  key.push_back(std::byte{0});
  MUST(sketch.insert(key) == Status::kInvalidKey && sketch.erase(key) == Status::kInvalidKey);
  const auto difference = sketch.subtract(other);
  MUST(difference.ok() && difference->validate() == Status::kOk);
  MUST(sketch.decode().ok() && difference->decode().ok());
  MUST(sketch.empty_copy().ok());
}

template <class F>
void use_array(F& array) {
  const std::uint64_t length = array.length();
  for (const std::uint64_t i :
       {std::uint64_t{0}, length / 2, length - 1, length, ~std::uint64_t{0}}) {
    MUST(array.toggle(i).ok() == (i < length));
    MUST(array.set(i).ok() == (i < length));
  }
}

template <class F>
void use_everything(F& structure) {
  MUST(structure.validate() == Status::kOk);
  auto copy = structure.clone();
  MUST(copy.ok() && wire_bytes(*copy) == wire_bytes(structure));
  if constexpr (Filter<F>) use_filter(structure);
  if constexpr (Sketch<F>) use_sketch(structure, *copy);
  if constexpr (StaticMap<F>) use_map(structure);
  if constexpr (requires { structure.toggle(0); }) use_array(structure);
  MUST(structure.validate() == Status::kOk);
  if constexpr (Mergeable<F>) MUST(structure.merge(*copy) == Status::kOk);
  MUST(structure.validate() == Status::kOk);
  if constexpr (Intersectable<F>) MUST(structure.intersect(*copy) == Status::kOk);
  MUST(structure.validate() == Status::kOk);
  // The structure must survive being written and read.
  const Bytes bytes = wire_bytes(structure);
  const auto again =
      decode<F>(bytes, {.key = key_for(structure.hasher().id()), .max_bytes = ~std::uint64_t{0}});
  MUST(again.ok() && wire_bytes(*again) == bytes);
  if constexpr (requires { structure.clear(); }) structure.clear();
  MUST(structure.validate() == Status::kOk);
}

// Decodes the bytes with some changes and right checksums. They must be refused, or give a valid
// structure with exactly these bytes.
template <class F, class Source>
void load_hostile(Bytes bytes, HashId id, Source& source) {
  for (std::uint64_t i = 1 + source.below(3); i > 0; --i) {
    // Half of the damage is in the header and the record after it.
    const std::uint64_t most =
        source.below(2) == 0 ? bytes.size() : std::min<std::size_t>(bytes.size(), 128);
    bytes[static_cast<std::size_t>(source.below(most))] ^=
        static_cast<std::byte>(1 + source.below(255));
  }
  repair_crcs(bytes);
  auto other = decode<F>(bytes, {.key = key_for(id)});
  if (!other.ok()) return;
  MUST(wire_bytes(*other) == bytes);
  use_everything(*other);
}

}  // namespace tamis::test
