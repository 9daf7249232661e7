#include <tamis/detail/retrieval.hpp>

#include <algorithm>
#include <bit>
#include <utility>

#include <tamis/detail/chunks.hpp>

namespace tamis::detail {
namespace {

constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};

// Transposes a matrix of 8 x 8 bits: bit j of byte i becomes bit i of byte j (Warren, Hacker's
// Delight, 7-3).
std::uint64_t transpose8(std::uint64_t x) noexcept {
  const auto swap = [&x](unsigned shift, std::uint64_t mask) {
    const std::uint64_t different = (x ^ (x >> shift)) & mask;
    x ^= different ^ (different << shift);
  };
  swap(7, 0x00aa00aa00aa00aa);
  swap(14, 0x0000cccc0000cccc);
  swap(28, 0x00000000f0f0f0f0);
  return x;
}

}  // namespace

// The equations of a level in echelon form. Each slot has the coefficients and the right side of
// the equation that begins at this slot, or 0 if there is none.
class Retrieval::Echelon {
 public:
  [[nodiscard]] static Result<Echelon> zeroed(std::uint32_t slots, std::uint32_t width) noexcept {
    Echelon made;
    made.row_bytes_ = std::bit_ceil((width + 7) / 8);
    TAMIS_TRY(coefficients, Buffer<std::uint64_t>::zeroed(slots));
    TAMIS_TRY(rows, Buffer<std::byte>::zeroed(std::uint64_t{slots} * made.row_bytes_));
    made.coefficients_ = std::move(*coefficients);
    made.rows_ = std::move(*rows);
    return made;
  }

  // Inserts an equation. Returns its slot, or kNoSlot if it depends linearly on the others.
  [[nodiscard]] std::uint32_t insert(std::uint32_t slot, std::uint64_t coefficients,
                                     std::uint64_t row) noexcept {
    for (;;) {
      const std::uint64_t there = coefficients_[slot];
      if (there == 0) break;
      coefficients ^= there;
      row ^= this->row(slot);
      if (coefficients == 0) return kNoSlot;
      const int zeros = std::countr_zero(coefficients);
      coefficients >>= zeros;
      slot += static_cast<std::uint32_t>(zeros);
    }
    coefficients_[slot] = coefficients;
    set_row(slot, row);
    return slot;
  }
  void erase(std::uint32_t slot) noexcept { coefficients_[slot] = 0; }
  TAMIS_NOINLINE void clear() noexcept {
    std::fill_n(coefficients_.data(), coefficients_.size(), 0);
  }

  // Solves the slots of the level, starting with the last one.
  void solve(Level& level) const noexcept {
    std::array<std::uint64_t, 64> windows{};
    for (std::size_t end = (coefficients_.size() + 63) / 64; end > 0;) {
      const std::size_t from = end - std::min(end, kChunk / 64);
      solve_some(level, from, end, windows);
      end = from;
    }
  }

 private:
  [[nodiscard]] std::uint64_t row(std::size_t slot) const noexcept {
    const std::byte* at = rows_.data() + slot * row_bytes_;
    if (row_bytes_ == 1) return std::to_integer<std::uint64_t>(*at);
    if (row_bytes_ == 2)
      return std::to_integer<std::uint64_t>(at[0]) | std::to_integer<std::uint64_t>(at[1]) << 8;
    return row_bytes_ == 4 ? load_le32(at) : load_le64(at);
  }

  void set_row(std::size_t slot, std::uint64_t row) noexcept {
    std::byte* at = rows_.data() + slot * row_bytes_;
    if (row_bytes_ == 8) return store_le64(at, row);
    if (row_bytes_ == 4) return store_le32(at, static_cast<std::uint32_t>(row));
    at[0] = static_cast<std::byte>(row & 0xff);
    if (row_bytes_ == 2) at[1] = static_cast<std::byte>((row >> 8) & 0xff);
  }

  // Solves some blocks of 64 slots, from the last slot to the first. Each bit plane has a window:
  // once slot s is solved, bit i of the window is the solution of slot s + i. Slot s - 1 is the
  // parity of its row's bit and the bits that its equation selects from the window.
  TAMIS_NOINLINE void solve_some(Level& level, std::size_t from, std::size_t end,
                                 std::array<std::uint64_t, 64>& windows) const noexcept {
    for (std::size_t i = end; i-- > from;) {
      const std::size_t slots = std::min<std::size_t>(64, coefficients_.size() - 64 * i);
      for (std::uint32_t plane = 0; plane < level.width; plane += 8) {
        std::uint64_t* eight = windows.data() + plane;
        solve_planes(64 * i, slots, plane / 8, eight);
        if (plane / 8 < level.byte_planes()) {
          store_bytes(eight, level.memory.data() + std::size_t{level.slots} * (plane / 8) + 64 * i,
                      slots);
        } else {
          for (std::uint32_t j = 0; j < level.bit_planes(); ++j)
            store_le64(level.block(i) + 8 * j, eight[j]);
        }
      }
    }
  }
  void solve_planes(std::size_t first, std::size_t slots, std::size_t byte,
                    std::uint64_t* windows) const noexcept {
    std::uint64_t eight[8];
    std::copy_n(windows, 8, eight);
    const std::byte* rows = rows_.data() + first * row_bytes_ + byte;
    for (std::size_t i = slots; i-- > 0;) {
      const std::uint64_t coefficients = coefficients_[first + i];
      const auto row = std::to_integer<std::uint32_t>(rows[i * row_bytes_]);
      for (unsigned j = 0; j < 8; ++j) {
        const std::uint64_t known = eight[j] << 1;
        const auto sum =
            static_cast<std::uint64_t>(std::popcount((known | ((row >> j) & 1)) & coefficients));
        eight[j] = known | (sum & 1);
      }
    }
    std::copy_n(eight, 8, windows);
  }
  static void store_bytes(const std::uint64_t* windows, std::byte* to, std::size_t slots) noexcept {
    std::byte bytes[64];
    for (unsigned i = 0; i < 8; ++i) {
      std::uint64_t square = 0;
      for (unsigned j = 0; j < 8; ++j) square |= ((windows[j] >> (8 * i)) & 0xff) << (8 * j);
      store_le64(bytes + 8 * i, transpose8(square));
    }
    std::copy_n(bytes, slots, to);
  }

  Buffer<std::uint64_t> coefficients_;
  Buffer<std::byte> rows_;
  std::uint32_t row_bytes_ = 1;
};

void Retrieval::Level::keep_all() noexcept {
  const std::size_t whole = buckets() / 4, left = buckets() % 4;
  std::fill_n(memory.data() + thresholds_at, whole, std::byte{0xff});
  if (left != 0) memory[thresholds_at + whole] = static_cast<std::byte>((1u << (2 * left)) - 1);
}

class Retrieval::Builder {
 public:
  Builder(HashRecords records, Shape shape, std::uint64_t seed, std::uint32_t first_part) noexcept
      : records_(records), seed_(seed), first_part_(first_part) {
    made_.shape_ = shape;
  }

  Result<Retrieval> run(std::uint64_t& conflicts) noexcept {
    conflicts = 0;
    if (!made_.shape_.is_valid()) return Status::kInvalidOption;
    sort(records_, level_seed(0, 0));
    records_ = records_.part(0, drop_repeats(records_, conflicts));
    is_sorted_ = true;
    if (conflicts != 0) return Status::kConflict;
    made_.count_ = records_.size();
    if (!sizing::ribbon_fits(made_.count_, made_.shape_.width())) return Status::kTooLarge;
    for (std::uint32_t first = 0; first < kBuilds * kAttempts; first += kAttempts) {
      TAMIS_NEED(build_levels(first));
      if (is_complete()) return std::move(made_);
    }
    return Status::kBuildFailed;
  }

 private:
  static constexpr std::uint32_t kBuilds = 4;
  static constexpr std::uint32_t kBumpAttempts = 16;
  static constexpr std::uint32_t kAttempts = sizing::kRibbonAttempts;

  // Replaces the hashes by their g, and sorts the records by g.
  static void sort(HashRecords records, std::uint64_t seed) noexcept {
    mix(records, seed);
    sort_by_hash(records);
  }
  [[nodiscard]] std::uint64_t level_seed(std::uint32_t level,
                                         std::uint32_t attempt) const noexcept {
    return attempt_seed(seed_, first_part_ + level, attempt);
  }
  [[nodiscard]] std::uint64_t row_of(std::uint64_t value, std::uint64_t g) const noexcept {
    const std::uint64_t check = (std::uint64_t{1} << made_.shape_.check_bits) - 1;
    return value << made_.shape_.check_bits | (RibbonPlaces::check(g) & check);
  }

  [[nodiscard]] Status build_levels(std::uint32_t first_attempt) noexcept {
    std::size_t left = records_.size();
    for (std::uint32_t i = 0; i < kMaxLevels; ++i) {
      made_.levels_ = i + 1;
      const auto records = records_.part(0, left);
      const bool bumps = left >= sizing::kRibbonBumps;
      if (!bumps && is_sorted_) {
        unmix(records, level_seed(0, 0));
        is_sorted_ = false;
      }
      const Status status =
          bumps ? build_bumping(records, first_attempt, left) : build_last(records, first_attempt);
      if (status != Status::kOk || !bumps) return status;
    }
    return Status::kBuildFailed;
  }

  // Builds a level from most of the records, and moves the others to the front. Sets `bumped` to
  // the number of these others.
  [[nodiscard]] Status build_bumping(HashRecords records, std::uint32_t first_attempt,
                                     std::size_t& bumped) noexcept {
    const std::uint64_t slots = sizing::ribbon_bumping_slots(records.size());
    TAMIS_TRY(made, Level::zeroed(static_cast<std::uint32_t>(slots), made_.shape_.width(), true));
    TAMIS_TRY(echelon, Echelon::zeroed(made->slots, made->width));
    Level& level = made_.level_[made_.levels_ - 1] = std::move(*made);
    for (std::uint32_t i = 0; i < kBumpAttempts; ++i) {
      level.set_seed(seed_, first_part_ + made_.levels_ - 1, first_attempt + i);
      if (!is_sorted_) sort(records, level.seed);
      is_sorted_ = false;
      level.keep_all();
      bumped = 0;
      for (std::size_t at = 0; at < records.size();)
        at = insert_some(level, *echelon, records, at, bumped);
      unmix(records, level.seed);
      if (bumped <= records.size() / 8) {
        echelon->solve(level);
        return Status::kOk;
      }
      echelon->clear();
    }
    return Status::kBuildFailed;
  }

  // Inserts a few thousand records, in whole buckets. Returns the index of the next record.
  TAMIS_NOINLINE std::size_t insert_some(Level& level, Echelon& echelon, HashRecords records,
                                         std::size_t from, std::size_t& bumped) noexcept {
    const std::size_t to = std::min(from + kChunk, records.size());
    while (from < to) {
      const std::uint32_t bucket = level.places.start(records.hash(from)) / sizing::kRibbonBucket;
      std::size_t end = from + 1;
      while (end < records.size() &&
             level.places.start(records.hash(end)) / sizing::kRibbonBucket == bucket)
        ++end;
      const std::size_t kept = insert_bucket(level, echelon, records, from, end);
      // Moves the bumped records to the front. In exchange, records that were already inserted move
      // back.
      while (from < kept) records.swap(from++, bumped++);
      from = end;
    }
    return from;
  }

  // Inserts the records of a bucket, in the order from the last start to the first. If some must be
  // bumped, they are those with the first starts, to which the previous bucket left the fewest
  // slots. Returns the index of the first record that is kept.
  [[nodiscard]] std::size_t insert_bucket(Level& level, Echelon& echelon, HashRecords records,
                                          std::size_t from, std::size_t end) noexcept {
    // A class contains the records whose starts, at most 90, are between two thresholds. Their rows
    // of 64 coefficients touch at most 153 slots, so at most 153 equations are independent.
    std::array<std::uint32_t, 192> taken;
    std::size_t size = 0;
    std::uint32_t last = 2;
    for (std::size_t i = end; i-- > from;) {
      const std::uint64_t g = records.hash(i);
      const std::uint32_t start = level.places.start(g), at = start % sizing::kRibbonBucket;
      const std::uint32_t lowest = at >= Level::first_kept(1)   ? 0
                                   : at >= Level::first_kept(2) ? 1
                                                                : 2;
      if (lowest != last) size = 0;
      last = lowest;
      const std::uint32_t slot =
          echelon.insert(start, level.places.coefficients(g), row_of(records.value(i), g));
      if (slot == kNoSlot) {
        // Removes the equations of the whole class. No later equation depends on them.
        for (std::size_t j = 0; j < size; ++j) echelon.erase(taken[j]);
        level.set_threshold(start / sizing::kRibbonBucket, lowest);
        return i + 1 + size;
      }
      taken[size++] = slot;
    }
    return from;
  }

  // Builds a level from all records, in several attempts.
  [[nodiscard]] Status build_last(HashRecords records, std::uint32_t first_attempt) noexcept {
    Level& level = made_.level_[made_.levels_ - 1];
    Echelon echelon;
    for (std::uint32_t i = 0; i < kAttempts; ++i) {
      const auto slots = static_cast<std::uint32_t>(sizing::ribbon_last_slots(records.size(), i));
      if (i == 0 || slots != level.slots) {
        TAMIS_TRY(made, Level::zeroed(slots, made_.shape_.width(), false));
        level = std::move(*made);
        TAMIS_TRY(larger, Echelon::zeroed(slots, made_.shape_.width()));
        echelon = std::move(*larger);
      } else {
        echelon.clear();
      }
      level.set_seed(seed_, first_part_ + made_.levels_ - 1,
                     records.empty() ? 0 : first_attempt + i);
      std::size_t at = 0;
      while (at < records.size() && insert_all(level, echelon, records, at)) {
      }
      if (at == records.size()) {
        echelon.solve(level);
        return Status::kOk;
      }
    }
    return Status::kBuildFailed;
  }

  // Inserts a few thousand records. False if an equation could not be inserted.
  TAMIS_NOINLINE bool insert_all(const Level& level, Echelon& echelon, HashRecords records,
                                 std::size_t& at) noexcept {
    const std::size_t to = std::min(at + kChunk, records.size());
    for (; at < to; ++at) {
      const std::uint64_t g = fmix64(records.hash(at) + level.seed);
      const std::uint64_t row = row_of(records.value(at), g);
      if (echelon.insert(level.places.start(g), level.places.coefficients(g), row) == kNoSlot)
        return false;
    }
    return true;
  }

  // Looks up every key again. The solution satisfies all equations, so only faulty memory or code
  // can make this fail.
  [[nodiscard]] bool is_complete() const noexcept {
    bool is_complete = true;
    in_chunks(records_.size(), [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        std::uint32_t value;
        is_complete &= made_.find(Hash{records_.hash(i)}, value) && value == records_.value(i);
      }
    });
    return is_complete;
  }

  HashRecords records_;
  std::uint64_t seed_;
  std::uint32_t first_part_;
  bool is_sorted_ = false;  // true while records_ contains the sorted g of level 0, attempt 0
  Retrieval made_;
};

Result<Retrieval> Retrieval::build(HashRecords records, Shape shape, std::uint64_t seed,
                                   std::uint32_t first_part, std::uint64_t& conflicts) noexcept {
  return Builder(records, shape, seed, first_part).run(conflicts);
}

}  // namespace tamis::detail
