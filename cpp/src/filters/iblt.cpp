#include <tamis/filters/iblt.hpp>

#include <algorithm>

#include <tamis/detail/options.hpp>

namespace tamis {
namespace {

constexpr std::uint64_t kPlus = 1;
constexpr std::uint64_t kMinus = ~std::uint64_t{0};

// XORs `from` into `to`, in whole words.
void xor_words(std::span<std::byte> to, const std::byte* from) noexcept {
  for (std::size_t i = 0; i < to.size(); i += 8) {
    detail::store_le64(&to[i], detail::load_le64(&to[i]) ^ detail::load_le64(from + i));
  }
}

}  // namespace

InvertibleBloomTable::Places InvertibleBloomTable::places(Key key) const noexcept {
  const std::uint64_t g = hasher_.mix(hasher_(key));
  const std::size_t partition = cells_ / sizing::kIbltHashes;
  Places places;
  for (std::uint32_t j = 0; j < sizing::kIbltHashes; ++j) {
    places.cells[j] =
        j * partition + static_cast<std::size_t>(reduce(splitmix64(g + j), partition));
  }
  places.check = splitmix64(g + sizing::kIbltHashes);
  return places;
}

void InvertibleBloomTable::add(std::size_t cell, Key key, std::uint64_t check,
                               std::uint64_t sign) noexcept {
  detail::store_le32(count_at(cell), count_of(cell) + static_cast<std::uint32_t>(sign));
  detail::store_le64(check_at(cell), check_of(cell) + sign * check);
  std::byte* const sum = key_at(cell);
  for (std::size_t i = 0; i < key.size(); ++i) sum[i] ^= key[i];
}

Status InvertibleBloomTable::add(Key key, std::uint64_t sign) noexcept {
  if (key.size() != key_bytes_) return Status::kInvalidKey;
  const Places at = places(key);
  for (const std::size_t cell : at.cells) add(cell, key, at.check, sign);
  return Status::kOk;
}

Status InvertibleBloomTable::insert(Key key) noexcept { return add(key, kPlus); }

Status InvertibleBloomTable::erase(Key key) noexcept { return add(key, kMinus); }

Result<InvertibleBloomTable> InvertibleBloomTable::subtract(
    const InvertibleBloomTable& other) const noexcept {
  if (hasher_ != other.hasher_ || key_bytes_ != other.key_bytes_ || cells_ != other.cells_) {
    return Status::kIncompatible;
  }
  TAMIS_TRY(result, clone());
  for (std::size_t i = 0; i < cells_; ++i) {
    detail::store_le32(result->count_at(i), count_of(i) - other.count_of(i));
    detail::store_le64(result->check_at(i), check_of(i) - other.check_of(i));
  }
  // The keys begin at a whole word, and with the padding they also end at one.
  xor_words(result->memory_.span().subspan(12 * cells_), other.key_of(0).data());
  return result;
}

bool InvertibleBloomTable::is_balanced() const noexcept {
  struct Sums {
    std::uint32_t count = 0;
    std::uint64_t check = 0;
    std::array<std::byte, sizing::kIbltMaxKeyBytes> key{};
    bool operator==(const Sums&) const noexcept = default;
  };
  const std::size_t partition = cells_ / sizing::kIbltHashes;
  Sums first;
  for (std::size_t begin = 0; begin < cells_; begin += partition) {
    Sums sums;
    for (std::size_t cell = begin; cell < begin + partition; ++cell) {
      sums.count += count_of(cell);
      sums.check += check_of(cell);
      const Key key = key_of(cell);
      for (std::size_t i = 0; i < key.size(); ++i) sums.key[i] ^= key[i];
    }
    if (begin == 0) first = sums;
    if (!(sums == first)) return false;
  }
  return true;
}

bool InvertibleBloomTable::is_empty(std::size_t cell) const noexcept {
  const Key key = key_of(cell);
  return count_of(cell) == 0 && check_of(cell) == 0 &&
         std::all_of(key.begin(), key.end(), [](std::byte b) { return b == std::byte{0}; });
}

// Finds a cell that contains a single key, lists the key, and removes it from its other cells. Then
// these cells may contain a single key too. A cell is on the stack at most once, so the stack has
// room for all.
Result<InvertibleBloomTable::Difference> InvertibleBloomTable::decode() const noexcept {
  enum class State : std::uint8_t { kIdle, kWaiting, kGave };
  auto rest = clone();  // a cell whose key was listed keeps the key and its sign
  if (!rest.ok()) return rest.status();
  TAMIS_TRY(states, detail::Buffer<State>::zeroed(cells_));
  TAMIS_TRY(waiting, detail::Buffer<std::size_t>::zeroed(cells_));
  State* const state = states->data();
  std::size_t waiting_count = 0;
  const auto wait = [&](std::size_t cell) {
    if (state[cell] != State::kIdle) return;
    state[cell] = State::kWaiting;
    (*waiting)[waiting_count++] = cell;
  };
  for (std::size_t cell = cells_; cell-- > 0;) wait(cell);

  while (waiting_count > 0) {
    const std::size_t cell = (*waiting)[--waiting_count];
    state[cell] = State::kIdle;
    const std::uint32_t count = rest->count_of(cell);
    if (count != 1 && count + 1 != 0) continue;
    const std::uint64_t sign = count == 1 ? kPlus : kMinus;
    const Key key = rest->key_of(cell);
    const Places at = places(key);
    if (rest->check_of(cell) != sign * at.check) continue;
    if (std::find(at.cells.begin(), at.cells.end(), cell) == at.cells.end()) continue;
    // A cell whose key was listed contains no further key in a valid table. In a forged table it
    // may, and the same key could be listed twice.
    if (std::any_of(at.cells.begin(), at.cells.end(),
                    [&](auto i) { return state[i] == State::kGave; }))
      continue;
    state[cell] = State::kGave;
    for (const std::size_t other : at.cells) {
      if (other == cell) continue;
      rest->add(other, key, at.check, kMinus * sign);
      wait(other);
    }
  }

  Difference result;
  result.complete = true;
  for (std::size_t cell = 0; cell < cells_; ++cell) {
    if (state[cell] == State::kGave) {
      ++(rest->count_of(cell) == 1 ? result.added_count : result.removed_count);
    } else {
      result.complete = result.complete && rest->is_empty(cell);
    }
  }
  TAMIS_TRY(added, Bytes::zeroed(result.added_count * key_bytes_));
  TAMIS_TRY(removed, Bytes::zeroed(result.removed_count * key_bytes_));
  std::byte* to_added = added->data();
  std::byte* to_removed = removed->data();
  for (std::size_t cell = 0; cell < cells_; ++cell) {
    if (state[cell] != State::kGave) continue;
    std::byte*& to = rest->count_of(cell) == 1 ? to_added : to_removed;
    to = std::copy_n(rest->key_of(cell).data(), key_bytes_, to);
  }
  result.added = std::move(*added);
  result.removed = std::move(*removed);
  return result;
}

namespace {

constexpr std::uint32_t kRecordBytes = 8;  // key_bytes u32, zero u32

bool is_allowed(const InvertibleBloomTable::Config& config) noexcept {
  return detail::can_hash_once(config.hasher) && detail::is_capacity(config.differences) &&
         config.key_bytes >= sizing::kIbltMinKeyBytes &&
         config.key_bytes <= sizing::kIbltMaxKeyBytes;
}

std::uint64_t bytes_of(const InvertibleBloomTable::Config& config) noexcept {
  return sizing::iblt_bytes(sizing::iblt_cells(config.differences), config.key_bytes);
}

}  // namespace

Result<InvertibleBloomTable> InvertibleBloomTable::create(const Config& config) noexcept {
  TAMIS_TRY(bytes, size_for(config));
  TAMIS_TRY(memory, Bytes::zeroed(*bytes));
  return InvertibleBloomTable(std::move(*memory), config);
}

Result<std::uint64_t> InvertibleBloomTable::size_for(const Config& config) noexcept {
  if (!is_allowed(config)) return Status::kInvalidOption;
  const std::uint64_t bytes = bytes_of(config);
  if (bytes > sizing::kIbltMaxBytes) return Status::kTooLarge;
  return bytes;
}

void InvertibleBloomTable::clear() noexcept {
  std::fill_n(memory_.data(), memory_.size(), std::byte{0});
}

Result<InvertibleBloomTable> InvertibleBloomTable::clone() const noexcept {
  auto copy = empty_copy();
  if (copy.ok()) std::copy_n(memory_.data(), memory_.size(), copy->memory_.data());
  return copy;
}

Result<InvertibleBloomTable> InvertibleBloomTable::empty_copy() const noexcept {
  return create(config());
}

Status InvertibleBloomTable::validate() const noexcept {
  if (!is_allowed(config()) || cells_ != sizing::iblt_cells(differences_) ||
      memory_.size() != bytes_of(config())) {
    return Status::kCorrupt;
  }
  const auto padding = memory_.span().subspan(cells_ * (12 + key_bytes_));
  const bool is_zero =
      std::all_of(padding.begin(), padding.end(), [](std::byte b) { return b == std::byte{0}; });
  return is_zero && is_balanced() ? Status::kOk : Status::kCorrupt;
}

Header InvertibleBloomTable::header() const noexcept {
  return Header::of(kType, hasher_, differences_, 0, kRecordBytes + size_bytes());
}

void InvertibleBloomTable::write(ByteWriter& out) const noexcept {
  out.u32(key_bytes_);
  out.u32(0);
  const auto to = out.take(memory_.size());
  if (!to.empty()) std::memcpy(to.data(), memory_.data(), to.size());
}

Result<InvertibleBloomTable> InvertibleBloomTable::read(Container& from) noexcept {
  const Config config{from.header.capacity, from.payload.u32(), from.hasher};
  if (from.payload.u32() != 0 || from.header.count != 0 || !is_allowed(config) ||
      from.payload.remaining() < bytes_of(config)) {
    return Status::kCorrupt;
  }
  TAMIS_TRY(table, create(config));
  const auto bytes = from.payload.take(table->memory_.size());
  std::memcpy(table->memory_.data(), bytes.data(), bytes.size());
  return keep_valid(std::move(*table));
}

}  // namespace tamis
