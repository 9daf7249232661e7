#include <tamis/filters/blocked_bloom.hpp>

#include <bit>

#include <tamis/detail/batch.hpp>
#include <tamis/detail/options.hpp>
#include <tamis/detail/split_block.hpp>
#include <tamis/hash/bloom_scheme.hpp>
#include <tamis/sizing/bit_estimates.hpp>

#include <tamis/filters/blocked_bloom_inline.hpp>
#ifdef TAMIS_ASKS_PROCESSOR
#include <tamis/detail/split_block_avx2.hpp>
#endif

namespace tamis {
namespace {

struct Place {
  std::size_t at;  // the index of the block's first word
  std::uint32_t h;
};

#ifdef TAMIS_ASKS_PROCESSOR
TAMIS_AVX2 void test_all_avx2(const std::uint32_t* words, std::span<const Place> places,
                              std::uint8_t* answers) noexcept {
  for (const auto [at, h] : places)
    *answers++ = detail::split_block_test_avx2(words + at, h, detail::kSalt) ? 1 : 0;
}
TAMIS_AVX2 std::uint64_t set_all_avx2(std::uint32_t* words,
                                      std::span<const Place> places) noexcept {
  std::uint64_t fresh = 0;
  for (const auto [at, h] : places)
    fresh += detail::split_block_set_avx2(words + at, h, detail::kSalt) ? 0u : 1u;
  return fresh;
}
#endif

void test_all(const std::uint32_t* words, std::span<const Place> places,
              std::uint8_t* answers) noexcept {
#ifdef TAMIS_ASKS_PROCESSOR
  if (__builtin_cpu_supports("avx2")) return test_all_avx2(words, places, answers);
#endif
  for (const auto [at, h] : places) *answers++ = detail::split_block_test(words + at, h) ? 1 : 0;
}

TAMIS_NOINLINE std::uint64_t count_bits(std::span<const std::uint32_t> words) noexcept {
  std::uint64_t bits = 0;
  for (const std::uint32_t word : words) bits += static_cast<unsigned>(std::popcount(word));
  return bits;
}

// Returns the number of places at which a bit was not set before.
std::uint64_t set_all(std::uint32_t* words, std::span<const Place> places) noexcept {
#ifdef TAMIS_ASKS_PROCESSOR
  if (__builtin_cpu_supports("avx2")) return set_all_avx2(words, places);
#endif
  std::uint64_t fresh = 0;
  for (const auto [at, h] : places) fresh += detail::split_block_set(words + at, h) ? 0u : 1u;
  return fresh;
}

}  // namespace

// Returns a function that computes the place of a hash and, in a large filter, prefetches its
// block.
auto BlockedBloomFilter::places() const noexcept {
  return [this, fetches = detail::is_prefetched(size_bytes())](Hash hash) {
    const std::uint64_t g = hasher_.mix(hash);
    const Place place{block_at(g), static_cast<std::uint32_t>(g)};
    if (fetches) detail::prefetch(words_.data() + place.at);
    return place;
  };
}

std::uint64_t BlockedBloomFilter::insert(std::span<const Hash> hashes) noexcept {
  assert(is_hash_once(hasher_.id()));
  if (!is_hash_once(hasher_.id())) return 0;
  std::uint64_t fresh = 0;
  detail::place_in_batches(hashes, places(),
                           [&](auto places) { fresh += set_all(words_.data(), places); });
  count_new(fresh);
  return fresh;
}

bool BlockedBloomFilter::insert_by_scheme(Key key) noexcept {
  const bool is_new = set(detail::hash_of_block(key));
  count_new(is_new ? 1 : 0);
  return is_new;
}

bool BlockedBloomFilter::may_contain_by_scheme(Key key) const noexcept {
  return are_set(detail::hash_of_block(key));
}

void BlockedBloomFilter::may_contain(std::span<const Hash> hashes,
                                     std::uint8_t* answers) const noexcept {
  if (!is_hash_once(hasher_.id())) {
    std::fill_n(answers, hashes.size(), std::uint8_t{1});
    return;
  }
  detail::place_in_batches(hashes, places(), [&](auto places) {
    test_all(words_.data(), places, answers);
    answers += places.size();
  });
}

namespace {

constexpr std::uint32_t kRecordBytes = 8;  // blocks u64
constexpr std::uint64_t kMaxBlocks = sizing::kMaxBits / sizing::kBlockBits;

Result<std::uint64_t> blocks_of(const BlockedBloomFilter::Config& config) noexcept {
  const bool is_hashed = config.hasher.id() == HashId::kParquet
                             ? config.hasher.seed() == 0
                             : detail::can_hash_once(config.hasher);
  if (!is_hashed || !detail::is_capacity(config.capacity) ||
      !detail::is_fpr(config.fpr, BlockedBloomFilter::kMinFpr)) {
    return Status::kInvalidOption;
  }
  const std::uint64_t blocks = sizing::blocked_bloom_blocks(config.capacity, config.fpr);
  if (blocks > kMaxBlocks) return Status::kTooLarge;
  return blocks;
}

}  // namespace

Result<BlockedBloomFilter> BlockedBloomFilter::of_blocks(std::uint64_t blocks,
                                                         std::uint64_t capacity,
                                                         const Hasher& hasher) noexcept {
  TAMIS_TRY(words, Words::zeroed(blocks * 8));
  return BlockedBloomFilter(std::move(*words), capacity, 0, hasher);
}

Result<BlockedBloomFilter> BlockedBloomFilter::create(const Config& config) noexcept {
  TAMIS_TRY(blocks, blocks_of(config));
  return of_blocks(*blocks, config.capacity, config.hasher);
}

Result<std::uint64_t> BlockedBloomFilter::size_for(const Config& config) noexcept {
  TAMIS_TRY(blocks, blocks_of(config));
  return *blocks * (sizing::kBlockBits / 8);
}

Status BlockedBloomFilter::merge(const BlockedBloomFilter& other) noexcept {
  if (hasher_ != other.hasher_ || blocks() != other.blocks()) return Status::kIncompatible;
  const std::uint64_t larger = std::max(count_bits(words_.span()), count_bits(other.words_.span()));
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  const std::uint64_t bits_set = count_bits(words_.span()), bits = blocks() * sizing::kBlockBits;
  // If one filter has all bits of the other, the count is the larger of the two.
  const double keys = bits_set == larger ? 0 : sizing::estimate_keys(bits_set, bits, 8);
  count_ = sizing::count_of_union(keys, count_, other.count_);
  return Status::kOk;
}

double BlockedBloomFilter::fpr() const noexcept {
  return sizing::blocked_bloom_fpr(static_cast<double>(blocks()), static_cast<double>(capacity_));
}

double BlockedBloomFilter::estimated_fpr() const noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < words_.size(); i += 8) {
    double product = 1;
    for (std::size_t lane = 0; lane < 8; ++lane) product *= std::popcount(words_[i + lane]) / 32.0;
    sum += product;
  }
  return sum / static_cast<double>(blocks());
}

void BlockedBloomFilter::clear() noexcept {
  std::fill_n(words_.data(), words_.size(), 0);
  count_ = 0;
}

Result<BlockedBloomFilter> BlockedBloomFilter::clone() const noexcept {
  TAMIS_TRY(copy, empty_copy());
  std::copy_n(words_.data(), words_.size(), copy->words_.data());
  copy->count_ = count_;
  return copy;
}

Result<BlockedBloomFilter> BlockedBloomFilter::empty_copy() const noexcept {
  return of_blocks(blocks(), capacity_, hasher_);
}

Status BlockedBloomFilter::validate() const noexcept {
  bool is_empty = true;
  for (std::size_t i = 0; i < words_.size(); i += 8) {
    const std::uint32_t* lanes = words_.data() + i;
    const auto used = std::count_if(lanes, lanes + 8, [](std::uint32_t lane) { return lane != 0; });
    if (used != 0 && used != 8) return Status::kCorrupt;
    is_empty = is_empty && used == 0;
  }
  const bool is_valid = blocks() > 0 && capacity_ > 0 && is_empty == (count_ == 0);
  return is_valid ? Status::kOk : Status::kCorrupt;
}

Header BlockedBloomFilter::header() const noexcept {
  return Header::of(kType, hasher_, capacity_, count_, kRecordBytes + size_bytes());
}

void BlockedBloomFilter::write(ByteWriter& out) const noexcept {
  out.u64(blocks());
  write_blocks(out);
}

void BlockedBloomFilter::write_blocks(ByteWriter& out) const noexcept { out.words(words_.span()); }

Result<BlockedBloomFilter> BlockedBloomFilter::read(Container& from) noexcept {
  const std::uint64_t blocks = from.payload.u64();
  return read_blocks(blocks, from.header.capacity, from.header.count, from.hasher, from.payload);
}

Result<BlockedBloomFilter> BlockedBloomFilter::read_blocks(std::uint64_t blocks,
                                                           std::uint64_t capacity,
                                                           std::uint64_t count,
                                                           const Hasher& hasher,
                                                           ByteReader& in) noexcept {
  if (in.overrun() || blocks > in.remaining() / (sizing::kBlockBits / 8)) return Status::kCorrupt;
  if (blocks > kMaxBlocks) return Status::kTooLarge;
  TAMIS_TRY(filter, of_blocks(blocks, capacity, hasher));
  in.words(filter->words_.span());
  filter->count_ = count;
  return keep_valid(std::move(*filter));
}

}  // namespace tamis
