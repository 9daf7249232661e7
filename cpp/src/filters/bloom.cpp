#include <tamis/filters/bloom.hpp>

#include <tamis/detail/batch.hpp>
#include <tamis/detail/options.hpp>
#include <tamis/filters/bloom_inline.hpp>
#include <tamis/hash/bloom_scheme.hpp>

namespace tamis {

// Inlined, because a key that is passed to another function would go through memory.
[[gnu::always_inline]] inline bool BloomFilter::find_by_scheme(
    Key key, std::span<std::uint64_t> out, const std::uint64_t* words) const noexcept {
  const auto* scheme = detail::find_bloom_scheme(hasher_.id());
  return scheme->find_positions({key, hasher_.seed(), bits(), out, words});
}

bool BloomFilter::find_positions(Key key, Positions& out) const noexcept {
  const auto used = std::span(out).first(hashes_);
  if (!is_hash_once(hasher_.id())) return find_by_scheme(key, used, nullptr);
  detail::McgPositions probe(hasher_.mix(hasher_(key)), bits());
  for (auto& position : used) position = probe.next();
  return true;
}

std::uint64_t BloomFilter::insert(std::span<const Hash> hashes) noexcept {
  assert(is_hash_once(hasher_.id()));
  if (!is_hash_once(hasher_.id())) return 0;
  std::uint64_t fresh = 0;
  for (const Hash hash : hashes) {
    fresh += set(hasher_.mix(hash), bits_.words().data(), bits(), hashes_) ? 1u : 0u;
  }
  count_new(fresh);
  return fresh;
}

Result<bool> BloomFilter::insert_by_scheme(Key key) noexcept {
  Positions buffer;
  if (!find_positions(key, buffer)) return Status::kInvalidKey;
  bool is_new = false;
  for (std::uint32_t i = 0; i < hashes_; ++i) is_new |= !bits_.set(buffer[i]);
  count_new(is_new ? 1 : 0);
  return is_new;
}

void BloomFilter::may_contain(std::span<const Hash> hashes, std::uint8_t* answers) const noexcept {
  if (!is_hash_once(hasher_.id())) {
    std::fill_n(answers, hashes.size(), std::uint8_t{1});
    return;
  }
  for (; !hashes.empty(); hashes = hashes.subspan(std::min(hashes.size(), kBatch))) {
    const auto some = hashes.first(std::min(hashes.size(), kBatch));
    look_up(some, answers);
    answers += some.size();
  }
}

// Tests one position of each key at a time, and continues with the keys that may still be present:
// after three rounds, an eighth of the absent keys is left. For these it tests all other positions
// at once. A loop over all positions of one key would usually end in a mispredicted branch.
void BloomFilter::look_up(std::span<const Hash> hashes, std::uint8_t* answers) const noexcept {
  // Two arrays instead of structs: the members of a struct would be stored one by one but loaded
  // together, which makes a processor wait.
  std::array<std::uint64_t, kBatch> states;
  std::array<std::uint32_t, kBatch> keys;
  const std::uint64_t* const words = bits_.words().data();
  const std::uint64_t bits = this->bits();
  std::size_t open = 0;
  const auto next_bit = [&](detail::McgPositions& probe) {
    const std::uint64_t position = probe.next();
    return words[position / 64] >> (position % 64) & 1;
  };
  // Keeps the key in the arrays if its next bit is set.
  const auto test = [&](std::uint64_t g, std::uint32_t key) {
    detail::McgPositions probe(g, bits);
    const std::uint64_t is_set = next_bit(probe);
    states[open] = probe.state();
    keys[open] = key;
    open += is_set;
    detail::prefetch(words + probe.next() / 64);
  };
  for (std::uint32_t key = 0; key < hashes.size(); ++key) {
    answers[key] = 0;
    test(hasher_.mix(hashes[key]), key);
  }
  std::uint32_t round = 1;
  for (; round < std::min(hashes_, 3u); ++round) {
    const std::size_t size = std::exchange(open, 0);
    for (std::size_t i = 0; i < size; ++i) test(states[i], keys[i]);
  }
  for (std::size_t i = 0; i < open; ++i) {
    detail::McgPositions probe(states[i], bits);
    std::uint64_t are_set = 1;
    for (std::uint32_t left = hashes_ - round; left > 0; --left) are_set &= next_bit(probe);
    answers[keys[i]] = static_cast<std::uint8_t>(are_set);
  }
}

bool BloomFilter::may_contain_by_scheme(Key key) const noexcept {
  Positions buffer;
  return find_by_scheme(key, std::span(buffer).first(hashes_), bits_.words().data());
}

namespace {

constexpr std::uint32_t kRecordBytes = 16;  // bits u64, hashes u32, zero u32

// Checks the scheme's conditions for the seed and the geometry.
bool is_allowed(const Hasher& hasher, std::uint64_t bits, std::uint32_t hashes) noexcept {
  if (bits == 0 || hashes == 0 || hashes > sizing::kMaxHashes) return false;
  const auto* scheme = detail::find_bloom_scheme(hasher.id());
  return scheme != nullptr && (scheme->hashes == 0 || hashes == scheme->hashes) &&
         (bits & scheme->step_mask) == 0 &&
         (scheme->is_allowed == nullptr || scheme->is_allowed(hasher.seed(), bits, hashes));
}

struct Geometry {
  std::uint64_t bits;
  std::uint32_t hashes;
  std::uint64_t capacity;
};

Result<Geometry> geometry_of(const BloomFilter::Config& config) noexcept {
  const HashId id = config.hasher.id();
  const auto* scheme = detail::find_bloom_scheme(id);
  if (scheme == nullptr) return Status::kInvalidOption;
  if (config.hasher.seed() != 0 && !is_seeded(id)) return Status::kInvalidOption;
  if (is_hash_once(id) && !detail::can_hash_once(config.hasher)) return Status::kInvalidOption;
  const bool is_sized = config.bits == 0 && config.hashes == 0;
  if (is_sized && !detail::is_fpr(config.fpr)) return Status::kInvalidOption;
  if ((is_sized || config.capacity != 0) && !detail::is_capacity(config.capacity)) {
    return Status::kInvalidOption;
  }
  Geometry geometry{config.bits, config.hashes, config.capacity};
  if (is_sized) {
    geometry.hashes = scheme->hashes;
    if (geometry.hashes != 0) {
      geometry.bits = sizing::bloom_bits(config.capacity, config.fpr, geometry.hashes);
    } else {
      const auto size = sizing::bloom_size(config.capacity, config.fpr);
      geometry.hashes = size.hashes;
      geometry.bits = size.bits;
    }
    const std::uint64_t mask = scheme->sizing_mask;
    geometry.bits = (geometry.bits + mask) & ~mask;
  } else if (config.hashes != 0 && config.capacity == 0) {
    geometry.capacity = sizing::bloom_capacity(config.bits, config.hashes);
  }
  if (geometry.bits > sizing::kMaxBits) return Status::kTooLarge;
  if (!is_allowed(config.hasher, geometry.bits, geometry.hashes)) return Status::kInvalidOption;
  return geometry;
}

}  // namespace

Result<BloomFilter> BloomFilter::create(const Config& config) noexcept {
  TAMIS_TRY(geometry, geometry_of(config));
  TAMIS_TRY(bits, detail::BitWords::zeroed(geometry->bits));
  return BloomFilter(std::move(*bits), geometry->hashes, geometry->capacity, config.hasher, 0);
}

Result<std::uint64_t> BloomFilter::size_for(const Config& config) noexcept {
  TAMIS_TRY(geometry, geometry_of(config));
  return detail::BitWords::byte_count(geometry->bits);
}

bool BloomFilter::is_compatible(const BloomFilter& other) const noexcept {
  return hasher_ == other.hasher_ && bits() == other.bits() && hashes_ == other.hashes_;
}

TAMIS_NOINLINE std::uint64_t BloomFilter::count_union(const BloomFilter& other) const noexcept {
  const std::uint64_t bits_set = bits_.popcount_union(other.bits_);
  const bool is_one = bits_set == std::max(bits_.popcount(), other.bits_.popcount());
  return sizing::count_of_union(is_one ? 0 : estimate(bits_set), count_, other.count_);
}

Status BloomFilter::merge(const BloomFilter& other) noexcept {
  if (!is_compatible(other)) return Status::kIncompatible;
  count_ = count_union(other);
  bits_.merge(other.bits_);
  return Status::kOk;
}

Status BloomFilter::intersect(const BloomFilter& other) noexcept {
  if (!is_compatible(other)) return Status::kIncompatible;
  count_ += other.count_ - count_union(other);
  bits_.intersect(other.bits_);
  if (count_ == 0 && bits_.popcount() > 0) count_ = 1;
  return Status::kOk;
}

double BloomFilter::fpr() const noexcept {
  return sizing::bloom_fpr(static_cast<double>(bits()), hashes_, static_cast<double>(capacity_));
}

double BloomFilter::estimated_fpr() const noexcept { return sizing::power(fill_ratio(), hashes_); }

double BloomFilter::estimate(std::uint64_t bits_set) const noexcept {
  return sizing::estimate_keys(bits_set, bits(), hashes_);
}

Result<double> BloomFilter::estimate_union(const BloomFilter& other) const noexcept {
  if (!is_compatible(other)) return Status::kIncompatible;
  return estimate(bits_.popcount_union(other.bits_));
}

Result<BloomFilter> BloomFilter::clone() const noexcept {
  TAMIS_TRY(bits, bits_.clone());
  return BloomFilter(std::move(*bits), hashes_, capacity_, hasher_, count_);
}

Result<BloomFilter> BloomFilter::empty_copy() const noexcept {
  TAMIS_TRY(bits, detail::BitWords::zeroed(bits_.size()));
  return BloomFilter(std::move(*bits), hashes_, capacity_, hasher_, 0);
}

Status BloomFilter::validate() const noexcept {
  const bool is_valid = is_allowed(hasher_, bits(), hashes_) && capacity_ > 0 && bits_.is_valid() &&
                        (count_ > 0 || bits_.popcount() == 0);
  return is_valid ? Status::kOk : Status::kCorrupt;
}

Header BloomFilter::header() const noexcept {
  return Header::of(kType, hasher_, capacity_, count_, kRecordBytes + bits_.size_bytes());
}

void BloomFilter::write(ByteWriter& out) const noexcept {
  out.u64(bits());
  out.u32(hashes_);
  out.u32(0);
  bits_.write(out);
}

Result<BloomFilter> BloomFilter::read_bits(std::uint64_t bits, std::uint32_t hashes,
                                           std::uint64_t capacity, std::uint64_t count,
                                           const Hasher& hasher, ByteReader& in) noexcept {
  if (!is_allowed(hasher, bits, hashes)) return Status::kCorrupt;
  TAMIS_TRY(words, detail::BitWords::read(in, bits));
  return keep_valid(BloomFilter(std::move(*words), hashes, capacity, hasher, count));
}

Result<BloomFilter> BloomFilter::read(Container& from) noexcept {
  const std::uint64_t bits = from.payload.u64();
  const std::uint32_t hashes = from.payload.u32();
  if (from.payload.u32() != 0) return Status::kCorrupt;
  return read_bits(bits, hashes, from.header.capacity, from.header.count, from.hasher,
                   from.payload);
}

}  // namespace tamis
