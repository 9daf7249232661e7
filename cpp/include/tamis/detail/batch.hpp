// tamis/detail/batch.hpp - look-ups of many keys in two phases: first all places, then all probes.
// So the cache misses of several probes overlap.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tamis/hash.hpp>

namespace tamis::detail {

// The keys of a batch. No machine has more misses under way, and the places fit into the first
// cache.
inline constexpr std::size_t kBatchKeys = 32;

// Sets answers[i] = probe(place(hashes[i])).
template <class Place, class Probe>
inline void probe_in_batches(std::span<const std::uint64_t> hashes, std::uint8_t* answers,
                             Place place, Probe probe) noexcept {
  std::array<decltype(place(Hash{})), kBatchKeys> places;
  while (!hashes.empty()) {
    const std::size_t size = std::min(hashes.size(), kBatchKeys);
    for (std::size_t i = 0; i < size; ++i) places[i] = place(Hash{hashes[i]});
    for (std::size_t i = 0; i < size; ++i) *answers++ = probe(places[i]) ? 1 : 0;
    hashes = hashes.subspan(size);
  }
}

// Looks up again the keys with the answer `asked`, 0 or 1. It passes some of them to ask(hashes,
// found), and inverts the answers of those that are found.
template <class Ask>
inline void turn_answers(std::span<const std::uint64_t> hashes, std::uint8_t* answers,
                         std::uint8_t asked, Ask ask) noexcept {
  std::array<std::uint64_t, kBatchKeys> open;
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
    ask(std::span<const std::uint64_t>(open.data(), size), found.data());
    for (std::size_t i = 0; i < size; ++i) *answer[i] = asked ^ found[i];
    hashes = hashes.subspan(some);
    answers += some;
  }
}

}  // namespace tamis::detail
