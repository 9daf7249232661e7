// tamis/filters/bit_array.hpp - bit array: an exact set over a small universe of indices.
//
// Choose it if the possible elements can be numbered 0..length-1 and many of them are present. Each
// number uses one bit, and no answer is wrong. Prefer a filter for strings or a large universe.
//
//   memory     length bits, rounded up to 64
//   set, test  touch one word; merge and intersect touch every word
//   never      answers for an index outside the array (kInvalidOption)
//   wire       type id 15, FORMAT.md "bit-array"
#pragma once

#include <tamis/concepts.hpp>
#include <tamis/detail/bit_words.hpp>

namespace tamis {

class BitArray {
 public:
  static constexpr FilterType kType = FilterType::kBitArray;

  struct Config {
    std::uint64_t length = 0;  // 0 is allowed

    auto fields() noexcept { return std::tie(length); }
  };

  // Returns kTooLarge above sizing::kMaxBits, or kOutOfMemory.
  [[nodiscard]] static Result<BitArray> create(const Config& config) noexcept {
    TAMIS_TRY(bits, detail::BitWords::zeroed(config.length));
    return BitArray(std::move(*bits), 0);
  }
  [[nodiscard]] static Result<std::uint64_t> size_for(const Config& config) noexcept {
    if (config.length > sizing::kMaxBits) return Status::kTooLarge;
    return detail::BitWords::byte_count(config.length);
  }

  [[nodiscard]] std::uint64_t length() const noexcept { return bits_.size(); }
  // The number of set bits.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return bits_.size_bytes(); }
  [[nodiscard]] const Hasher& hasher() const noexcept { return hasher_; }

  // test() returns the bit; functions that change a bit return its previous value. All return
  // kInvalidOption for an index outside 0..length-1.
  [[nodiscard]] Result<bool> test(std::uint64_t index) const noexcept {
    if (index >= length()) return Status::kInvalidOption;
    return bits_.test(index);
  }
  Result<bool> set(std::uint64_t index) noexcept {
    if (index >= length()) return Status::kInvalidOption;
    const bool was = bits_.set(index);
    if (!was) ++count_;
    return was;
  }
  Result<bool> unset(std::uint64_t index) noexcept {
    if (index >= length()) return Status::kInvalidOption;
    const bool was = bits_.test(index);
    if (was) {
      bits_.toggle(index);
      --count_;
    }
    return was;
  }
  Result<bool> toggle(std::uint64_t index) noexcept {
    if (index >= length()) return Status::kInvalidOption;
    const bool was = bits_.toggle(index);
    count_ = was ? count_ - 1 : count_ + 1;
    return was;
  }

  // The index of the first set bit at `from` or later, or length() if there is none.
  [[nodiscard]] std::uint64_t next(std::uint64_t from) const noexcept { return bits_.next(from); }

  // Writes '0' or '1' for each bit, starting at `from`, until `out` is full. Returns kInvalidOption
  // if `out` is longer than the rest of the array.
  [[nodiscard]] Status print(std::uint64_t from, std::span<char> out) const noexcept {
    if (from > length() || out.size() > length() - from) return Status::kInvalidOption;
    bits_.print(from, out);
    return Status::kOk;
  }

  // Set this array to the union or intersection. They return kIncompatible if the lengths differ.
  [[nodiscard]] Status merge(const BitArray& other) noexcept {
    if (length() != other.length()) return Status::kIncompatible;
    bits_.merge(other.bits_);
    count_ = bits_.popcount();
    return Status::kOk;
  }
  [[nodiscard]] Status intersect(const BitArray& other) noexcept {
    if (length() != other.length()) return Status::kIncompatible;
    bits_.intersect(other.bits_);
    count_ = bits_.popcount();
    return Status::kOk;
  }

  void clear() noexcept {
    bits_.clear();
    count_ = 0;
  }
  [[nodiscard]] Result<BitArray> clone() const noexcept {
    TAMIS_TRY(bits, bits_.clone());
    return BitArray(std::move(*bits), count_);
  }

  // Returns kCorrupt if a bit past the end is set, or if the count is not the number of set bits.
  [[nodiscard]] Status validate() const noexcept {
    return bits_.is_valid() && bits_.popcount() == count_ ? Status::kOk : Status::kCorrupt;
  }

  [[nodiscard]] Header header() const noexcept {
    return {
        .type = kType, .capacity = length(), .count = count_, .payload_bytes = bits_.size_bytes()};
  }
  void write(ByteWriter& out) const noexcept { bits_.write(out); }
  [[nodiscard]] static Result<BitArray> read(Container& from) noexcept {
    TAMIS_TRY(bits, detail::BitWords::read(from.payload, from.header.capacity));
    return keep_valid(BitArray(std::move(*bits), from.header.count));
  }
  friend bool operator==(const BitArray&, const BitArray&) noexcept = default;

 private:
  BitArray(detail::BitWords&& bits, std::uint64_t count) noexcept
      : bits_(std::move(bits)), count_(count) {}

  detail::BitWords bits_;
  std::uint64_t count_ = 0;
  Hasher hasher_{HashId::kNone};
};

static_assert(Structure<BitArray> && Mergeable<BitArray> && Intersectable<BitArray>);

}  // namespace tamis
