#include <tamis/hash/hash_records.hpp>

#include <algorithm>
#include <array>
#include <bit>

#include <tamis/detail/chunks.hpp>

namespace tamis::detail {
namespace {

// American flag sort (McIlroy, Bostic and McIlroy 1993), from the highest bits down. Each pass
// handles at least five bits, so its time is bounded for any hashes.
class HashSort {
 public:
  // The hashes may differ only in their `bits` low bits.
  static void run(HashRecords records, unsigned bits) noexcept {
    if (bits == 0) return;
    if (records.size() <= kFew) return sort_few(records);
    // All passes handle about equally many bits. After the last pass, hashes that are spread evenly
    // are in groups of 8 to 15.
    const auto wanted = static_cast<unsigned>(std::bit_width(records.size())) - 4;
    const unsigned passes = (wanted + kMostBits - 1) / kMostBits;
    const unsigned digit_bits = std::min((wanted + passes - 1) / passes, bits);
    HashSort split(records, bits - digit_bits, digit_bits);
    split.run_pass();
    std::size_t from = 0;
    for (std::size_t digit = 0; digit < split.digits_; ++digit) {
      run(records.part(from, split.ends_[digit] - from), bits - digit_bits);
      from = split.ends_[digit];
    }
  }

  // Makes one pass, with as many bits as are needed for groups of about kNear hashes.
  static void run_once(HashRecords records) noexcept {
    const auto wanted = static_cast<unsigned>(std::bit_width(records.size() / kNear));
    const unsigned digit_bits = std::min(wanted, kMostBits);
    if (digit_bits > 0) HashSort(records, 64 - digit_bits, digit_bits).run_pass();
  }

 private:
  static constexpr std::size_t kNear = 4096;
  // Insertion sort is faster only up to 32 hashes. This higher limit keeps the recursion flat if
  // the hashes are uneven.
  static constexpr std::size_t kFew = 512;
  static constexpr unsigned kMostBits = 10;

  HashSort(HashRecords records, unsigned shift, unsigned digit_bits) noexcept
      : records_(records), shift_(shift), digits_(std::size_t{1} << digit_bits) {}

  [[nodiscard]] std::size_t digit_of(std::uint64_t hash) const noexcept {
    return static_cast<std::size_t>(hash >> shift_) & (digits_ - 1);
  }

  void run_pass() noexcept {
    in_chunks(records_.size(), [this](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) ++ends_[digit_of(records_.hash(i))];
    });
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

  // Shell sort with the gaps of Ciura (2001). The last gap makes it an insertion sort.
  TAMIS_NOINLINE static void sort_few(HashRecords records) noexcept {
    for (const std::size_t gap : std::array<std::size_t, 5>{132, 57, 23, 10, 1}) {
      if (gap > 1 && 2 * gap > records.size()) continue;
      for (std::size_t i = gap; i < records.size(); ++i) {
        const std::uint64_t hash = records.hash(i), value = records.value(i);
        std::size_t at = i;
        for (; at >= gap && records.hash(at - gap) > hash; at -= gap) records.copy(at - gap, at);
        records.put(at, hash, value);
      }
    }
  }
  // Exchanges the records in the rest of this digit's range with records in other ranges, and
  // returns true when the range is finished. Each exchange puts one record in its final range. The
  // exchanges do not depend on each other; in the textbook version they do, because it follows one
  // cycle at a time.
  TAMIS_NOINLINE bool place(std::size_t digit) noexcept {
    for (std::size_t i = next_[digit]; i < ends_[digit]; ++i) {
      records_.swap(i, next_[digit_of(records_.hash(i))]++);
    }
    return next_[digit] == ends_[digit];
  }

  HashRecords records_;
  unsigned shift_;
  std::size_t digits_;
  std::array<std::size_t, 1u << kMostBits> next_;
  std::array<std::size_t, 1u << kMostBits> ends_{};  // counts at first, then the ends of the ranges
};

// Moves one record per hash to index `distinct` and onwards, for a few thousand records. Returns
// the index of the next record.
TAMIS_NOINLINE std::size_t drop_some(HashRecords records, std::size_t from, std::size_t& distinct,
                                     std::uint64_t& conflicts) noexcept {
  const std::size_t to = std::min(from + kChunk, records.size());
  while (from < to) {
    bool is_conflict = false;
    std::size_t next = from + 1;
    for (; next < records.size() && records.hash(next) == records.hash(from); ++next) {
      is_conflict |= records.value(next) != records.value(from);
    }
    conflicts += is_conflict ? 1 : 0;
    records.copy(from, distinct++);
    from = next;
  }
  return from;
}

}  // namespace

void mix(HashRecords records, std::uint64_t seed) noexcept {
  in_chunks(records.size(), [=](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) records.hash(i) = fmix64(records.hash(i) + seed);
  });
}

void unmix(HashRecords records, std::uint64_t seed) noexcept {
  in_chunks(records.size(), [=](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) records.hash(i) = unfmix64(records.hash(i)) - seed;
  });
}

void sort_by_hash(HashRecords records) noexcept { HashSort::run(records, 64); }

void gather_by_hash(HashRecords records) noexcept { HashSort::run_once(records); }

std::size_t drop_repeats(HashRecords records, std::uint64_t& conflicts) noexcept {
  std::size_t distinct = 0;
  conflicts = 0;
  for (std::size_t i = 0; i < records.size();) i = drop_some(records, i, distinct, conflicts);
  return distinct;
}

}  // namespace tamis::detail
