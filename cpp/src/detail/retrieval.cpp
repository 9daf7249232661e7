#include <tamis/detail/retrieval.hpp>

#include <algorithm>
#include <utility>

#include <tamis/detail/batch.hpp>
#include <tamis/detail/retrieval_inline.hpp>

namespace tamis::detail {

// Returns a function that computes the place of a hash and, in a large structure, prefetches its
// first slots.
auto Retrieval::places() const noexcept {
  return [this, fetches = is_prefetched(size_bytes())](Hash hash) {
    const Found found = find_place(hash);
    if (fetches) {
      const Level& level = *found.level;
      if (level.byte_planes() != 0) prefetch(level.memory.data() + found.place.start);
      if (level.bit_planes() != 0) prefetch(level.block(found.place.start / 64));
    }
    return found;
  };
}

void Retrieval::matches(std::span<const Hash> hashes, std::uint8_t* answers) const noexcept {
  if (count_ == 0) {
    std::fill_n(answers, hashes.size(), std::uint8_t{0});
    return;
  }
  probe_in_batches(hashes, answers, places(),
                   [this](const Found& found) { return matches(found); });
}

void Retrieval::find(std::span<const Hash> hashes, std::uint8_t* answers,
                     std::uint32_t* values) const noexcept {
  if (count_ == 0) {
    std::fill_n(answers, hashes.size(), std::uint8_t{0});
    std::fill_n(values, hashes.size(), std::uint32_t{0});
    return;
  }
  probe_in_batches(hashes, answers, places(),
                   [this, &values](const Found& found) { return find(found, *values++); });
}

Retrieval::Retrieval() noexcept { level_[0].width = shape_.width(); }

Result<Retrieval::Level> Retrieval::Level::zeroed(std::uint32_t slots, std::uint32_t width,
                                                  bool bumps) noexcept {
  Level level;
  level.slots = slots;
  level.places = RibbonPlaces(slots);
  level.width = width;
  level.bumps = bumps;
  const std::uint64_t bytes = std::uint64_t{slots} * level.byte_planes() + 64;
  const std::uint64_t blocks = std::uint64_t{slots} / 64 + 2;  // a query looks at two
  const std::uint64_t thresholds_at = bytes + blocks * level.bit_planes() * 8 + 64;
  TAMIS_TRY(memory, Buffer<std::byte>::zeroed(thresholds_at + level.threshold_bytes()));
  level.memory = std::move(*memory);
  level.bits_at = static_cast<std::size_t>(bytes);
  level.thresholds_at = static_cast<std::size_t>(thresholds_at);
  return level;
}

void Retrieval::Level::set_seed(std::uint64_t of_all, std::uint32_t part,
                                std::uint32_t to_attempt) noexcept {
  attempt = static_cast<std::uint16_t>(to_attempt);
  seed = attempt_seed(of_all, part, to_attempt);
}

Result<Retrieval::Level> Retrieval::Level::clone() const noexcept {
  TAMIS_TRY(copy, zeroed(slots, width, bumps));
  copy->seed = seed;
  copy->attempt = attempt;
  std::copy_n(memory.data(), memory.size(), copy->memory.data());
  return copy;
}

// Writes the level as a file contains it. In a file, the words of the last block have only slots %
// 64 bits each, without gaps.
void Retrieval::Level::write(ByteWriter& out) const noexcept {
  const auto put = [&](const std::byte* from, std::size_t size) {
    const auto to = out.take(size);
    if (!to.empty()) std::copy_n(from, size, to.data());
  };
  put(memory.data() + thresholds_at, threshold_bytes());
  put(memory.data(), std::size_t{slots} * byte_planes());
  const std::size_t whole = slots / 64;
  put(block(0), whole * bit_planes() * 8);
  const std::size_t rest = slots % 64, bits = rest * bit_planes();
  const auto to = out.take((bits + 7) / 8);
  if (to.empty()) return;
  std::fill(to.begin(), to.end(), std::byte{0});
  for (std::size_t i = 0; i < bits; ++i) {
    const std::uint64_t word = load_le64(block(whole) + i / rest * 8);
    to[i / 8] |= static_cast<std::byte>(((word >> (i % rest)) & 1) << (i % 8));
  }
}

bool Retrieval::Level::read(std::span<const std::byte> data) noexcept {
  const auto get = [&](std::byte* to, std::size_t size) {
    std::copy_n(data.data(), size, to);
    data = data.subspan(size);
  };
  get(memory.data() + thresholds_at, threshold_bytes());
  const std::size_t left = buckets() % 4;
  if (bumps && left != 0 && (memory[memory.size() - 1] >> (left * 2)) != std::byte{0}) return false;
  get(memory.data(), std::size_t{slots} * byte_planes());
  const std::size_t whole = slots / 64;
  get(block(0), whole * bit_planes() * 8);
  const std::size_t rest = slots % 64, bits = rest * bit_planes();
  for (std::size_t i = 0; i < bits; ++i) {
    std::byte* word = block(whole) + i / rest * 8;
    store_le64(word, load_le64(word) | (std::to_integer<std::uint64_t>(data[i / 8] >> (i % 8)) & 1)
                                           << (i % rest));
  }
  return bits % 8 == 0 || (data[bits / 8] >> (bits % 8)) == std::byte{0};
}

std::uint64_t Retrieval::slots() const noexcept {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < levels_; ++i) sum += level_[i].slots;
  return sum;
}

std::uint64_t Retrieval::size_bytes() const noexcept {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < levels_; ++i) sum += level_[i].data_bytes();
  return sum;
}

Result<Retrieval> Retrieval::clone() const noexcept {
  Retrieval copy;
  for (std::uint32_t i = 0; i < levels_; ++i) {
    if (level_[i].memory.size() == 0) continue;  // an empty level is already empty in the copy
    TAMIS_TRY(level, level_[i].clone());
    copy.level_[i] = std::move(*level);
  }
  copy.levels_ = levels_;
  copy.shape_ = shape_;
  copy.count_ = count_;
  return copy;
}

Status Retrieval::validate() const noexcept {
  bool is_valid = shape_.is_valid() && levels_ >= 1 && levels_ <= kMaxLevels;
  for (std::uint32_t i = 0; is_valid && i < levels_; ++i) {
    const Level& level = level_[i];
    // Every level except the last one bumps keys, and so has at least 64 slots for its rows'
    // coefficients. A level has fewer slots than the level before it.
    is_valid = level.width == shape_.width() && level.bumps == (i + 1 < levels_) &&
               (!level.bumps || level.slots >= sizing::kRibbonWidth) &&
               (i == 0 || level.slots < level_[i - 1].slots) && (level.slots != 0) == (count_ != 0);
  }
  if (!is_valid) return Status::kCorrupt;
  const Level& first = level_[0];
  if (first.bumps && first.slots != sizing::ribbon_bumping_slots(count_)) return Status::kCorrupt;
  if (count_ == 0 && first.attempt != 0) return Status::kCorrupt;
  // There are at least as many slots as keys, since no two keys of a level have the same pivot.
  const bool is_counted = slots() >= count_ && slots() <= sizing::ribbon_most_slots(count_);
  return is_counted ? Status::kOk : Status::kCorrupt;
}

void Retrieval::write(ByteWriter& out) const noexcept {
  for (std::uint32_t i = 0; i < levels_; ++i) {
    const Level& level = level_[i];
    out.u32(level.slots);
    out.u32(level.attempt | level.width << 16 | (levels_ - 1 - i) << 24);
  }
  for (std::uint32_t i = 0; i < levels_; ++i) level_[i].write(out);
}

Result<Retrieval> Retrieval::read(ByteReader& in, Shape shape, std::uint64_t count,
                                  std::uint64_t seed, std::uint32_t first_part) noexcept {
  Retrieval made;
  made.shape_ = shape;
  made.count_ = count;
  if (!shape.is_valid()) return Status::kCorrupt;
  ByteReader ahead = in;
  made.levels_ = (static_cast<std::uint32_t>(ahead.u64() >> 56)) + 1;
  if (made.levels_ > kMaxLevels) return Status::kCorrupt;
  for (std::uint32_t i = 0; i < made.levels_; ++i) {
    Level& level = made.level_[i];
    level.slots = in.u32();
    const std::uint32_t rest = in.u32();
    level.attempt = static_cast<std::uint16_t>(rest);
    level.width = (rest >> 16) & 0xff;
    level.bumps = i + 1 < made.levels_;
    if (rest >> 24 != made.levels_ - 1 - i) return Status::kCorrupt;
  }
  if (in.overrun() || made.validate() != Status::kOk) return Status::kCorrupt;
  for (std::uint32_t i = 0; i < made.levels_; ++i) {
    const Level& claimed = made.level_[i];
    const std::uint64_t bytes = claimed.data_bytes();
    if (bytes > in.remaining()) return Status::kCorrupt;
    TAMIS_TRY(level, Level::zeroed(claimed.slots, claimed.width, claimed.bumps));
    if (!level->read(in.take(static_cast<std::size_t>(bytes)))) return Status::kCorrupt;
    level->set_seed(seed, first_part + i, claimed.attempt);
    made.level_[i] = std::move(*level);
  }
  return made;
}

}  // namespace tamis::detail
