#include <tamis/url/prefix_set.hpp>

#include <bit>
#include <cstring>
#include <utility>

#include <tamis/detail/endian.hpp>

namespace tamis::url {
namespace {

constexpr std::uint64_t kEach = 0x0101010101010101, kTops = 0x8080808080808080;

// How many of the eight bytes are at most `rank`. All bytes, and `rank`, must be below 128.
[[nodiscard]] std::uint64_t count_not_above(std::uint64_t bytes, std::uint64_t rank) noexcept {
  const std::uint64_t not_above = (((rank * kEach) | kTops) - bytes) & kTops;
  return ((not_above >> 7) * kEach) >> 56;
}

// The position of the set bit with index `rank` in the word, which must have more than `rank` set
// bits. It is Vigna's broadword select, without a branch: it sums up the set bits to each byte, and
// then to each bit of one byte.
[[nodiscard]] std::uint64_t select_in_word(std::uint64_t word, std::uint64_t rank) noexcept {
  std::uint64_t sums = word - (word >> 1 & 0x5555555555555555);
  sums = (sums & 0x3333333333333333) + (sums >> 2 & 0x3333333333333333);
  sums = ((sums + (sums >> 4)) & 0x0f0f0f0f0f0f0f0f) * kEach;
  const std::uint64_t shift = 8 * count_not_above(sums, rank);
  rank -= (sums << 8) >> shift & 0xff;
  const std::uint64_t bits = ((word >> shift & 0xff) * kEach) & 0x8040201008040201;
  // Sets the top bit of each byte that is not 0: adding 127 to the low 7 bits carries into the top
  // bit if any of them is set.
  const std::uint64_t tops = (((bits & ~kTops) + ~kTops) | bits) & kTops;
  return shift + count_not_above((tops >> 7) * kEach, rank);
}

// The position of the set bit with index `rank`, counted from the bit `start` on. With ~0 as
// `flip`, it finds zeros.
[[nodiscard]] std::uint64_t select_from(std::span<const std::uint64_t> words, std::uint64_t start,
                                        std::uint64_t rank, std::uint64_t flip) noexcept {
  auto i = static_cast<std::size_t>(start / 64);
  std::uint64_t word = (words[i] ^ flip) & ~std::uint64_t{0} << (start % 64);
  for (;;) {
    const auto ones = static_cast<std::uint64_t>(std::popcount(word));
    if (rank < ones) return i * std::uint64_t{64} + select_in_word(word, rank);
    rank -= ones;
    word = words[++i] ^ flip;
  }
}

// The last number in from..to for which is_before is true. It must be true for `from`.
template <class Test>
[[nodiscard]] std::uint64_t last_before(std::uint64_t from, std::uint64_t to,
                                        Test is_before) noexcept {
  while (from < to) {
    const std::uint64_t middle = to - (to - from) / 2;
    if (is_before(middle)) {
      from = middle;
    } else {
      to = middle - 1;
    }
  }
  return from;
}

}  // namespace

std::uint64_t PrefixSet::select_zero(std::uint64_t zero) const noexcept {
  const auto sample = static_cast<std::size_t>(zero / kSample);
  const std::uint64_t start = samples_[sample], end = samples_[sample + 1];
  // If the zeros are close together, as usual, it scans from the sample and needs no block.
  if (end - start <= kNearBits) {
    return select_from(unary_, start, zero % kSample, ~std::uint64_t{0});
  }
  return select_zero(zero, start, end);
}

std::uint64_t PrefixSet::select_zero(std::uint64_t zero, std::uint64_t start,
                                     std::uint64_t end) const noexcept {
  const std::uint64_t block = last_before(start / kBlockBits, end / kBlockBits,
                                          [&](std::uint64_t i) { return zeros_before(i) <= zero; });
  return select_from(unary_, block * kBlockBits, zero - zeros_before(block), ~std::uint64_t{0});
}

std::uint64_t PrefixSet::select_one(std::uint64_t one) const noexcept {
  const auto ones_before = [this](std::uint64_t i) { return i * kBlockBits - zeros_before(i); };
  const std::uint64_t block = last_before(0, block_zeros_.size() - 1,
                                          [&](std::uint64_t i) { return ones_before(i) <= one; });
  return select_from(unary_, block * kBlockBits, one - ones_before(block), 0);
}

std::uint64_t PrefixSet::run_from(std::uint64_t start, std::uint64_t zero) const noexcept {
  const unsigned shift = start % 64;
  const auto run =
      static_cast<unsigned>(std::countr_one(unary_[static_cast<std::size_t>(start / 64)] >> shift));
  return shift + run < 64 ? run : select_zero(zero) - start;
}

std::uint64_t PrefixSet::index_of(const std::byte* hash) const noexcept {
  if (size() == 0) return kNone;
  const auto head = detail::load<std::endian::big, std::uint32_t>(hash);
  const std::uint64_t bucket = std::uint64_t{head} >> low_bits();
  const std::uint32_t low = head & lows_.max();
  const std::uint64_t start = bucket == 0 ? 0 : select_zero(bucket - 1) + 1;
  const std::size_t tail_bytes = prefix_bytes_ - 4;

  // Searches the entries of the bucket.
  const std::uint64_t first = start - bucket;
  std::uint64_t from = first, to = first + run_from(start, bucket);
  const auto compare = [&](std::uint64_t i) {
    const std::uint32_t other = lows_.get(i);
    if (other != low) return other < low ? -1 : 1;
    if (tail_bytes == 0) return 0;
    return std::memcmp(tails_.data() + static_cast<std::size_t>(i) * tail_bytes, hash + 4,
                       tail_bytes);
  };
  while (from < to) {
    const std::uint64_t middle = from + (to - from) / 2;
    const int order = compare(middle);
    if (order == 0) return middle;
    if (order < 0) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return kNone;
}

void PrefixSet::copy_to(std::uint64_t from, std::uint64_t count, std::byte* out) const noexcept {
  if (count == 0) return;
  const std::size_t tail_bytes = prefix_bytes_ - 4;
  std::uint64_t at = select_one(from);
  auto word = static_cast<std::size_t>(at / 64);
  std::uint64_t rest = unary_[word] & ~std::uint64_t{0} << (at % 64);
  for (std::uint64_t i = from; i < from + count; ++i) {
    while (rest == 0) rest = unary_[++word];
    at = word * std::uint64_t{64} + static_cast<std::uint64_t>(std::countr_zero(rest));
    rest &= rest - 1;
    // The count of zeros in unary_ before the 1 of an entry is the index of the entry's bucket.
    const auto head = static_cast<std::uint32_t>((at - i) << low_bits()) | lows_.get(i);
    detail::store<std::endian::big>(out, head);
    if (tail_bytes != 0) {
      std::memcpy(out + 4, tails_.data() + static_cast<std::size_t>(i) * tail_bytes, tail_bytes);
    }
    out += prefix_bytes_;
  }
}

void PrefixSet::make_directories() noexcept {
  // The zeros that fill the last block come after all zeros that are needed.
  const std::uint64_t last = buckets() - 1;
  std::uint64_t zeros = 0, wanted = 0;
  std::size_t sample = 0;
  for (std::size_t i = 0; i < unary_.size(); ++i) {
    constexpr std::size_t kBlockWords = kBlockBits / 64;
    if (i % kBlockWords == 0) block_zeros_[i / kBlockWords] = static_cast<std::uint32_t>(zeros);
    const std::uint64_t flipped = ~unary_[i];
    const std::uint64_t end = zeros + static_cast<std::uint64_t>(std::popcount(flipped));
    for (; sample < samples_.size() && wanted < end; ++sample) {
      const std::uint64_t at = i * std::uint64_t{64} + select_in_word(flipped, wanted - zeros);
      samples_[sample] = static_cast<std::uint32_t>(at);
      wanted = std::min<std::uint64_t>(wanted + kSample, last);
    }
    zeros = end;
  }
}

bool PrefixSet::copy_checked(std::byte* out) const noexcept {
  if (size() == 0) return true;
  const std::span<const std::uint64_t> words = unary_;
  const std::byte *const lows = lows_.bytes().data(), *tail = tails_.data();
  const std::uint64_t size = lows_.size(), max = lows_.max();
  const std::uint32_t width = low_bits();
  const std::size_t bytes = prefix_bytes_, tail_bytes = bytes - 4;
  std::uint64_t i = 0, low_at = 0, before = 0;
  for (std::size_t word = 0; word < words.size(); ++word) {
    for (std::uint64_t rest = words[word]; rest != 0; rest &= rest - 1) {
      if (i == size) return false;
      const std::uint64_t at =
          word * std::uint64_t{64} + static_cast<std::uint64_t>(std::countr_zero(rest));
      const std::uint64_t low =
          detail::load_le64(lows + static_cast<std::size_t>(low_at / 8)) >> (low_at % 8) & max;
      const std::uint64_t head = (at - i) << width | low;
      if (head >> 32 != 0) return false;  // after the last bucket
      detail::store<std::endian::big>(out, static_cast<std::uint32_t>(head));
      if (tail_bytes != 0) std::memcpy(out + 4, tail, tail_bytes);
      if (head <= before && i != 0 && std::memcmp(out - bytes, out, bytes) >= 0) return false;
      before = head;
      out += bytes;
      tail += tail_bytes;
      low_at += width;
      ++i;
    }
  }
  // After the low bits, zeros must fill the last word.
  return i == size &&
         detail::load_le64(lows + static_cast<std::size_t>(low_at / 64 * 8)) >> (low_at % 64) == 0;
}

Result<PrefixSet> PrefixSet::zeroed(std::uint64_t size, std::uint32_t prefix_bytes) noexcept {
  if (!is_prefix_bytes(prefix_bytes)) return Status::kInvalidOption;
  if (size > kMaxSize) return Status::kTooLarge;
  PrefixSet set;
  set.prefix_bytes_ = prefix_bytes;
  if (size == 0) return set;

  // There are as many buckets as entries, or up to twice as many.
  const auto bucket_bits = static_cast<std::uint32_t>(std::bit_width(size - 1));
  const std::uint64_t buckets = std::uint64_t{1} << bucket_bits;
  const std::uint64_t blocks = (size + buckets + kBlockBits - 1) / kBlockBits;
  const std::uint64_t samples = (buckets + kSample - 1) / kSample + 1;
  const std::uint64_t tail_bytes = size * (prefix_bytes - 4);
  const std::uint64_t words = blocks * (kBlockBits / 64);
  TAMIS_TRY(lows, detail::PackedArray::zeroed(size, 32 - bucket_bits));
  TAMIS_TRY(memory, detail::Buffer<std::uint64_t>::zeroed(
                        words + (4 * (blocks + samples) + tail_bytes + 7) / 8));
  set.lows_ = std::move(*lows);
  set.memory_ = std::move(*memory);
  set.unary_ = set.memory_.span().first(static_cast<std::size_t>(words));
  set.tails_ = {reinterpret_cast<std::byte*>(set.unary_.data() + set.unary_.size()),
                static_cast<std::size_t>(tail_bytes)};
  auto* const numbers = reinterpret_cast<std::uint32_t*>(set.tails_.data() + set.tails_.size());
  set.block_zeros_ = {numbers, static_cast<std::size_t>(blocks)};
  set.samples_ = {numbers + set.block_zeros_.size(), static_cast<std::size_t>(samples)};
  return set;
}

Result<PrefixSet> PrefixSet::build(std::span<const std::byte> bytes,
                                   std::uint32_t prefix_bytes) noexcept {
  if (!is_prefix_bytes(prefix_bytes) || bytes.size() % prefix_bytes != 0) {
    return Status::kInvalidOption;
  }
  TAMIS_TRY(builder, Builder::create(bytes.size() / prefix_bytes, prefix_bytes));
  for (std::size_t at = 0; at < bytes.size(); at += prefix_bytes) {
    if (!builder->push(bytes.data() + at)) return Status::kInvalidOption;
  }
  return std::move(*builder).finish();
}

detail::Sha256Digest PrefixSet::checksum() const noexcept {
  detail::Sha256 hash;
  for (PrefixReader in(*this); !in.is_at_end(); in.skip_chunk()) hash.update(in.chunk());
  return hash.finish();
}

std::uint64_t PrefixSet::size_bytes() const noexcept {
  return lows_.size_bytes() + unary_.size_bytes() + block_zeros_.size_bytes() +
         samples_.size_bytes() + tails_.size();
}

Result<PrefixSet> PrefixSet::clone() const noexcept {
  auto copy = zeroed(size(), prefix_bytes_);
  if (!copy.ok() || size() == 0) return copy;
  TAMIS_TRY(lows, lows_.clone());
  copy->lows_ = std::move(*lows);
  std::copy_n(memory_.data(), memory_.size(), copy->memory_.data());
  return copy;
}

Result<PrefixSet::Builder> PrefixSet::Builder::create(std::uint64_t size,
                                                      std::uint32_t prefix_bytes) noexcept {
  TAMIS_TRY(set, PrefixSet::zeroed(size, prefix_bytes));
  return Builder(std::move(*set));
}

bool PrefixSet::Builder::push(const std::byte* entry) noexcept {
  const std::size_t tail_bytes = set_.prefix_bytes_ - 4;
  if (pushed_ == set_.size()) return false;
  const auto head = detail::load<std::endian::big, std::uint32_t>(entry);
  std::byte* const tail = set_.tails_.data() + static_cast<std::size_t>(pushed_) * tail_bytes;
  if (pushed_ != 0 && head <= before_) {
    const bool is_above = head == before_ && tail_bytes != 0 &&
                          std::memcmp(tail - tail_bytes, entry + 4, tail_bytes) < 0;
    if (!is_above) return false;
  }
  before_ = head;

  set_.lows_.set(pushed_, head & set_.lows_.max());
  const std::uint64_t one = (std::uint64_t{head} >> set_.low_bits()) + pushed_;
  set_.unary_[static_cast<std::size_t>(one / 64)] |= std::uint64_t{1} << (one % 64);
  if (tail_bytes != 0) std::memcpy(tail, entry + 4, tail_bytes);
  ++pushed_;
  return true;
}

PrefixSet PrefixSet::Builder::finish() && noexcept {
  if (pushed_ != 0) set_.make_directories();
  return std::move(set_);
}

void PrefixSet::write_image(std::byte* out) const noexcept {
  const auto lows = lows_.bytes();
  const auto rest = unary_and_tails();
  std::copy_n(rest.data(), rest.size(), std::copy_n(lows.data(), lows.size(), out));
}

bool PrefixSet::Builder::take_image(std::span<const std::byte> image, std::byte* out) noexcept {
  if (image.size() != set_.image_bytes()) return false;
  const auto lows = set_.lows_.bytes(), rest = set_.unary_and_tails();
  std::copy_n(image.data(), lows.size(), lows.data());
  std::copy_n(image.data() + lows.size(), rest.size(), rest.data());
  pushed_ = set_.size();
  return set_.copy_checked(out);
}

}  // namespace tamis::url
