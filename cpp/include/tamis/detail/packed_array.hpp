// tamis/detail/packed_array.hpp - an array of fields of 1 to 32 bits (counters, fingerprints).
//
// Field i is bits [i width, (i + 1) width) of the array, where bit j is bit j % 8 of byte j / 8.
// Bits past the end in the last 64-bit word are zero. Each read or write of a field is one
// unaligned 64-bit access, so the memory is 8 bytes longer than the array.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#include <tamis/detail/buffer.hpp>
#include <tamis/detail/chunks.hpp>
#include <tamis/detail/endian.hpp>
#include <tamis/limits.hpp>
#include <tamis/wire.hpp>

namespace tamis::detail {

class PackedArray {
 public:
  PackedArray() noexcept = default;

  // `width` is in 1..32. Returns kTooLarge above kMaxBits, or kOutOfMemory.
  [[nodiscard]] static Result<PackedArray> zeroed(std::uint64_t size,
                                                  std::uint32_t width) noexcept {
    if (size > sizing::kMaxBits / width) return Status::kTooLarge;
    TAMIS_TRY(bytes, Buffer<std::byte>::zeroed(byte_count(size, width) + 8));
    return PackedArray(std::move(*bytes), size, width);
  }

  // The size in memory and in a file: whole 64-bit words. It needs size * width <= 2^63.
  [[nodiscard]] static constexpr std::uint64_t byte_count(std::uint64_t size,
                                                          std::uint32_t width) noexcept {
    return (size * width + 63) / 64 * 8;
  }

  [[nodiscard]] Result<PackedArray> clone() const noexcept {
    auto copy = zeroed(size_, width_);
    if (copy.ok()) std::copy_n(bytes_.data(), bytes_.size(), copy->bytes_.data());
    return copy;
  }

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint32_t width() const noexcept { return width_; }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return byte_count(size_, width_); }
  // The largest value of a field.
  [[nodiscard]] std::uint32_t max() const noexcept { return static_cast<std::uint32_t>(mask_); }

  // The functions below need a valid field: i < size(), or the first bit of such a field.
  [[nodiscard]] std::uint32_t get(std::uint64_t i) const noexcept { return get_at(i * width_); }
  [[nodiscard]] std::uint32_t get_at(std::uint64_t bit) const noexcept {
    return static_cast<std::uint32_t>(load(bit) & mask_);
  }
  // The next two also need value <= max().
  void set(std::uint64_t i, std::uint32_t value) noexcept { set_at(i * width_, value); }
  void set_at(std::uint64_t bit, std::uint32_t value) noexcept {
    const unsigned shift = bit % 8;
    std::byte* at = bytes_.data() + static_cast<std::size_t>(bit / 8);
    store_le64(at, (load_le64(at) & ~(mask_ << shift)) | (std::uint64_t{value} << shift));
  }
  // Reads 64 - bit % 8 bits, starting at any bit of the array. Bits past the end are zero.
  [[nodiscard]] std::uint64_t load(std::uint64_t bit) const noexcept {
    return load_le64(at(bit)) >> (bit % 8);
  }
  // The byte that contains this bit.
  [[nodiscard]] const std::byte* at(std::uint64_t bit) const noexcept {
    return bytes_.data() + static_cast<std::size_t>(bit / 8);
  }

  void clear() noexcept { std::fill_n(bytes_.data(), bytes_.size(), std::byte{0}); }

  // The number of fields that are not zero. It checks several fields per word.
  [[nodiscard]] std::uint64_t count_nonzero() const noexcept {
    // load() gives 64 bits if the width divides 64, since every group of fields then starts at a
    // whole byte. Otherwise it gives at least 57.
    const std::uint32_t together = (64 % width_ == 0 ? 64 : 57) / width_;
    std::uint64_t tops = 0;  // the highest bit of each field
    for (std::uint32_t i = 1; i <= together; ++i) tops |= std::uint64_t{1} << (i * width_ - 1);
    const std::uint64_t step = together * width_;
    const std::uint64_t rests = tops - (tops >> (width_ - 1));  // the other bits of each field
    std::uint64_t count = 0;
    in_chunks(static_cast<std::size_t>((size_ * width_ + step - 1) / step),
              [=, this, &count](std::size_t from, std::size_t to) {
                for (std::size_t i = from; i < to; ++i) {
                  const std::uint64_t word = load(i * step);
                  // If a lower bit of a field is set, the sum carries into its highest bit, no
                  // further.
                  const std::uint64_t used = (((word & rests) + rests) | word) & tops;
                  count += static_cast<std::uint64_t>(std::popcount(used));
                }
              });
    return count;
  }

  void write(ByteWriter& out) const noexcept {
    const auto to = out.take(static_cast<std::size_t>(size_bytes()));
    if (!to.empty()) std::memcpy(to.data(), bytes_.data(), to.size());
  }

  // Returns kCorrupt if `in` is too short, the width is not 1 to 32, or bits past the end are set.
  // Otherwise, it can fail with kTooLarge or kOutOfMemory.
  [[nodiscard]] static Result<PackedArray> read(ByteReader& in, std::uint64_t size,
                                                std::uint32_t width) noexcept {
    const std::uint64_t bits = std::uint64_t{in.remaining()} * 8;
    if (in.overrun() || width == 0 || width > 32 || size > bits / width ||
        byte_count(size, width) > in.remaining()) {
      return Status::kCorrupt;
    }
    TAMIS_TRY(array, zeroed(size, width));
    const auto from = in.take(static_cast<std::size_t>(array->size_bytes()));
    if (!from.empty()) std::memcpy(array->bytes_.data(), from.data(), from.size());
    if (!array->is_valid()) return Status::kCorrupt;
    return array;
  }

  // The size_bytes() bytes that write() writes. A caller that changes them must keep is_valid()
  // true.
  [[nodiscard]] std::span<std::byte> bytes() noexcept {
    return bytes_.span().first(static_cast<std::size_t>(size_bytes()));
  }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
    return bytes_.span().first(static_cast<std::size_t>(size_bytes()));
  }

  // True if the bits past the end are zero.
  [[nodiscard]] bool is_valid() const noexcept {
    const std::uint64_t used = size_ * width_;
    return used % 64 == 0 || load_le64(bytes_.data() + used / 64 * 8) >> (used % 64) == 0;
  }

  friend bool operator==(const PackedArray&, const PackedArray&) noexcept = default;

 private:
  PackedArray(Buffer<std::byte>&& bytes, std::uint64_t size, std::uint32_t width) noexcept
      : bytes_(std::move(bytes)),
        size_(size),
        mask_((std::uint64_t{1} << width) - 1),
        width_(width) {}

  Buffer<std::byte> bytes_;
  std::uint64_t size_ = 0;
  std::uint64_t mask_ = 0;
  std::uint32_t width_ = 1;
};

}  // namespace tamis::detail
