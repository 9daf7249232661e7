// tamis/detail/batch.hpp - look-ups of many keys in two phases: the first computes the places of
// all keys, the second reads the structure there. In a large structure, the first phase also
// prefetches these places, so that the cache misses overlap.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tamis/hash.hpp>

namespace tamis::detail {

// The number of keys in a batch. Processors handle at most that many cache misses at once, and
// the places of the keys fit into the first-level cache.
inline constexpr std::size_t kBatchKeys = 32;

// True if a structure of this size exceeds a core's caches, so that prefetching the places of a
// batch pays. In a smaller structure, prefetching costs up to a third of a look-up.
[[nodiscard]] constexpr bool is_prefetched([[maybe_unused]] std::uint64_t bytes) noexcept {
#ifdef __wasm__
  return false;
#else
  return bytes > std::uint64_t{4} << 20;
#endif
}

// WebAssembly has no prefetch; a plain load instead would make look-ups 1.2 to 2 times slower.
inline void prefetch([[maybe_unused]] const void* at) noexcept {
#ifndef __wasm__
  __builtin_prefetch(at);
#endif
}

// Calls act(places) with the places of all hashes, up to kBatchKeys at a time.
template <class Place, class Act>
inline void place_in_batches(std::span<const Hash> hashes, Place place, Act act) noexcept {
  std::array<decltype(place(Hash{})), kBatchKeys> places;
  while (!hashes.empty()) {
    const std::size_t size = std::min(hashes.size(), kBatchKeys);
    for (std::size_t i = 0; i < size; ++i) places[i] = place(hashes[i]);
    act(std::span(places.data(), size));
    hashes = hashes.subspan(size);
  }
}

// Sets answers[i] = probe(place(hashes[i])).
template <class Place, class Probe>
inline void probe_in_batches(std::span<const Hash> hashes, std::uint8_t* answers, Place place,
                             Probe probe) noexcept {
  place_in_batches(hashes, place, [&](auto places) {
    for (const auto& at : places) *answers++ = probe(at) ? 1 : 0;
  });
}

// Asks a second structure about the keys whose answer so far is `asked`, 0 or 1. It calls
// ask(hashes, found) for some of them at a time, and inverts the answers of those that were found.
template <class Ask>
inline void turn_answers(std::span<const Hash> hashes, std::uint8_t* answers, std::uint8_t asked,
                         Ask ask) noexcept {
  std::array<Hash, kBatchKeys> open;
  std::array<std::uint8_t*, kBatchKeys> answer;
  std::array<std::uint8_t, kBatchKeys> found;
  while (!hashes.empty()) {
    const std::size_t some = std::min(hashes.size(), kBatchKeys);
    std::size_t size = 0;
    for (std::size_t i = 0; i < some; ++i) {
      open[size] = hashes[i];
      answer[size] = answers + i;
      size += answers[i] == asked ? 1 : 0;
    }
    ask(std::span<const Hash>(open.data(), size), found.data());
    for (std::size_t i = 0; i < size; ++i) *answer[i] = asked ^ found[i];
    hashes = hashes.subspan(some);
    answers += some;
  }
}

}  // namespace tamis::detail
