#include <algorithm>
#include <bit>
#include <cstring>

#include <tamis/detail/endian.hpp>
#include <tamis/url/prefix_set.hpp>

namespace tamis::url {
namespace {

// Where the one number `rank` of the word is; there are more than `rank`. Vigna's broadword
// select: counts by byte, then the bits of one byte.
[[nodiscard]] std::uint64_t select_in_word(std::uint64_t word, std::uint64_t rank) noexcept {
  constexpr std::uint64_t kEach = 0x0101010101010101, kTops = 0x8080808080808080;
  std::uint64_t counts = word - (word >> 1 & 0x5555555555555555);
  counts = (counts & 0x3333333333333333) + (counts >> 2 & 0x3333333333333333);
  counts = ((counts + (counts >> 4)) & 0x0f0f0f0f0f0f0f0f) * kEach;  // up to and with each byte
  // A byte's top bit stays where its count is not above the rank.
  const std::uint64_t not_above = (((rank * kEach) | kTops) - counts) & kTops;
  const std::uint64_t byte = ((not_above >> 7) * kEach) >> 56;
  rank -= (counts << 8) >> (8 * byte) & 0xff;
  auto bits = static_cast<std::uint32_t>(word >> (8 * byte) & 0xff);
  for (; rank != 0; --rank) bits &= bits - 1;
  return 8 * byte + static_cast<std::uint64_t>(std::countr_zero(bits));
}

// Where the one number `rank` stands, counted from `words`; flip: ~0 for zeros instead.
[[nodiscard]] std::uint64_t select_from(const std::uint64_t* words, std::uint64_t rank,
                                        std::uint64_t flip) noexcept {
  for (std::uint64_t at = 0;; at += 64, ++words) {
    const auto ones = static_cast<std::uint64_t>(std::popcount(*words ^ flip));
    if (rank < ones) return at + select_in_word(*words ^ flip, rank);
    rank -= ones;
  }
}

}  // namespace

std::uint64_t PrefixSet::select_zero(std::uint64_t zero) const noexcept {
  // The last block with at most `zero` zeros before it; the samples leave one or two, mostly.
  const auto sample = static_cast<std::size_t>(zero / kSample);
  std::uint32_t from = samples_[sample], to = samples_[sample + 1];
  while (from < to) {
    const std::uint32_t middle = to - (to - from) / 2;
    if (block_zeros_[middle] <= zero) {
      from = middle;
    } else {
      to = middle - 1;
    }
  }
  return std::uint64_t{from} * kBlockBits +
         select_from(unary_.data() + std::size_t{from} * (kBlockBits / 64),
                     zero - block_zeros_[from], ~std::uint64_t{0});
}

std::uint64_t PrefixSet::select_one(std::uint64_t one) const noexcept {
  std::uint32_t from = 0, to = static_cast<std::uint32_t>(block_zeros_.size() - 1);
  const auto ones_before = [this](std::uint32_t block) {
    return std::uint64_t{block} * kBlockBits - block_zeros_[block];
  };
  while (from < to) {
    const std::uint32_t middle = to - (to - from) / 2;
    if (ones_before(middle) <= one) {
      from = middle;
    } else {
      to = middle - 1;
    }
  }
  return std::uint64_t{from} * kBlockBits +
         select_from(unary_.data() + std::size_t{from} * (kBlockBits / 64), one - ones_before(from),
                     0);
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
