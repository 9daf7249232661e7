// tamis/detail/options.hpp - what every filter that hashes a key once asks of its options.
#pragma once

#include <cstdint>

#include <tamis/hash.hpp>
#include <tamis/limits.hpp>

namespace tamis::detail {

// One 64-bit hash a key, and a key where the hash wants one.
[[nodiscard]] inline bool is_hash_once(const Hasher& hasher) noexcept {
  return hasher.id() == HashId::kXxh3 || (hasher.id() == HashId::kSipHash && hasher.key_id() != 0);
}

[[nodiscard]] inline bool is_capacity(std::uint64_t capacity) noexcept {
  return capacity > 0 && capacity <= sizing::kMaxCount;
}

[[nodiscard]] inline bool is_fpr(double fpr, double least = sizing::kMinFpr) noexcept {
  return fpr >= least && fpr < 1;
}

}  // namespace tamis::detail
