#include <tamis/filters/binary_fuse.hpp>

#include <algorithm>

#include <tamis/detail/batch.hpp>
#include <tamis/detail/chunks.hpp>
#include <tamis/detail/options.hpp>
#include <tamis/filters/binary_fuse_inline.hpp>
#include <tamis/hash/hash_records.hpp>

namespace tamis {

bool BinaryFuseFilter::holds_any(std::uint64_t g) const noexcept {
  switch (slots_.width()) {
    case 16:
      return holds<16>(g);
    case 32:
      return holds<32>(g);
    default:
      return holds<0>(g);
  }
}

template <std::uint32_t kWidth>
void BinaryFuseFilter::look_up(std::span<const Hash> hashes, std::uint8_t* answers) const noexcept {
  const bool fetches = detail::is_prefetched(size_bytes());
  const auto mix = [this, fetches](Hash hash) {
    const std::uint64_t g = hasher_.mix(hash);
    if (fetches) {
      const FusePlaces::Slots slots = places_.slots(g);
      for (std::uint32_t i = 0; i < arity_; ++i)
        detail::prefetch(slots_.at(std::uint64_t{slots[i]} * slots_.width()));
    }
    return g;
  };
  detail::probe_in_batches(hashes, answers, mix,
                           [this](std::uint64_t g) { return holds<kWidth>(g); });
}

void BinaryFuseFilter::may_contain(std::span<const Hash> hashes,
                                   std::uint8_t* answers) const noexcept {
  if (count_ == 0) {
    std::fill_n(answers, hashes.size(), std::uint8_t{0});
    return;
  }
  switch (slots_.width()) {
    case 8:
      return look_up<8>(hashes, answers);
    case 16:
      return look_up<16>(hashes, answers);
    case 32:
      return look_up<32>(hashes, answers);
    default:
      return look_up<0>(hashes, answers);
  }
}

// gather_by_hash() has put keys with near slots next to each other. So the slots are in the cache,
// and holds<0>(), which is slower but takes any width, is fast enough.
bool BinaryFuseFilter::contains(std::span<const std::uint64_t> mixed) const noexcept {
  bool has_all = true;
  for (const std::uint64_t g : mixed) has_all &= holds<0>(g);
  return has_all;
}

Status BinaryFuseFilter::validate() const noexcept {
  const bool is_valid =
      slots_.is_valid() && slots_.count_nonzero() <= count_ && count_ <= slots_.size();
  return is_valid ? Status::kOk : Status::kCorrupt;
}

namespace {

using detail::in_chunks;
using detail::kChunk;

// Assigns each key its own slot. Peeling: a key that is alone in one of its slots gets that slot
// and is removed. After that, other keys may be alone in a slot. Finally, keys are processed in
// reverse order. Each key fills its own slot so that the XOR of all its slots is its fingerprint.
// At that time, its other slots are already final.
class Peeler {
 public:
  Peeler(sizing::FuseShape shape, std::uint32_t arity, std::span<std::uint64_t> keys) noexcept
      : places_(shape),
        arity_(arity),
        keys_(keys),
        size_(static_cast<std::size_t>(shape.slots(arity))) {}

  // Returns kBuildFailed if some keys are never alone in a slot, or kOutOfMemory.
  [[nodiscard]] Status peel() noexcept {
    TAMIS_TRY(words, detail::Buffer<std::uint64_t>::zeroed(size_));
    TAMIS_TRY(order, detail::Buffer<std::uint32_t>::zeroed(size_ + 1));
    words_ = std::move(*words);
    order_ = std::move(*order);
    in_chunks(keys_.size(), [this](std::size_t from, std::size_t to) {
      arity_ == 3 ? count<3>(from, to) : count<4>(from, to);
    });
    while (head_ != tail_ || next_ != size_) arity_ == 3 ? peel_some<3>() : peel_some<4>();
    return done_ == keys_.size() ? Status::kOk : Status::kBuildFailed;
  }

  // After kBuildFailed, moves the keys that never became alone to the front, and returns their
  // number. They include all keys that occur twice.
  [[nodiscard]] std::size_t gather_rest() noexcept {
    std::size_t rest = 0;
    in_chunks(keys_.size(), [&](std::size_t from, std::size_t to) {
      for (std::size_t key = from; key < to; ++key) {
        const auto slots = places_.slots(keys_[key]);
        // A removed key is recognized by its own slot, in which no key is left.
        bool is_left = true;
        for (std::uint32_t i = 0; i < arity_; ++i) is_left &= words_[slots[i]] >> 32 != 0;
        if (is_left) std::swap(keys_[key], keys_[rest++]);
      }
    });
    return rest;
  }

  // Returns the fingerprints, with `bits` bits per slot, or kOutOfMemory. The object is empty
  // afterwards.
  [[nodiscard]] Result<detail::PackedArray> assign(std::uint32_t bits) noexcept {
    in_chunks(done_, [this](std::size_t from, std::size_t to) {
      arity_ == 3 ? assign<3>(done_ - from, done_ - to) : assign<4>(done_ - from, done_ - to);
    });
    order_ = {};
    Packing packing{words_.data(), bits};
    in_chunks(size_, [&](std::size_t from, std::size_t to) { packing.run(from, to); });
    ByteReader packed(std::as_bytes(words_.span()).first(packing.finish()));
    return detail::PackedArray::read(packed, size_, bits);
  }

 private:
  static constexpr std::uint64_t kOne = std::uint64_t{1} << 32;

  // Packs the low bits of each word into the front of the same array. Writing never overtakes
  // reading.
  struct Packing {
    std::uint64_t* words;
    std::uint32_t bits;
    std::uint32_t used = 0;  // the number of bits in the current word
    std::uint64_t word = 0;
    std::size_t to = 0;

    void run(std::size_t from, std::size_t end) noexcept {
      const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
      for (std::size_t i = from; i < end; ++i) {
        const std::uint64_t field = words[i] & mask;
        word |= field << used;
        used += bits;
        if (used < 64) continue;
        put();
        used -= 64;
        word = field >> (bits - used);
      }
    }
    [[nodiscard]] std::size_t finish() noexcept {
      if (used > 0) put();
      return to * sizeof(std::uint64_t);
    }
    void put() noexcept { detail::store_le64(reinterpret_cast<std::byte*>(words + to++), word); }
  };

  template <std::uint32_t kArity>
  void count(std::size_t from, std::size_t to) noexcept {
    const FusePlaces places = places_;
    std::uint64_t* const words = words_.data();
    for (std::size_t key = from; key < to; ++key) {
      const auto slots = places.slots(keys_[key]);
      for (std::uint32_t i = 0; i < kArity; ++i) words[slots[i]] += kOne + key;
    }
  }

  // Peels the keys from the front of the table to its end, so that only a short part of the table
  // is in use at a time. After a part is peeled, more keys are alone in a slot of the next part.
  template <std::uint32_t kArity>
  TAMIS_NOINLINE void peel_some() noexcept {
    const FusePlaces places = places_;
    const std::uint64_t* const keys = keys_.data();
    std::uint64_t* const words = words_.data();
    std::uint32_t* const order = order_.data();
    std::size_t head = head_, tail = tail_, done = done_;
    for (std::size_t i = 0; i < kChunk; ++i) {
      if (head == tail) {
        if (next_ == size_) break;
        for (const std::size_t end = std::min(next_ + kSearched, size_); next_ < end; ++next_) {
          order[tail] = static_cast<std::uint32_t>(next_);
          tail += words[next_] >> 32 == 1 ? 1 : 0;
        }
        continue;
      }
      const std::uint32_t own = order[head++];
      const std::uint64_t word = words[own];
      if (word >> 32 != 1) continue;
      const auto slots = places.slots(keys[static_cast<std::uint32_t>(word)]);
      for (std::uint32_t j = 0; j < kArity; ++j) {
        const std::uint64_t rest = words[slots[j]] -= word;
        order[tail] = slots[j];
        tail += rest >> 32 == 1 ? 1 : 0;
      }
      words[own] = static_cast<std::uint32_t>(word);
      order[done++] = own;
    }
    head_ = head;
    tail_ = tail;
    done_ = done;
  }

  // Until a key is assigned, the word of its own slot contains the key's index. The word of a slot
  // that is no key's own is 0.
  template <std::uint32_t kArity>
  void assign(std::size_t from, std::size_t to) noexcept {
    const FusePlaces places = places_;
    std::uint64_t* const words = words_.data();
    for (std::size_t i = from; i-- > to;) {
      const std::uint32_t own = order_[i];
      const std::uint64_t key = words[own], g = keys_[static_cast<std::size_t>(key)];
      const auto slots = places.slots(g);
      std::uint64_t value = FusePlaces::fingerprint(g) ^ key;
      for (std::uint32_t j = 0; j < kArity; ++j) value ^= words[slots[j]];
      words[own] = value;
    }
  }

  static constexpr std::size_t kSearched = 64;

  FusePlaces places_;
  std::uint32_t arity_;
  std::span<std::uint64_t> keys_;
  std::size_t size_;
  // For each slot, the sum of (kOne + the key's index) over its keys that are not removed. No slot
  // has 2^31 keys, so the sum is exact: if and only if one key is left, it is at least kOne and
  // below 2 kOne.
  detail::Buffer<std::uint64_t> words_;
  // The first done_ entries are the own slots of the removed keys. The entries from head_ to tail_
  // are slots with one key left, each only once. The search for more such slots continues at next_.
  detail::Buffer<std::uint32_t> order_;
  std::size_t done_ = 0, head_ = 0, tail_ = 0, next_ = 0;
};

// Removes repeats among the first `some` hashes. Keeps all hashes after them.
std::span<std::uint64_t> keep_distinct(std::span<std::uint64_t> hashes, std::size_t some) noexcept {
  const detail::HashRecords records(hashes.first(some));
  detail::sort_by_hash(records);
  std::uint64_t conflicts;
  const std::size_t distinct = detail::drop_repeats(records, conflicts);
  const auto others = hashes.subspan(some);
  if (distinct < some) std::copy(others.begin(), others.end(), hashes.data() + distinct);
  return hashes.first(distinct + others.size());
}

}  // namespace

Result<BinaryFuseFilter> BinaryFuseFilter::build_once(std::span<std::uint64_t>& mixed,
                                                      sizing::FuseShape shape, std::uint32_t arity,
                                                      std::uint32_t bits,
                                                      const Hasher& hasher) noexcept {
  detail::gather_by_hash(detail::HashRecords(mixed));
  Peeler peeler(shape, arity, mixed);
  const Status status = peeler.peel();
  if (status == Status::kBuildFailed) mixed = keep_distinct(mixed, peeler.gather_rest());
  if (status != Status::kOk) return status;
  TAMIS_TRY(slots, peeler.assign(bits));
  BinaryFuseFilter filter(std::move(*slots), shape, arity, mixed.size(), hasher);
  bool has_all = true;
  in_chunks(mixed.size(), [&](std::size_t from, std::size_t to) {
    has_all = has_all && filter.contains(mixed.subspan(from, to - from));
  });
  if (!has_all) return Status::kBuildFailed;
  return filter;
}

Result<BinaryFuseFilter> BinaryFuseFilter::build(const Config& config,
                                                 std::span<std::uint64_t> hashes) noexcept {
  TAMIS_TRY(bits, bits_of(config));
  std::uint64_t seed = config.hasher.seed();
  auto mixed = hashes;
  detail::mix(detail::HashRecords(mixed), seed);
  if (mixed.size() > sizing::kMaxFuseKeys) mixed = keep_distinct(mixed, mixed.size());
  for (std::uint32_t attempt = 0; attempt < sizing::kFuseAttempts;) {
    const std::size_t size = mixed.size();
    const std::uint32_t arity = config.arity != 0 ? config.arity : sizing::fuse_arity(size);
    if (size == 0) {
      TAMIS_TRY(slots, detail::PackedArray::zeroed(0, *bits));
      return BinaryFuseFilter(std::move(*slots), {0, 0}, arity, 0, config.hasher);
    }
    const auto shape = sizing::fuse_shape(size, arity, attempt);
    const bool fits = shape.segments != 0 && shape.slots(arity) <= sizing::kMaxBits / *bits;
    if (fits) {
      auto filter = build_once(mixed, shape, arity, *bits, config.hasher.with_seed(seed));
      if (filter.status() != Status::kBuildFailed) return filter;
    } else {
      mixed = keep_distinct(mixed, size);
    }
    if (mixed.size() < size) continue;  // repeats may have made this attempt fail
    if (!fits) return Status::kTooLarge;
    const std::uint64_t next = attempt_seed(config.hasher.seed(), 0, ++attempt);
    detail::unmix(detail::HashRecords(mixed), seed);
    detail::mix(detail::HashRecords(mixed), next);
    seed = next;
  }
  return Status::kBuildFailed;
}

namespace {

// segments u32, log2 of a segment's slots u8, arity u8, fingerprint bits u8, zero u8
constexpr std::uint32_t kRecordBytes = 8;

bool is_arity(std::uint32_t arity) noexcept { return arity == 3 || arity == 4; }

bool is_fingerprint_bits(std::uint32_t bits) noexcept {
  return bits > 0 && bits <= sizing::kMaxFingerprintBits;
}

}  // namespace

Result<std::uint32_t> BinaryFuseFilter::bits_of(const Config& config) noexcept {
  if (!detail::can_hash_once(config.hasher) || (config.arity != 0 && !is_arity(config.arity))) {
    return Status::kInvalidOption;
  }
  std::uint32_t bits = config.fingerprint_bits;
  if (bits == 0 && detail::is_fpr(config.fpr)) bits = sizing::fingerprint_bits(config.fpr);
  if (!is_fingerprint_bits(bits)) return Status::kInvalidOption;
  return bits;
}

Result<std::uint64_t> BinaryFuseFilter::size_for(const Config& config) noexcept {
  TAMIS_TRY(bits, bits_of(config));
  if (!detail::is_capacity(config.capacity)) return Status::kInvalidOption;
  const std::uint32_t arity =
      config.arity != 0 ? config.arity : sizing::fuse_arity(config.capacity);
  const auto shape = sizing::fuse_shape(config.capacity, arity, 0);
  const std::uint64_t slots = shape.slots(arity);
  if (shape.segments == 0 || slots > sizing::kMaxBits / *bits) return Status::kTooLarge;
  return detail::PackedArray::byte_count(slots, *bits);
}

double BinaryFuseFilter::fpr() const noexcept { return sizing::power(0.5, fingerprint_bits()); }

Result<BinaryFuseFilter> BinaryFuseFilter::clone() const noexcept {
  TAMIS_TRY(slots, slots_.clone());
  return BinaryFuseFilter(std::move(*slots), shape_, arity_, count_, hasher_);
}

Header BinaryFuseFilter::header() const noexcept {
  return Header::of(kType, hasher_, count_, count_, kRecordBytes + size_bytes());
}

void BinaryFuseFilter::write(ByteWriter& out) const noexcept {
  out.u32(shape_.segments);
  out.u32(shape_.segment_log | arity_ << 8 | fingerprint_bits() << 16);
  slots_.write(out);
}

Result<BinaryFuseFilter> BinaryFuseFilter::read(Container& from) noexcept {
  const std::uint32_t segments = from.payload.u32();
  const std::uint32_t rest = from.payload.u32();
  const sizing::FuseShape shape{segments, rest & 0xff};
  const std::uint32_t arity = rest >> 8 & 0xff, bits = rest >> 16 & 0xff, zero = rest >> 24;
  if (zero != 0 || !is_arity(arity) || !is_fingerprint_bits(bits) ||
      from.header.capacity != from.header.count ||
      shape.segment_log > (segments == 0 ? 0 : sizing::kMaxFuseSegmentLog) ||
      (segments == 0) != (from.header.count == 0)) {
    return Status::kCorrupt;
  }
  const std::uint64_t size = segments == 0 ? 0 : shape.slots(arity);
  if (size > sizing::kMaxFuseSlots) return Status::kCorrupt;
  TAMIS_TRY(slots, detail::PackedArray::read(from.payload, size, bits));
  return keep_valid(
      BinaryFuseFilter(std::move(*slots), shape, arity, from.header.count, from.hasher));
}

}  // namespace tamis
