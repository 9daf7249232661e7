#include <tamis/url/prefix_set.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include <tamis/detail/endian.hpp>

namespace tamis::url {

Result<PrefixSet> PrefixSet::zeroed(std::uint64_t size, std::uint32_t prefix_bytes) noexcept {
  if (!is_prefix_bytes(prefix_bytes)) return Status::kInvalidOption;
  if (size > kMaxSize) return Status::kTooLarge;
  PrefixSet set;
  set.prefix_bytes_ = prefix_bytes;
  if (size == 0) return set;

  // As many buckets as entries, or up to twice as many.
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
  auto* const numbers = reinterpret_cast<std::uint32_t*>(set.unary_.data() + set.unary_.size());
  set.block_zeros_ = {numbers, static_cast<std::size_t>(blocks)};
  set.samples_ = {numbers + set.block_zeros_.size(), static_cast<std::size_t>(samples)};
  set.tails_ = {reinterpret_cast<std::byte*>(set.samples_.data() + set.samples_.size()),
                static_cast<std::size_t>(tail_bytes)};
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
  if (pushed_ == 0) return std::move(set_);
  const auto words = set_.unary_;
  std::uint64_t zeros = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    constexpr std::size_t kBlockWords = kBlockBits / 64;
    if (i % kBlockWords == 0)
      set_.block_zeros_[i / kBlockWords] = static_cast<std::uint32_t>(zeros);
    zeros += static_cast<std::uint64_t>(std::popcount(~words[i]));
  }
  // The zeros past the end are behind all that are looked for.
  const std::uint64_t last = set_.buckets() - 1, end = words.size() * std::uint64_t{64} - 1;
  std::uint64_t start = 0;
  for (std::size_t i = 0; i < set_.samples_.size(); ++i) {
    start = set_.select_zero(std::min<std::uint64_t>(i * kSample, last), start, end);
    set_.samples_[i] = static_cast<std::uint32_t>(start);
  }
  return std::move(set_);
}

}  // namespace tamis::url
