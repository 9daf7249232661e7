#include <tamis/filters/d_left_counting.hpp>

#include <algorithm>
#include <bit>

#include <tamis/detail/batch.hpp>
#include <tamis/detail/chunks.hpp>
#include <tamis/detail/options.hpp>

namespace tamis {

DLeftCountingFilter::Fingerprint DLeftCountingFilter::fingerprint_of(Hash hash) const noexcept {
  const std::uint64_t g = hasher_.mix(hash);
  const std::uint32_t remainders = (std::uint32_t{1} << remainder_bits()) - 1;
  return {static_cast<std::uint32_t>(reduce(g, buckets())),
          static_cast<std::uint32_t>(g) & remainders};
}

DLeftCountingFilter::Places DLeftCountingFilter::places_of(
    const Fingerprint& fingerprint) const noexcept {
  const std::uint32_t in_table = buckets();
  Places places = d_left_shifts(fingerprint.remainder, in_table);
  std::uint32_t before = 0;
  for (std::uint32_t& place : places) {
    const std::uint32_t bucket = fingerprint.bucket + place;
    place = before + (bucket < in_table ? bucket : bucket - in_table);
    before += in_table;
  }
  return places;
}

DLeftCountingFilter::Match DLeftCountingFilter::find(const Fingerprint& fingerprint,
                                                     const Places& places) const noexcept {
  for (const std::uint32_t bucket : places) {
    for (std::uint32_t i = 0; i < sizing::kDLeftBucketCells; i += lanes_) {
      const std::uint64_t found = matches(word_at(bucket, i), fingerprint.remainder);
      if (found != 0) return {bucket * sizing::kDLeftBucketCells + i, found};
    }
  }
  return {0, 0};
}

std::uint32_t DLeftCountingFilter::cell_of(const Match& match) const noexcept {
  return match.cell + static_cast<std::uint32_t>(std::countr_zero(match.lane)) / cells_.width();
}

std::uint32_t DLeftCountingFilter::load_of(std::uint32_t bucket) const noexcept {
  int load = 0;
  for (std::uint32_t i = 0; i < sizing::kDLeftBucketCells; i += lanes_) {
    load += std::popcount(used(word_at(bucket, i)));
  }
  return static_cast<std::uint32_t>(load);
}

Result<bool> DLeftCountingFilter::insert(Hash hash) noexcept {
  const Fingerprint fingerprint = fingerprint_of(hash);
  const Places places = places_of(fingerprint);
  const std::uint32_t one = std::uint32_t{1} << remainder_bits();
  const Match found = find(fingerprint, places);
  if (found.lane != 0) {
    const std::uint32_t at = cell_of(found);
    const std::uint32_t cell = cells_.get(at);
    if (cell < kStuck * one) cells_.set(at, cell + one);
  } else {
    std::uint32_t least = sizing::kDLeftBucketCells;
    std::uint32_t bucket = 0;
    for (const std::uint32_t place : places) {
      const std::uint32_t load = load_of(place);
      if (load < least) {
        least = load;
        bucket = place;
      }
    }
    if (least == sizing::kDLeftBucketCells) return Status::kFull;
    std::uint32_t cell = bucket * sizing::kDLeftBucketCells;
    while (cells_.get(cell) != 0) ++cell;
    cells_.set(cell, one | fingerprint.remainder);
  }
  count_ = std::min(count_ + 1, sizing::kMaxCount);
  return found.lane == 0;
}

bool DLeftCountingFilter::may_contain(Hash hash) const noexcept {
  const Fingerprint fingerprint = fingerprint_of(hash);
  return find(fingerprint, places_of(fingerprint)).lane != 0;
}

void DLeftCountingFilter::may_contain(std::span<const Hash> hashes,
                                      std::uint8_t* answers) const noexcept {
  struct Found {
    Fingerprint fingerprint;
    Places places;
  };
  const auto place = [this](Hash hash) {
    const Fingerprint fingerprint = fingerprint_of(hash);
    return Found{fingerprint, places_of(fingerprint)};
  };
  detail::probe_in_batches(hashes, answers, place, [this](const Found& found) {
    return find(found.fingerprint, found.places).lane != 0;
  });
}

bool DLeftCountingFilter::erase(Hash hash) noexcept {
  const Fingerprint fingerprint = fingerprint_of(hash);
  const Match found = find(fingerprint, places_of(fingerprint));
  if (found.lane == 0) return false;
  const std::uint32_t one = std::uint32_t{1} << remainder_bits();
  const std::uint32_t at = cell_of(found);
  const std::uint32_t cell = cells_.get(at);
  if (cell < 2 * one) {
    cells_.set(at, 0);
  } else if (cell < kStuck * one) {
    cells_.set(at, cell - one);
  }
  if (count_ > 0) --count_;
  return true;
}

std::uint32_t DLeftCountingFilter::count_of(Hash hash) const noexcept {
  const Fingerprint fingerprint = fingerprint_of(hash);
  const Match found = find(fingerprint, places_of(fingerprint));
  return found.lane == 0 ? 0 : cells_.get(cell_of(found)) >> remainder_bits();
}

namespace {

constexpr std::uint32_t kRecordBytes = 16;  // buckets u64, remainder_bits u32, zero u32

// The width of a cell: the remainder, and two bits of counter.
constexpr std::uint32_t width_of(std::uint32_t remainder_bits) noexcept {
  return remainder_bits + 2;
}

struct Geometry {
  std::uint64_t cells;
  std::uint32_t width;
};

Result<Geometry> geometry_of(const DLeftCountingFilter::Config& config) noexcept {
  if (!detail::are_options(config)) return Status::kInvalidOption;
  const std::uint64_t buckets = sizing::d_left_buckets(config.capacity);
  if (buckets > sizing::kMaxDLeftBuckets) return Status::kTooLarge;
  const std::uint32_t bits = sizing::d_left_remainder_bits(config.capacity, buckets, config.fpr);
  if (bits == 0) return Status::kInvalidOption;
  const Geometry geometry{buckets * sizing::kDLeftCellsPerIndex, width_of(bits)};
  if (geometry.cells > sizing::kMaxBits / geometry.width) return Status::kTooLarge;
  return geometry;
}

}  // namespace

// A word has as many cells as one 64-bit load covers wherever a word can begin. A load from any bit
// covers at least 57 bits: enough for four cells of up to 14 bits, or two of up to 28. Buckets
// begin at whole bytes, so some wider cells fit too. Four cells of 15 bits begin at bit 0 or 4 of a
// byte, which leaves 60 bits; four of 16 bits begin at bit 0, which leaves 64. Two cells of 29 bits
// begin at bit 0, 2, 4 or 6, which leaves 58; two of 30 bits begin at bit 0 or 4, which leaves 60.
// Two cells of 31 bits would not fit.
DLeftCountingFilter::DLeftCountingFilter(detail::PackedArray&& cells, std::uint64_t capacity,
                                         const Hasher& hasher, std::uint64_t count) noexcept
    : cells_(std::move(cells)),
      lanes_(cells_.width() <= 16   ? 4
             : cells_.width() <= 30 ? 2
                                    : 1),
      capacity_(capacity),
      count_(count),
      hasher_(hasher) {
  for (std::uint32_t i = 0; i < lanes_; ++i) ones_ |= std::uint64_t{1} << (i * cells_.width());
  flags_ = ones_ << remainder_bits();
}

Result<DLeftCountingFilter> DLeftCountingFilter::create(const Config& config) noexcept {
  TAMIS_TRY(geometry, geometry_of(config));
  TAMIS_TRY(cells, detail::PackedArray::zeroed(geometry->cells, geometry->width));
  return DLeftCountingFilter(std::move(*cells), config.capacity, config.hasher, 0);
}

Result<std::uint64_t> DLeftCountingFilter::size_for(const Config& config) noexcept {
  TAMIS_TRY(geometry, geometry_of(config));
  return detail::PackedArray::byte_count(geometry->cells, geometry->width);
}

double DLeftCountingFilter::fpr() const noexcept {
  return sizing::d_left_fpr(buckets(), remainder_bits(), static_cast<double>(capacity_));
}

double DLeftCountingFilter::estimated_fpr() const noexcept {
  return sizing::d_left_fill_fpr(buckets(), remainder_bits(), cells_.count_nonzero());
}

Result<DLeftCountingFilter> DLeftCountingFilter::clone() const noexcept {
  TAMIS_TRY(cells, cells_.clone());
  return DLeftCountingFilter(std::move(*cells), capacity_, hasher_, count_);
}

Result<DLeftCountingFilter> DLeftCountingFilter::empty_copy() const noexcept {
  TAMIS_TRY(cells, detail::PackedArray::zeroed(cells_.size(), cells_.width()));
  return DLeftCountingFilter(std::move(*cells), capacity_, hasher_, 0);
}

// Checks the cells of some buckets, and adds the findings to `cells`. Compilers vectorize the loops
// over buckets.
void DLeftCountingFilter::add_buckets(std::uint32_t first, std::uint32_t buckets,
                                      Cells& cells) const noexcept {
  constexpr std::uint32_t kCells = sizing::kDLeftBucketCells;
  std::uint32_t values[kCells][kTogether] = {};
  for (std::uint32_t i = 0; i < kCells; i += lanes_) {
    for (std::uint32_t at = 0; at < buckets; ++at) {
      std::uint64_t word = word_at(first + at, i);
      for (std::uint32_t lane = 0; lane < lanes_; ++lane, word >>= cells_.width())
        values[i + lane][at] = static_cast<std::uint32_t>(word) & cells_.max();
    }
  }
  const std::uint32_t bits = remainder_bits(), remainders = (std::uint32_t{1} << bits) - 1;
  std::uint32_t sum = 0, stuck = 0, wrong = 0;
  for (std::uint32_t i = 0; i < kCells; ++i) {
    for (std::uint32_t& value : values[i]) {
      const std::uint32_t counter = value >> bits;
      const std::uint32_t free = counter == 0 ? ~std::uint32_t{0} : 0;
      sum += counter;
      stuck |= counter == kStuck ? 1 : 0;
      wrong |= value & free;  // every bit of a free cell must be 0
      // Keeps the remainder. A free cell gets a number that no other cell has.
      value = (value & remainders) | (~i & free);
    }
    for (std::uint32_t j = 0; j < i; ++j) {
      for (std::uint32_t at = 0; at < kTogether; ++at)
        wrong |= values[i][at] == values[j][at] ? 1 : 0;
    }
  }
  cells.sum += sum;
  cells.is_any_stuck |= stuck != 0;
  cells.are_valid &= wrong == 0;
}

// A fingerprint in two sub-tables is accepted, although no insert causes it. To find it, each cell
// would have to be looked up like a key, all over the memory, which needs three to five times as
// long as this pass. It hides no key and can be erased like any other fingerprint; only count_of()
// is too low, because it reads the leftmost of the two cells.
Status DLeftCountingFilter::validate() const noexcept {
  if (!is_hash_once(hasher_.id()) || capacity_ == 0 || capacity_ > cells_.size() ||
      !cells_.is_valid()) {
    return Status::kCorrupt;
  }
  Cells cells;
  const auto buckets = static_cast<std::size_t>(cells_.size() / sizing::kDLeftBucketCells);
  detail::in_chunks(buckets, [&](std::size_t from, std::size_t to) {
    for (; from < to; from += kTogether) {
      const std::size_t size = std::min(to - from, kTogether);
      add_buckets(static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(size), cells);
    }
  });
  if (!cells.are_valid) return Status::kCorrupt;
  // Once a counter is stuck, the number of copies is unknown.
  return cells.is_any_stuck || cells.sum == count_ ? Status::kOk : Status::kCorrupt;
}

Header DLeftCountingFilter::header() const noexcept {
  return Header::of(kType, hasher_, capacity_, count_, kRecordBytes + cells_.size_bytes());
}

void DLeftCountingFilter::write(ByteWriter& out) const noexcept {
  out.u64(buckets());
  out.u32(remainder_bits());
  out.u32(0);
  cells_.write(out);
}

Result<DLeftCountingFilter> DLeftCountingFilter::read(Container& from) noexcept {
  const std::uint64_t buckets = from.payload.u64();
  const std::uint32_t bits = from.payload.u32();
  if (from.payload.u32() != 0 || buckets == 0 || buckets > sizing::kMaxDLeftBuckets ||
      bits < sizing::kMinDLeftRemainderBits || bits > sizing::kMaxDLeftRemainderBits) {
    return Status::kCorrupt;
  }
  TAMIS_TRY(cells, detail::PackedArray::read(from.payload, buckets * sizing::kDLeftCellsPerIndex,
                                             width_of(bits)));
  return keep_valid(
      DLeftCountingFilter(std::move(*cells), from.header.capacity, from.hasher, from.header.count));
}

}  // namespace tamis
