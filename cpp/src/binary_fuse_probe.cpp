// What is done with each key, apart from the rest of the binary fuse filter: the wasm build compiles this for
// speed and that for size.

#include <tamis/filters/binary_fuse.hpp>

#include <algorithm>

#include <tamis/detail/portability.hpp>
#include <tamis/detail/sort_hashes.hpp>

namespace tamis {
namespace {

// Loops over many keys stand in functions of their own, called for so many: engines compile a wasm function anew
// while it is hot, but go on in the slow code of one long call.
constexpr std::uint64_t kChunk = 4096;

template <class Act>
void in_chunks(std::uint64_t size, Act act) noexcept {
  for (std::uint64_t from = 0; from < size; from += kChunk) act(from, std::min(from + kChunk, size));
}

// Finds a slot for each key that no key after it in some order uses: whoever has a slot alone takes it and is
// taken away, which leaves other slots to one key. Keys are known by their numbers, half as long as they are.
class Peeler {
 public:
  Peeler(sizing::FuseShape shape, std::uint32_t arity, std::span<const std::uint64_t> keys) noexcept
      : places_(shape), arity_(arity), keys_(keys), size_(shape.slots(arity)) {}

  // kBuildFailed where the last keys have no slot alone, kOutOfMemory.
  [[nodiscard]] Status peel() noexcept {
    auto counts = detail::Buffer<std::uint8_t>::zeroed(size_);
    auto sums = detail::Buffer<std::uint32_t>::zeroed(size_);
    auto order = detail::Buffer<std::uint32_t>::zeroed(size_ + 1);
    for (const Status status : {counts.status(), sums.status(), order.status()}) {
      if (status != Status::kOk) return status;
    }
    counts_ = std::move(*counts);
    sums_ = std::move(*sums);
    order_ = std::move(*order);
    bool is_counted = true;
    in_chunks(keys_.size(), [&](std::uint64_t from, std::uint64_t to) { is_counted = is_counted && count(from, to); });
    if (!is_counted) return Status::kBuildFailed;
    while (head_ != tail_ || next_ != size_) peel_some();
    if (done_ != keys_.size()) return Status::kBuildFailed;
    counts_ = {};
    return Status::kOk;
  }

  // The last key that was taken away shares its slot with none, so they are served from there.
  void assign(detail::PackedArray& slots) const noexcept {
    in_chunks(done_, [&](std::uint64_t from, std::uint64_t to) { assign(slots, done_ - from, done_ - to); });
  }

 private:
  // False where more keys share a slot than a count holds.
  TAMIS_NOINLINE bool count(std::uint64_t from, std::uint64_t to) noexcept {
    bool is_over = false;
    for (auto key = static_cast<std::uint32_t>(from); key < to; ++key) {
      const auto slots = places_.slots(keys_[key]);
      for (std::uint32_t i = 0; i < arity_; ++i) {
        is_over |= ++counts_[slots[i]] == 0;
        sums_[slots[i]] ^= key;
      }
    }
    return !is_over;
  }

  TAMIS_NOINLINE void peel_some() noexcept {
    for (std::uint64_t i = 0; i < kChunk; ++i) {
      if (head_ == tail_) {
        if (next_ == size_) return;
        order_[tail_] = static_cast<std::uint32_t>(next_);
        tail_ += counts_[next_++] == 1 ? 1 : 0;
        continue;
      }
      const std::uint32_t own = order_[head_++];
      if (counts_[own] != 1) continue;
      const std::uint32_t key = sums_[own];
      const auto slots = places_.slots(keys_[key]);
      for (std::uint32_t j = 0; j < arity_; ++j) {
        const std::uint32_t slot = slots[j];
        sums_[slot] ^= key;
        order_[tail_] = slot;
        tail_ += --counts_[slot] == 1 ? 1 : 0;
      }
      sums_[own] = key;
      order_[done_++] = own;
    }
  }

  TAMIS_NOINLINE void assign(detail::PackedArray& filled, std::uint64_t from, std::uint64_t to) const noexcept {
    for (std::uint64_t i = from; i-- > to;) {
      const std::uint32_t own = order_[i];
      const std::uint64_t g = keys_[sums_[own]];
      const auto slots = places_.slots(g);
      std::uint32_t value = FusePlaces::fingerprint(g);
      for (std::uint32_t j = 0; j < arity_; ++j) value ^= filled.get(slots[j]);
      filled.set(own, value & filled.max());
    }
  }

  FusePlaces places_;
  std::uint32_t arity_;
  std::span<const std::uint64_t> keys_;
  std::uint64_t size_;
  detail::Buffer<std::uint8_t> counts_;  // of the keys that use each slot and are not taken away
  detail::Buffer<std::uint32_t> sums_;   // of their numbers, by XOR: with one left, its number
  // The slots that keys were taken away by, done_ of them; from head_ to tail_, slots that have or had one key
  // left. Each slot comes in at most once, and next_ is where the search for more goes on.
  detail::Buffer<std::uint32_t> order_;
  std::uint64_t done_ = 0, head_ = 0, tail_ = 0, next_ = 0;
};

// Slots are loaded by one unaligned access each: where in a byte they begin is known for whole bytes.
template <std::uint32_t kArity, std::uint32_t kWidth>
struct Layout {
  static bool is_in(const detail::PackedArray& slots, const FusePlaces& places, std::uint64_t g) noexcept {
    const auto at = places.slots(g);
    return is_in(slots, at, FusePlaces::fingerprint(g));
  }
  static bool is_in(const detail::PackedArray& slots, const FusePlaces::Slots& at, std::uint32_t fingerprint) noexcept {
    const std::uint64_t width = kWidth != 0 ? kWidth : slots.width();
    std::uint64_t sum = fingerprint ^ slots.load(at[0] * width) ^ slots.load(at[1] * width) ^ slots.load(at[2] * width);
    if constexpr (kArity == 4) sum ^= slots.load(at[3] * width);
    return (static_cast<std::uint32_t>(sum) & slots.max()) == 0;
  }
};

}  // namespace

template <class Probe>
inline auto BinaryFuseFilter::with_layout(Probe probe) const noexcept {
  const auto with_arity = [&]<std::uint32_t kArity>(std::integral_constant<std::uint32_t, kArity>) {
    switch (slots_.width()) {
      case 8: return probe(Layout<kArity, 8>());
      case 16: return probe(Layout<kArity, 16>());
      case 32: return probe(Layout<kArity, 32>());
      default: return probe(Layout<kArity, 0>());
    }
  };
  return arity_ == 3 ? with_arity(std::integral_constant<std::uint32_t, 3>())
                     : with_arity(std::integral_constant<std::uint32_t, 4>());
}

bool BinaryFuseFilter::may_contain(Hash hash) const noexcept {
  if (count_ == 0) return false;
  const std::uint64_t g = hasher_.mix(hash);
  return with_layout([&](auto layout) { return layout.is_in(slots_, places_, g); });
}

void BinaryFuseFilter::may_contain(std::span<const std::uint64_t> hashes, std::uint8_t* answers) const noexcept {
  if (count_ == 0) {
    std::fill_n(answers, hashes.size(), std::uint8_t{0});
    return;
  }
  with_layout([&](auto layout) {
    constexpr std::size_t kTogether = 32;
    FusePlaces::Slots at[kTogether];
    std::uint32_t fingerprints[kTogether];
    for (std::size_t from = 0; from < hashes.size(); from += kTogether) {
      const auto some = hashes.subspan(from, std::min(kTogether, hashes.size() - from));
      for (std::size_t i = 0; i < some.size(); ++i) {
        const std::uint64_t g = hasher_.mix(Hash{some[i]});
        at[i] = places_.slots(g);
        fingerprints[i] = FusePlaces::fingerprint(g);
      }
      for (std::size_t i = 0; i < some.size(); ++i) {
        answers[from + i] = layout.is_in(slots_, at[i], fingerprints[i]) ? 1 : 0;
      }
    }
  });
}

bool BinaryFuseFilter::contains_all(std::span<const std::uint64_t> mixed) const noexcept {
  bool has_all = true;
  const auto ask = [&](std::uint64_t from, std::uint64_t to) { has_all = has_all && contains(mixed.subspan(from, to - from)); };
  in_chunks(mixed.size(), ask);
  return has_all;
}

TAMIS_NOINLINE bool BinaryFuseFilter::contains(std::span<const std::uint64_t> mixed) const noexcept {
  return with_layout([&](auto layout) {
    bool has_all = true;
    for (const std::uint64_t g : mixed) has_all &= layout.is_in(slots_, places_, g);
    return has_all;
  });
}

Result<BinaryFuseFilter> BinaryFuseFilter::build_once(std::span<const std::uint64_t> mixed, sizing::FuseShape shape,
                                                      std::uint32_t arity, std::uint32_t bits,
                                                      const Hasher& hasher) noexcept {
  Peeler peeler(shape, arity, mixed);
  if (const Status status = peeler.peel(); status != Status::kOk) return status;
  auto slots = detail::PackedArray::zeroed(shape.slots(arity), bits);
  if (!slots.ok()) return slots.status();
  peeler.assign(*slots);
  BinaryFuseFilter filter(std::move(*slots), shape, arity, mixed.size(), hasher);
  if (!filter.contains_all(mixed)) return Status::kBuildFailed;
  return filter;
}

Result<BinaryFuseFilter> BinaryFuseFilter::build(const Config& config, std::span<std::uint64_t> hashes) noexcept {
  const auto bits = bits_of(config);
  if (!bits.ok()) return bits.status();
  std::uint64_t seed = config.hasher.seed();
  const auto mixed = hashes.first(detail::mix_distinct(hashes, seed));
  const std::uint32_t arity = config.arity != 0 ? config.arity : sizing::fuse_arity(mixed.size());
  if (mixed.empty()) {
    auto slots = detail::PackedArray::zeroed(0, *bits);
    if (!slots.ok()) return slots.status();
    return BinaryFuseFilter(std::move(*slots), {0, 0}, arity, 0, config.hasher);
  }
  for (std::uint32_t attempt = 0; attempt < sizing::kFuseAttempts; ++attempt) {
    const auto shape = sizing::fuse_shape(mixed.size(), arity, attempt);
    if (shape.segments == 0 || shape.slots(arity) > sizing::kMaxBits / *bits) return Status::kTooLarge;
    if (attempt > 0) {
      const std::uint64_t next = splitmix64(config.hasher.seed() + attempt);
      detail::remix(mixed, seed, next);
      seed = next;
    }
    auto filter = build_once(mixed, shape, arity, *bits, config.hasher.with_seed(seed));
    if (filter.status() != Status::kBuildFailed) return filter;
  }
  return Status::kBuildFailed;
}

}  // namespace tamis
