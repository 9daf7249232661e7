// Finds keys for which the two forms of `hi` differ (FORMAT.md, section 4.1). In a small array of m
// bits that is rare, about m in 2^33. Without such keys, readers with the wrong form would pass.
#pragma once

#include "vectors/vectors.hpp"

namespace tamis::vectors {

// True if the high part of the whole product differs from the form for m <= 2^32.
inline bool differs(std::uint64_t x, std::uint64_t m) { return reduce(x, m) != mulhi(x, m); }

// The first `count` of key-0, key-1, .. for whose h `tells` is true.
template <class Tells>
Strings telling(std::size_t count, const Hasher& hasher, Tells tells) {
  Strings keys;
  std::string key = "key-0";
  while (keys.size() < count) {
    if (tells(static_cast<std::uint64_t>(hasher(key_of(key))))) keys.push_back(key);
    // Counts up: nines become zeros.
    std::size_t at = key.size() - 1;
    for (; key[at] == '9'; --at) key[at] = '0';
    if (key[at] == '-') {
      key.insert(at + 1, 1, '1');
    } else {
      ++key[at];
    }
  }
  return keys;
}

// Keys for which it differs at a position of the scheme `mcg`.
inline Strings telling_of_mcg(std::size_t count, const Hasher& hasher, std::uint64_t m,
                              std::uint32_t k) {
  return telling(count, hasher, [&](std::uint64_t h) {
    std::uint64_t x = hasher.mix(Hash{h});
    bool tells = false;
    for (std::uint32_t i = 0; i < k; ++i, x *= 0xf1357aea2e62a9c5) tells |= differs(x, m);
    return tells;
  });
}

inline Strings telling_of_blocks(std::size_t count, const Hasher& hasher, std::uint64_t blocks) {
  return telling(count, hasher,
                 [&](std::uint64_t h) { return differs(hasher.mix(Hash{h}), blocks); });
}

// Keys for which it differs in a subfilter of this shape.
inline Strings telling_of(std::size_t count, const Hasher& hasher, std::size_t index,
                          const detail::Subfilter::Record& record) {
  const Hasher own = detail::Subfilter::hasher_of(hasher, index);
  return record.hashes == 0 ? telling_of_blocks(count, own, record.bits / 256)
                            : telling_of_mcg(count, own, record.bits, record.hashes);
}

// Keys for which it differs at the first attempt for a level of a retrieval.
inline Strings telling_of_level(std::size_t count, const Hasher& hasher, std::uint32_t part,
                                std::uint64_t slots) {
  const std::uint64_t added = attempt_seed(hasher.seed(), part, 0);
  const std::uint64_t starts = sizing::ribbon_starts(slots);
  return telling(count, hasher,
                 [&](std::uint64_t h) { return differs(fmix64(h + added), starts); });
}

// Adds keys until there are `keys`, such that `is_right` is true for their structure.
template <class Build, class IsRight>
auto built_with(const Strings& keys, std::size_t size, Build build, IsRight is_right) {
  for (int number = 0;; ++number) {
    Strings all = keys;
    for (int i = 0; all.size() < size; ++i) {
      all.push_back("other-" + std::to_string(number) + "-" + std::to_string(i));
    }
    auto built = build(all);
    if (is_right(built)) return built;
  }
}

// True if the level whose record is at that byte of the file was made by the first attempt.
template <class F>
bool is_first_attempt(const F& filter, std::size_t record) {
  const Bytes bytes = wire_bytes(filter);
  return bytes[record + 4] == std::byte{0} && bytes[record + 5] == std::byte{0};
}

inline Strings joined(Strings keys, const Strings& more) {
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

}  // namespace tamis::vectors
