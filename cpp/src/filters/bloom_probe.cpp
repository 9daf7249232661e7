// What runs for each key, compiled for speed (bindings/CMakeLists.txt).

#include <tamis/filters/bloom.hpp>

#include <algorithm>

#include <tamis/detail/batch.hpp>
#include <tamis/detail/bloom_scheme.hpp>

namespace tamis {

// Inline: a key that is handed on goes through memory.
[[gnu::always_inline]] inline bool BloomFilter::find_by_scheme(
    Key key, std::span<std::uint64_t> out, const std::uint64_t* words) const noexcept {
  const auto* scheme = detail::find_bloom_scheme(hasher_.id());
  return scheme->find_positions({key, hasher_.seed(), bits(), out, words});
}

bool BloomFilter::find_positions(Key key, Positions& out) const noexcept {
  const auto used = std::span(out).first(hashes_);
  if (!is_hash_once(hasher_.id())) return find_by_scheme(key, used, nullptr);
  McgPositions probe(hasher_.mix(hasher_(key)), bits());
  for (auto& position : used) position = probe.next();
  return true;
}

Result<bool> BloomFilter::insert(Hash hash) noexcept {
  if (!is_hash_once(hasher_.id())) return Status::kUnsupported;
  McgPositions probe(hasher_.mix(hash), bits());
  bool is_new = false;
  for (std::uint32_t i = 0; i < hashes_; ++i) is_new |= !bits_.set(probe.next());
  if (is_new) count_ = std::min(count_ + 1, sizing::kMaxCount);
  return is_new;
}

Result<bool> BloomFilter::insert_by_scheme(Key key) noexcept {
  Positions buffer;
  if (!find_positions(key, buffer)) return Status::kInvalidKey;
  bool is_new = false;
  for (std::uint32_t i = 0; i < hashes_; ++i) is_new |= !bits_.set(buffer[i]);
  if (is_new) count_ = std::min(count_ + 1, sizing::kMaxCount);
  return is_new;
}

inline bool BloomFilter::are_set(std::uint64_t g) const noexcept {
  return holds_of_all(g, bits(), hashes_,
                      [this](std::uint64_t position) { return bits_.test(position); });
}

bool BloomFilter::may_contain(Hash hash) const noexcept {
  return !is_hash_once(hasher_.id()) || are_set(hasher_.mix(hash));
}

void BloomFilter::may_contain(std::span<const std::uint64_t> hashes,
                              std::uint8_t* answers) const noexcept {
  if (!is_hash_once(hasher_.id())) {
    std::fill_n(answers, hashes.size(), std::uint8_t{1});
    return;
  }
  detail::probe_in_batches(
      hashes, answers, [this](Hash hash) { return hasher_.mix(hash); },
      [this](std::uint64_t g) { return are_set(g); });
}

bool BloomFilter::may_contain_by_scheme(Key key) const noexcept {
  Positions buffer;
  return find_by_scheme(key, std::span(buffer).first(hashes_), bits_.words().data());
}

}  // namespace tamis
