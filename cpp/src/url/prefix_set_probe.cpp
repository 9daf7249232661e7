#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include <tamis/detail/endian.hpp>
#include <tamis/url/prefix_set.hpp>

namespace tamis::url {
namespace {

constexpr std::uint64_t kEach = 0x0101010101010101, kTops = 0x8080808080808080;

// How many of the eight bytes, all below 128, are not above `rank`.
[[nodiscard]] std::uint64_t count_not_above(std::uint64_t bytes, std::uint64_t rank) noexcept {
  const std::uint64_t not_above = (((rank * kEach) | kTops) - bytes) & kTops;
  return ((not_above >> 7) * kEach) >> 56;
}

// Where the one number `rank` of the word is; there are more than `rank`. Vigna's broadword select,
// without a branch: the sums up to each byte, then those up to each bit of one byte.
[[nodiscard]] std::uint64_t select_in_word(std::uint64_t word, std::uint64_t rank) noexcept {
  std::uint64_t sums = word - (word >> 1 & 0x5555555555555555);
  sums = (sums & 0x3333333333333333) + (sums >> 2 & 0x3333333333333333);
  sums = ((sums + (sums >> 4)) & 0x0f0f0f0f0f0f0f0f) * kEach;
  const std::uint64_t shift = 8 * count_not_above(sums, rank);
  rank -= (sums << 8) >> shift & 0xff;
  const std::uint64_t bits = ((word >> shift & 0xff) * kEach) & 0x8040201008040201;
  // The top bit of each byte that is not 0: 127 carries into it, but for the bit that is there.
  const std::uint64_t tops = (((bits & ~kTops) + ~kTops) | bits) & kTops;
  return shift + count_not_above((tops >> 7) * kEach, rank);
}

// Where the one number `rank` from the bit `start` on is; flip: ~0 for zeros instead.
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

// The last of the numbers from..to for which is_before holds; it holds for `from`.
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
  // Zeros that are spread evenly are near: there is no need to look where the block begins.
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

  // The first entry of the bucket that is not below the hash.
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
    // The zeros before it are the buckets before its own.
    const auto head = static_cast<std::uint32_t>((at - i) << low_bits()) | lows_.get(i);
    detail::store<std::endian::big>(out, head);
    if (tail_bytes != 0) {
      std::memcpy(out + 4, tails_.data() + static_cast<std::size_t>(i) * tail_bytes, tail_bytes);
    }
    out += prefix_bytes_;
  }
}

}  // namespace tamis::url
