// What runs for each key, compiled for speed (bindings/CMakeLists.txt).

#include <tamis/filters/d_left_counting.hpp>

#include <algorithm>
#include <bit>

#include <tamis/detail/batch.hpp>

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

std::uint32_t DLeftCountingFilter::copies_in(std::uint32_t bucket,
                                             std::uint32_t remainder) const noexcept {
  int copies = 0;
  for (std::uint32_t i = 0; i < sizing::kDLeftBucketCells; i += lanes_) {
    copies += std::popcount(matches(word_at(bucket, i), remainder));
  }
  return static_cast<std::uint32_t>(copies);
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

void DLeftCountingFilter::may_contain(std::span<const std::uint64_t> hashes,
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

Result<bool> DLeftCountingFilter::erase(Hash hash) noexcept {
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

}  // namespace tamis
