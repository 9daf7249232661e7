// tamis/detail/options.hpp - checks the options that filters with one hash per key have in common.
#pragma once

#include <cstdint>

#include <tamis/hash.hpp>
#include <tamis/limits.hpp>

namespace tamis::detail {

// True if the hasher gives one 64-bit hash for a key, and has a SipHash key if it needs one.
[[nodiscard]] inline bool can_hash_once(const Hasher& hasher) noexcept {
  return hasher.id() == HashId::kXxh3 || (hasher.id() == HashId::kSipHash && hasher.key_id() != 0);
}

[[nodiscard]] inline bool is_capacity(std::uint64_t capacity) noexcept {
  return capacity > 0 && capacity <= sizing::kMaxCount;
}

[[nodiscard]] inline bool is_fpr(double fpr, double least = sizing::kMinFpr) noexcept {
  return fpr >= least && fpr < 1;
}

// Checks the options that filters with a capacity and a rate have in common.
template <class Config>
[[nodiscard]] bool are_options(const Config& config, double least_fpr = sizing::kMinFpr) noexcept {
  return can_hash_once(config.hasher) && is_capacity(config.capacity) &&
         is_fpr(config.fpr, least_fpr);
}

}  // namespace tamis::detail
