// tamis/detail/sort_hashes.hpp - hashes in order, for what is built once of all its keys: equal hashes come
// to stand side by side, and keys of one place of the structure too.
//
// In place, since a large build has no memory for a second copy: American flag sort (McIlroy, Bostic and
// McIlroy 1993) from the highest bits down. Bounded whatever the hashes: a pass
// settles five bits at least.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <tamis/detail/portability.hpp>
#include <tamis/hash.hpp>

namespace tamis::detail {

[[nodiscard]] constexpr std::uint64_t hash_of(std::uint64_t hash) noexcept { return hash; }

// Each loop over many records stands in a function of its own, which is called for some thousands of them:
// engines compile a wasm function anew while it is hot, but go on in the slow code of one long call.
template <class Record>
class HashSort {
 public:
  // `bits`: how many of the hashes' low bits may differ.
  static void run(std::span<Record> records, unsigned bits = 64) noexcept {
    if (bits == 0) return;
    if (records.size() <= kFew) return sort_few(records);
    // Passes of about as many digits each, after which hashes that are spread evenly are but few together.
    const auto wanted = static_cast<unsigned>(std::bit_width(records.size())) - 5;
    const unsigned passes = (wanted + kMostBits - 1) / kMostBits;
    const unsigned digit_bits = std::min((wanted + passes - 1) / passes, bits);
    HashSort split(records, bits - digit_bits, digit_bits);
    split.run_pass();
    std::size_t from = 0;
    for (std::size_t digit = 0; digit < split.digits_; ++digit) {
      run(records.subspan(from, split.ends_[digit] - from), bits - digit_bits);
      from = split.ends_[digit];
    }
  }

 private:
  // Insertion sort is faster for 32 and less; so uneven hashes as to have more take no deep recursion.
  static constexpr std::size_t kFew = 512;
  static constexpr std::size_t kChunk = 4096;
  static constexpr unsigned kMostBits = 8;

  HashSort(std::span<Record> records, unsigned shift, unsigned digit_bits) noexcept
      : records_(records), shift_(shift), digits_(std::size_t{1} << digit_bits) {}

  [[nodiscard]] std::size_t digit_of(const Record& record) const noexcept {
    return static_cast<std::size_t>(hash_of(record) >> shift_) & (digits_ - 1);
  }

  void run_pass() noexcept {
    for (std::size_t i = 0; i < records_.size(); i += kChunk) count(i, std::min(i + kChunk, records_.size()));
    std::size_t end = 0;
    for (std::size_t digit = 0; digit < digits_; ++digit) {
      next_[digit] = end;
      end += ends_[digit];
      ends_[digit] = end;
    }
    for (bool is_done = false; !is_done;) {
      is_done = true;
      for (std::size_t digit = 0; digit < digits_; ++digit) is_done = place(digit) && is_done;
    }
  }

  // Shell's sort, by the gaps of Ciura (2001); with the last alone it is insertion sort.
  TAMIS_NOINLINE static void sort_few(std::span<Record> records) noexcept {
    for (const std::size_t gap : std::array<std::size_t, 5>{132, 57, 23, 10, 1}) {
      if (gap > 1 && 2 * gap > records.size()) continue;
      for (std::size_t i = gap; i < records.size(); ++i) {
        const Record record = records[i];
        std::size_t at = i;
        for (; at >= gap && hash_of(records[at - gap]) > hash_of(record); at -= gap) records[at] = records[at - gap];
        records[at] = record;
      }
    }
  }
  TAMIS_NOINLINE void count(std::size_t from, std::size_t to) noexcept {
    for (std::size_t i = from; i < to; ++i) ++ends_[digit_of(records_[i])];
  }
  // Sends what stands in the rest of the digit's range to where it belongs, and gets there in its place
  // what may belong elsewhere; whether the range is done. Each exchange settles one record. They do not
  // wait for one another, as those of the textbook do, which follow one cycle at a time.
  TAMIS_NOINLINE bool place(std::size_t digit) noexcept {
    for (std::size_t i = next_[digit]; i < ends_[digit]; ++i) {
      std::swap(records_[i], records_[next_[digit_of(records_[i])]++]);
    }
    return next_[digit] == ends_[digit];
  }

  std::span<Record> records_;
  unsigned shift_;
  std::size_t digits_;
  std::array<std::size_t, 1u << kMostBits> next_;
  std::array<std::size_t, 1u << kMostBits> ends_{};  // counts, to begin with
};

// Ascending by hash_of(record).
template <class Record>
void sort_by_hash(std::span<Record> records) noexcept {
  HashSort<Record>::run(records);
}

// Turns hashes into the g of a seed, ascending and each once; how many are left, at the front.
[[nodiscard]] inline std::size_t mix_distinct(std::span<std::uint64_t> hashes, std::uint64_t seed) noexcept {
  for (std::uint64_t& hash : hashes) hash = fmix64(hash + seed);
  sort_by_hash(hashes);
  return static_cast<std::size_t>(std::unique(hashes.begin(), hashes.end()) - hashes.begin());
}

// Turns the g of one seed into those of another, ascending.
inline void remix(std::span<std::uint64_t> mixed, std::uint64_t seed, std::uint64_t next_seed) noexcept {
  for (std::uint64_t& g : mixed) g = fmix64(unfmix64(g) - seed + next_seed);
  sort_by_hash(mixed);
}

}  // namespace tamis::detail
