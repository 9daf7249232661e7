#include <tamis/filters/cuckoo.hpp>

#include <algorithm>

#include <tamis/detail/batch.hpp>
#include <tamis/detail/options.hpp>
#include <tamis/filters/cuckoo_inline.hpp>

namespace tamis {

// Compares both buckets without a branch between them: such a branch would be mispredicted for half
// of the keys that are present. Not inlined, so that the common case (is_in() with one word per
// bucket) need not save registers.
bool CuckooFilter::is_in_words(std::uint32_t first_bucket, std::uint32_t second_bucket,
                               std::uint32_t fingerprint) const noexcept {
  const std::uint64_t wanted = lows_ * fingerprint;
  const std::uint64_t bucket_bits = std::uint64_t{words_} * word_bits_;
  std::uint64_t first = first_bucket * bucket_bits, second = second_bucket * bucket_bits, found = 0;
  for (std::uint32_t word = 0; word < words_; ++word, first += word_bits_, second += word_bits_) {
    found |= match(first, wanted) | match(second, wanted);
  }
  return found != 0;
}

std::uint64_t CuckooFilter::find(std::uint32_t bucket, std::uint32_t fingerprint) const noexcept {
  const std::uint64_t wanted = lows_ * fingerprint;
  std::uint64_t part = std::uint64_t{bucket} * words_;
  for (std::uint32_t word = 0; word < words_; ++word, ++part) {
    const std::uint64_t bit = part * word_bits_;
    const std::uint64_t found = match(bit, wanted);
    if (found != 0) return slot_of(bit, found);
  }
  return kNoSlot;
}

// Chooses the bucket without a branch, which would be mispredicted for half of the keys.
std::uint64_t CuckooFilter::find_free(std::uint32_t first, std::uint32_t second) const noexcept {
  if (words_ > 1) {
    const std::uint64_t slot = find(first, 0);
    return slot == kNoSlot ? find(second, 0) : slot;
  }
  const std::uint64_t bits[] = {std::uint64_t{first} * word_bits_,
                                std::uint64_t{second} * word_bits_};
  const std::uint64_t found[] = {match(bits[0], 0), match(bits[1], 0)};
  const bool is_second = found[0] == 0;
  const std::uint64_t free = is_second ? found[1] : found[0];
  return free == 0 ? kNoSlot : slot_of(is_second ? bits[1] : bits[0], free);
}

// The buckets that a search has reached, each only once, in the order in which they were found.
class CuckooFilter::Search {
 public:
  // At the designed load, one search in 10^15 needs more (sizing/cuckoo.hpp).
  static constexpr std::uint32_t kMostBuckets = 1024;
  static constexpr std::uint16_t kRoot = 0xffff;

  struct Step {
    std::uint32_t bucket;
    std::uint16_t from;  // the step from whose bucket the key in slot `slot` could move here
    std::uint16_t slot;
  };

  Search() noexcept { std::fill_n(table_, 1u << log_, std::uint16_t{0}); }

  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  [[nodiscard]] const Step& operator[](std::uint32_t i) const noexcept { return steps_[i]; }

  // Adds the bucket unless the search has reached it before.
  void add(std::uint32_t bucket, std::uint32_t from, std::uint32_t slot) noexcept {
    std::uint16_t& entry = table_[entry_of(bucket)];
    if (entry != 0) return;
    steps_[size_++] = {bucket, static_cast<std::uint16_t>(from), static_cast<std::uint16_t>(slot)};
    entry = static_cast<std::uint16_t>(size_);
    if (size_ > std::uint32_t{1} << (log_ - 1)) grow();
  }

 private:
  // The table is small at first: most searches are short, and clearing a small table is cheap.
  static constexpr std::uint32_t kFirstLog = 7;
  static constexpr std::uint32_t kLastLog = 11;

  [[nodiscard]] std::uint32_t entry_of(std::uint32_t bucket) const noexcept {
    std::uint32_t at = (bucket * 0x9e3779b1) >> (32 - log_);
    while (table_[at] != 0 && steps_[table_[at] - 1].bucket != bucket) at = (at + 1) % (1u << log_);
    return at;
  }
  void grow() noexcept {
    log_ += 2;
    std::fill_n(table_, 1u << log_, std::uint16_t{0});
    for (std::uint32_t i = 0; i < size_; ++i) {
      table_[entry_of(steps_[i].bucket)] = static_cast<std::uint16_t>(i + 1);
    }
  }

  std::uint32_t size_ = 0;
  std::uint32_t log_ = kFirstLog;
  Step steps_[kMostBuckets];
  // A hash table with open addressing. An entry is the index of a step plus 1.
  std::uint16_t table_[1u << kLastLog];
};

std::uint64_t CuckooFilter::make_room(std::uint32_t first, std::uint32_t second) noexcept {
  Search search;
  search.add(first, Search::kRoot, 0);
  search.add(second, Search::kRoot, 0);
  const auto bit_of = [&](const Search::Step& from, std::uint32_t slot) {
    return (std::uint64_t{from.bucket} * bucket_size_ + slot) * fingerprint_bits();
  };
  for (std::uint32_t at = 0; at < search.size(); ++at) {
    for (std::uint32_t slot = 0; slot < bucket_size_; ++slot) {
      const Search::Step from = search[at];
      const std::uint32_t next = places_.partner(from.bucket, slots_.get_at(bit_of(from, slot)));
      std::uint64_t free = find(next, 0);
      if (free == kNoSlot) {
        search.add(next, at, slot);
        if (search.size() == Search::kMostBuckets) return kNoSlot;
        continue;
      }
      // Moves the keys along the path, the last key first, so that each moves into a free slot and
      // no key is ever missing.
      for (Search::Step to{next, static_cast<std::uint16_t>(at), static_cast<std::uint16_t>(slot)};
           to.from != Search::kRoot;) {
        const Search::Step& source = search[to.from];
        const std::uint64_t moved = bit_of(source, to.slot);
        slots_.set_at(free, slots_.get_at(moved));
        free = moved;
        to = source;
      }
      return free;
    }
  }
  return kNoSlot;
}

Status CuckooFilter::put(std::uint32_t first, std::uint32_t second,
                         std::uint32_t fingerprint) noexcept {
  std::uint64_t slot = find_free(first, second);
  if (slot == kNoSlot) slot = make_room(first, second);
  if (slot == kNoSlot) return Status::kFull;
  slots_.set_at(slot, fingerprint);
  ++count_;
  return Status::kOk;
}

Result<bool> CuckooFilter::insert(Hash hash) noexcept {
  const Home home = home_of(hash);
  const bool is_new = !is_in(home);
  TAMIS_NEED(put(home.first, home.second, home.fingerprint));
  return is_new;
}

Result<bool> CuckooFilter::insert_if_absent(Hash hash) noexcept {
  const Home home = home_of(hash);
  if (is_in(home)) return false;
  TAMIS_NEED(put(home.first, home.second, home.fingerprint));
  return true;
}

bool CuckooFilter::erase(Hash hash) noexcept {
  const Home home = home_of(hash);
  std::uint64_t slot = find(home.first, home.fingerprint);
  if (slot == kNoSlot) slot = find(home.second, home.fingerprint);
  if (slot == kNoSlot) return false;
  slots_.set_at(slot, 0);
  --count_;
  return true;
}

// Returns a function that computes the home of a hash and, in a large filter, prefetches its
// buckets.
auto CuckooFilter::homes() const noexcept {
  const bool fetches = detail::is_prefetched(size_bytes());
  return [this, fetches, bucket_bits = bucket_size_ * fingerprint_bits()](Hash hash) {
    const Home home = home_of(hash);
    if (fetches) {
      detail::prefetch(slots_.at(std::uint64_t{home.first} * bucket_bits));
      detail::prefetch(slots_.at(std::uint64_t{home.second} * bucket_bits));
    }
    return home;
  };
}

Result<std::uint64_t> CuckooFilter::insert(std::span<const Hash> hashes) noexcept {
  std::uint64_t fresh = 0;
  Status status = Status::kOk;
  detail::place_in_batches(hashes, homes(), [&](std::span<const Home> homes) {
    for (const Home& home : homes) {
      if (status != Status::kOk) return;
      fresh += is_in(home) ? 0u : 1u;
      status = put(home.first, home.second, home.fingerprint);
    }
  });
  if (status != Status::kOk) return status;
  return fresh;
}

void CuckooFilter::may_contain(std::span<const Hash> hashes, std::uint8_t* answers) const noexcept {
  detail::probe_in_batches(hashes, answers, homes(),
                           [this](const Home& home) { return is_in(home); });
}

namespace {

constexpr std::uint32_t kRecordBytes =
    16;  // buckets u32, bucket size u32, fingerprint bits u32, zero u32

bool is_bucket_size(std::uint32_t size) noexcept { return std::has_single_bit(size) && size <= 8; }

bool is_fingerprint_bits(std::uint32_t bits) noexcept {
  return bits >= sizing::kMinCuckooBits && bits <= sizing::kMaxCuckooBits;
}

Result<sizing::CuckooSize> size_of(const CuckooFilter::Config& config) noexcept {
  if (!detail::can_hash_once(config.hasher) || !detail::is_capacity(config.capacity) ||
      !is_bucket_size(config.bucket_size)) {
    return Status::kInvalidOption;
  }
  sizing::CuckooSize size{0, config.fingerprint_bits};
  if (size.fingerprint_bits == 0) {
    if (!detail::is_fpr(config.fpr)) return Status::kInvalidOption;
    size = sizing::cuckoo_size(config.capacity, config.fpr, config.bucket_size);
  } else if (is_fingerprint_bits(size.fingerprint_bits)) {
    size.buckets =
        sizing::cuckoo_buckets(config.capacity, config.bucket_size, size.fingerprint_bits);
  }
  if (!is_fingerprint_bits(size.fingerprint_bits)) return Status::kInvalidOption;
  const std::uint64_t most = sizing::kMaxBits / (config.bucket_size * size.fingerprint_bits);
  if (size.buckets == 0 || size.buckets > most) return Status::kTooLarge;
  return size;
}

}  // namespace

CuckooFilter::CuckooFilter(detail::PackedArray&& slots, std::uint32_t buckets,
                           std::uint32_t bucket_size, std::uint64_t capacity, std::uint64_t count,
                           const Hasher& hasher) noexcept
    : slots_(std::move(slots)),
      places_(buckets, slots_.width()),
      bucket_size_(bucket_size),
      capacity_(capacity),
      count_(count),
      hasher_(hasher) {
  // Chooses how many slots to load at once: as many as one 64-bit load covers wherever such a group
  // begins. A group begins at a multiple of the largest power of two, up to 8, that divides the
  // number of bits in the group.
  const auto fits = [](std::uint32_t bits) { return bits + 8 - std::min(bits & -bits, 8u) <= 64; };
  word_bits_ = bucket_size * slots_.width();
  for (; !fits(word_bits_); word_bits_ /= 2) words_ *= 2;
  for (std::uint32_t bit = 0; bit < word_bits_; bit += slots_.width())
    lows_ |= std::uint64_t{1} << bit;
  highs_ = lows_ << (slots_.width() - 1);
}

Result<CuckooFilter> CuckooFilter::create(const Config& config) noexcept {
  TAMIS_TRY(size, size_of(config));
  TAMIS_TRY(slots, detail::PackedArray::zeroed(size->buckets * config.bucket_size,
                                               size->fingerprint_bits));
  return CuckooFilter(std::move(*slots), static_cast<std::uint32_t>(size->buckets),
                      config.bucket_size, config.capacity, 0, config.hasher);
}

Result<std::uint64_t> CuckooFilter::size_for(const Config& config) noexcept {
  TAMIS_TRY(size, size_of(config));
  return detail::PackedArray::byte_count(size->buckets * config.bucket_size,
                                         size->fingerprint_bits);
}

double CuckooFilter::fpr() const noexcept {
  const double load = static_cast<double>(capacity_) / static_cast<double>(slots_.size());
  return sizing::cuckoo_fpr(load, bucket_size_, fingerprint_bits());
}

double CuckooFilter::estimated_fpr() const noexcept {
  return sizing::cuckoo_mean_fpr(buckets(), fingerprint_bits(), static_cast<double>(count_));
}

Result<CuckooFilter> CuckooFilter::clone() const noexcept {
  TAMIS_TRY(slots, slots_.clone());
  return CuckooFilter(std::move(*slots), buckets(), bucket_size_, capacity_, count_, hasher_);
}

Result<CuckooFilter> CuckooFilter::empty_copy() const noexcept {
  TAMIS_TRY(slots, detail::PackedArray::zeroed(slots_.size(), slots_.width()));
  return CuckooFilter(std::move(*slots), buckets(), bucket_size_, capacity_, 0, hasher_);
}

Status CuckooFilter::validate() const noexcept {
  const bool is_valid = slots_.is_valid() && slots_.count_nonzero() == count_ && capacity_ > 0 &&
                        capacity_ <= slots_.size();
  return is_valid ? Status::kOk : Status::kCorrupt;
}

Header CuckooFilter::header() const noexcept {
  return Header::of(kType, hasher_, capacity_, count_, kRecordBytes + size_bytes());
}

void CuckooFilter::write(ByteWriter& out) const noexcept {
  out.u32(buckets());
  out.u32(bucket_size_);
  out.u32(fingerprint_bits());
  out.u32(0);
  slots_.write(out);
}

Result<CuckooFilter> CuckooFilter::read(Container& from) noexcept {
  const std::uint32_t buckets = from.payload.u32();
  const std::uint32_t bucket_size = from.payload.u32();
  const std::uint32_t bits = from.payload.u32();
  if (from.payload.u32() != 0 || buckets == 0 || buckets % 2 != 0 || !is_bucket_size(bucket_size) ||
      !is_fingerprint_bits(bits)) {
    return Status::kCorrupt;
  }
  TAMIS_TRY(slots,
            detail::PackedArray::read(from.payload, std::uint64_t{buckets} * bucket_size, bits));
  return keep_valid(CuckooFilter(std::move(*slots), buckets, bucket_size, from.header.capacity,
                                 from.header.count, from.hasher));
}

}  // namespace tamis
