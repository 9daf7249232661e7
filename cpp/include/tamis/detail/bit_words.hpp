// tamis/detail/bit_words.hpp - an array of bits in 64-bit words, for Bloom filters and bit arrays.
// Bit i is bit i % 64 of word i / 64, and so bit i % 8 of byte i / 8. Bits past the end are zero.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tamis/detail/buffer.hpp>
#include <tamis/detail/portability.hpp>
#include <tamis/limits.hpp>
#include <tamis/wire.hpp>

namespace tamis::detail {

class BitWords {
 public:
  BitWords() noexcept = default;

  // Returns kTooLarge or kOutOfMemory.
  [[nodiscard]] static Result<BitWords> zeroed(std::uint64_t bits) noexcept {
    if (bits > sizing::kMaxBits) return Status::kTooLarge;
    TAMIS_TRY(words, Buffer<std::uint64_t>::zeroed(word_count(bits)));
    return BitWords(std::move(*words), bits);
  }

  [[nodiscard]] static constexpr std::uint64_t word_count(std::uint64_t bits) noexcept {
    return bits / 64 + (bits % 64 != 0 ? 1 : 0);
  }
  [[nodiscard]] static constexpr std::uint64_t byte_count(std::uint64_t bits) noexcept {
    return word_count(bits) * 8;
  }

  [[nodiscard]] Result<BitWords> clone() const noexcept {
    auto copy = zeroed(bits_);
    if (copy.ok()) std::copy_n(words_.data(), words_.size(), copy->words_.data());
    return copy;
  }

  [[nodiscard]] std::uint64_t size() const noexcept { return bits_; }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return words_.size() * 8; }

  // The words, for a caller that fills them in. The bits past the end must stay zero.
  [[nodiscard]] std::span<std::uint64_t> words() noexcept { return words_.span(); }
  [[nodiscard]] std::span<const std::uint64_t> words() const noexcept { return words_.span(); }

  // The functions below need i < size().
  [[nodiscard]] bool test(std::uint64_t i) const noexcept { return (word(i) >> (i % 64) & 1) != 0; }
  // Sets the bit, and returns its previous value.
  bool set(std::uint64_t i) noexcept {
    const bool was = test(i);
    word(i) |= std::uint64_t{1} << (i % 64);
    return was;
  }
  bool toggle(std::uint64_t i) noexcept {
    const bool was = test(i);
    word(i) ^= std::uint64_t{1} << (i % 64);
    return was;
  }

  // The index of the first set bit at `from` or later, or size() if there is none.
  [[nodiscard]] std::uint64_t next(std::uint64_t from) const noexcept {
    if (from >= bits_) return bits_;
    std::uint64_t rest = word(from) & ~std::uint64_t{0} << (from % 64);
    for (; rest == 0; rest = word(from)) {
      from = (from / 64 + 1) * 64;
      if (from >= bits_) return bits_;
    }
    return from / 64 * 64 + static_cast<std::uint64_t>(std::countr_zero(rest));
  }

  TAMIS_NOINLINE [[nodiscard]] std::uint64_t popcount() const noexcept {
    return sum(words_.span(), [](auto w) { return w; });
  }
  // The number of set bits in from..to - 1. It needs from < to <= size().
  [[nodiscard]] std::uint64_t popcount(std::uint64_t from, std::uint64_t to) const noexcept {
    const auto first = static_cast<std::size_t>(from / 64);
    const auto last = static_cast<std::size_t>((to - 1) / 64);
    const std::uint64_t not_before = ~std::uint64_t{0} << (from % 64);
    const std::uint64_t not_behind = ~std::uint64_t{0} >> (63 - (to - 1) % 64);
    const auto ones = [](std::uint64_t w) { return static_cast<std::uint64_t>(std::popcount(w)); };
    if (first == last) return ones(words_[first] & not_before & not_behind);
    return ones(words_[first] & not_before) + ones(words_[last] & not_behind) +
           sum(words_.span().subspan(first + 1, last - first - 1), [](auto w) { return w; });
  }
  // The number of bits that are set in this array or in the other. Both must have the same size.
  TAMIS_NOINLINE [[nodiscard]] std::uint64_t popcount_union(const BitWords& other) const noexcept {
    const std::uint64_t* theirs = other.words_.data();
    return sum(words_.span(), [theirs](auto w) mutable { return w | *theirs++; });
  }

  void merge(const BitWords& other) noexcept {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  void intersect(const BitWords& other) noexcept {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
  }
  void clear() noexcept { std::fill_n(words_.data(), words_.size(), 0); }
  void fill() noexcept {
    std::fill_n(words_.data(), words_.size(), ~std::uint64_t{0});
    if (bits_ % 64 != 0) words_[words_.size() - 1] = last_mask();
  }

  // Writes '0' or '1' for each bit, starting at `from`, until `out` is full. Needs from +
  // out.size() <= size().
  void print(std::uint64_t from, std::span<char> out) const noexcept {
    for (char& c : out) c = test(from++) ? '1' : '0';
  }

  // True if the bits past the end are zero.
  [[nodiscard]] bool is_valid() const noexcept {
    return bits_ % 64 == 0 || (words_[words_.size() - 1] & ~last_mask()) == 0;
  }

  void write(ByteWriter& out) const noexcept { out.words(words_.span()); }

  // Returns kCorrupt if `in` is too short, or if bits past the end are set.
  [[nodiscard]] static Result<BitWords> read(ByteReader& in, std::uint64_t bits) noexcept {
    if (in.overrun() || in.remaining() < byte_count(bits)) return Status::kCorrupt;
    TAMIS_TRY(array, zeroed(bits));
    in.words(array->words_.span());
    if (!array->is_valid()) return Status::kCorrupt;
    return array;
  }

  friend bool operator==(const BitWords&, const BitWords&) noexcept = default;

 private:
  BitWords(Buffer<std::uint64_t>&& words, std::uint64_t bits) noexcept
      : words_(std::move(words)), bits_(bits) {}

  template <class Transform>
  [[nodiscard]] static std::uint64_t sum(std::span<const std::uint64_t> words,
                                         Transform transform) noexcept {
    std::uint64_t total = 0;
    for (const std::uint64_t w : words)
      total += static_cast<std::uint64_t>(std::popcount(transform(w)));
    return total;
  }

  [[nodiscard]] std::uint64_t& word(std::uint64_t i) noexcept {
    return words_[static_cast<std::size_t>(i / 64)];
  }
  [[nodiscard]] const std::uint64_t& word(std::uint64_t i) const noexcept {
    return words_[static_cast<std::size_t>(i / 64)];
  }
  [[nodiscard]] std::uint64_t last_mask() const noexcept {
    return (std::uint64_t{1} << (bits_ % 64)) - 1;
  }

  Buffer<std::uint64_t> words_;
  std::uint64_t bits_ = 0;
};

}  // namespace tamis::detail
