// tamis/detail/batch.hpp - many keys in two phases: where they lie first, then the probes.
// So the cache misses of one probe and the next are under way together.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tamis/hash.hpp>

namespace tamis::detail {

// More than any machine has misses under way; few enough for the places to stay in the first cache.
inline constexpr std::size_t kBatchKeys = 32;

// answers[i] = probe(place(hashes[i])).
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

// Looks up again the keys whose answer is `asked`, 0 or 1. ask(hashes, found) is given some of
// those, and the answers of the found ones turn.
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
