// tamis/hash/hash_records.hpp - mixes and sorts the hashes from which a structure is built. After
// sorting, equal hashes are neighbours, and so are keys with the same place in the structure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <tamis/hash.hpp>

namespace tamis::detail {

// A view of hashes, or of pairs of hash and value. A flag says at run time which of the two, so
// that the code that uses a view exists only once.
class HashRecords {
 public:
  HashRecords() noexcept = default;
  explicit HashRecords(std::span<std::uint64_t> hashes) noexcept
      : words_(hashes.data()), size_(hashes.size()) {}
  // A view of words in which hashes and values alternate.
  [[nodiscard]] static HashRecords with_values(std::span<std::uint64_t> words) noexcept {
    HashRecords records;
    records.words_ = words.data();
    records.size_ = words.size() / 2;
    records.has_values_ = 1;
    return records;
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  // The functions below need i < size().
  [[nodiscard]] std::uint64_t& hash(std::size_t i) const noexcept {
    return words_[i << has_values_];
  }
  [[nodiscard]] std::uint64_t value(std::size_t i) const noexcept {
    return has_values_ == 0 ? 0 : words_[2 * i + 1];
  }
  void swap(std::size_t i, std::size_t j) const noexcept {
    std::swap(hash(i), hash(j));
    if (has_values_ != 0) std::swap(words_[2 * i + 1], words_[2 * j + 1]);
  }
  void copy(std::size_t from, std::size_t to) const noexcept { put(to, hash(from), value(from)); }
  void put(std::size_t i, std::uint64_t hash, std::uint64_t value) const noexcept {
    words_[i << has_values_] = hash;
    if (has_values_ != 0) words_[2 * i + 1] = value;
  }
  [[nodiscard]] HashRecords part(std::size_t from, std::size_t size) const noexcept {
    HashRecords part = *this;
    part.words_ += from << has_values_;
    part.size_ = size;
    return part;
  }

 private:
  std::uint64_t* words_ = nullptr;
  std::size_t size_ = 0;
  unsigned has_values_ = 0;
};

// mix() replaces each hash h by g = fmix64(h + seed); unmix() reverses that.
void mix(HashRecords records, std::uint64_t seed) noexcept;
void unmix(HashRecords records, std::uint64_t seed) noexcept;

// Sorts by hash, ascending, in place: a large build has no memory for a second copy.
void sort_by_hash(HashRecords records) noexcept;

// One pass of sort_by_hash: gathers hashes with the same highest bits in groups of a few thousand.
void gather_by_hash(HashRecords records) noexcept;

// Keeps one record per hash, at the front, and returns how many are kept. The records must be
// sorted. If a hash has several values, one of them is kept; `conflicts` counts such hashes.
[[nodiscard]] std::size_t drop_repeats(HashRecords records, std::uint64_t& conflicts) noexcept;

}  // namespace tamis::detail
