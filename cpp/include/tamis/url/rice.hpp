// tamis/url/rice.hpp - Rice-Golomb coding of sorted integers, as Safe Browsing sends its lists.
//
// In v5 the integers have 32, 64, 128 or 256 bits and are strictly increasing. They are hash
// prefixes read as big-endian numbers, so they sort as the prefixes do. In v4 they have 32 bits;
// prefixes are read as little-endian numbers, so they sort differently.
//
//   stream     codes the difference d to the previous integer with the parameter k: first d >> k in
//              unary, as ones and then a zero; then the low k bits of d, lowest first. Bytes are
//              filled from their least significant bit on; v5 pads the last byte with zeros
//   parameter  v5: width - 29 to width - 2; v4: 2 to 28
//   size       log2(mean difference) + 1.5 bits an integer, if the integers are spread evenly
//   never      reads or returns a list that is not strictly increasing
//   threads    free functions
//
// Golomb, IEEE Trans. Inf. Theory 12, 1966; Rice, JPL 79-22, 1979; the messages RiceDeltaEncoded*
// of Safe Browsing v5.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tamis/detail/buffer.hpp>
#include <tamis/limits.hpp>
#include <tamis/status.hpp>
#include <tamis/wire.hpp>

namespace tamis::url {

// The deltas of a message. If it has no deltas, the parameter is ignored.
struct RiceDeltas {
  std::span<const std::byte> first_value;  // big-endian: 4, 8, 16 or 32 bytes
  std::uint32_t parameter = 0;
  std::uint64_t entries_count = 0;  // the number of deltas, one less than the number of integers
  std::span<const std::byte> data;
};

// Returns all integers, big-endian, one after the other. Returns kCorrupt for any fault, before it
// allocates memory for more integers than the data can contain. Returns kInvalidOption if
// first_value does not have 4, 8, 16 or 32 bytes, or kOutOfMemory.
[[nodiscard]] Result<Bytes> rice_decode(const RiceDeltas& deltas) noexcept;

// rice_decode() for v4, for example for the indices of removals.
[[nodiscard]] Result<Bytes> rice_decode_v4(const RiceDeltas& deltas) noexcept;
// rice_decode() for v4, returning sorted prefixes of 4 bytes.
[[nodiscard]] Result<Bytes> rice_decode_v4_prefixes(const RiceDeltas& deltas) noexcept;

struct RiceEncoded {
  std::uint32_t parameter;
  std::uint32_t entries_count;
  Bytes data;
};

// Encodes for v5. Of the parameters that give the fewest bits, it uses the smallest. `values`
// contains one or more integers of `value_bytes` (4, 8, 16 or 32) bytes, big-endian; the first
// becomes first_value. Returns kInvalidOption (also if they are not strictly increasing), kTooLarge
// above 2^31 integers, or kOutOfMemory.
[[nodiscard]] Result<RiceEncoded> rice_encode(std::span<const std::byte> values,
                                              std::uint32_t value_bytes) noexcept;

// The classes below code one integer at a time, so that a list is never completely unpacked.

// An integer as 32-bit limbs (digits), least significant first; unused limbs are 0. All widths work
// the same way: the parameter is so large that the quotient is within the top limb, and the lower
// limbs belong to the remainder. So only the top limb is divided, by 2^(parameter - bits of the
// lower limbs).
using Limbs = std::array<std::uint32_t, kHashBytes / 4>;

// The range of the parameter, minus the bits of the lower limbs.
struct RiceParameters {
  std::uint32_t least;
  std::uint32_t most;
};
inline constexpr RiceParameters kRiceV4 = {2, 28}, kRiceV5 = {3, 30};

class RiceReader {
 public:
  // Opens the data like rice_decode(), but `deltas.data` may have more bytes after the integers.
  [[nodiscard]] static Result<RiceReader> open(const RiceDeltas& deltas,
                                               RiceParameters parameters = kRiceV5) noexcept;

  // Writes the current integer, big-endian. After open() that is the first one.
  void copy_to(std::byte* out) const noexcept;
  // Moves to the next integer. False if the data ends, or if the sum exceeds the width.
  [[nodiscard]] bool advance() noexcept;

  // The top limb of the last difference.
  [[nodiscard]] std::uint32_t top_gap() const noexcept { return top_gap_; }
  // How many bytes of the data were read, up to the current integer.
  [[nodiscard]] std::size_t bytes_read() const noexcept {
    return static_cast<std::size_t>((at_ + 7) / 8);
  }
  // True if the unused bits of the last byte are zeros.
  [[nodiscard]] bool is_padded_by_zeros() const noexcept;

 private:
  RiceReader() noexcept = default;

  [[nodiscard]] std::uint64_t size_bits() const noexcept { return 8 * std::uint64_t{data_.size()}; }
  // At least 33 bits from the current position on, with zeros past the end.
  [[nodiscard]] std::uint64_t peek() const noexcept;
  // Reads a number of `count` bits, 0 to 32. At least `count` bits must remain.
  [[nodiscard]] std::uint32_t read(std::uint32_t count) noexcept;
  // Counts the ones before the next zero, and skips the zero. If the data ends first, the position
  // is past the end. False if there are more than `most` ones.
  [[nodiscard]] bool read_unary(std::uint32_t most, std::uint32_t& ones) noexcept;

  std::span<const std::byte> data_;
  std::uint64_t at_ = 0;  // the position in bits
  Limbs value_{};
  std::size_t limbs_ = 0;
  std::uint32_t top_parameter_ = 0;  // the parameter for the top limb
  std::uint32_t top_gap_ = 0;
};

// Computes the differences between consecutive integers.
class RiceGaps {
 public:
  explicit RiceGaps(std::uint32_t value_bytes) noexcept : limbs_(value_bytes / 4) {}

  // Computes the difference to the previous integer, 0 for the first. False if it is not above 0.
  [[nodiscard]] bool next(const std::byte* value, Limbs& gap) noexcept;
  // Replaces next() if the difference is known. After one call, only skip() may be used.
  void skip() noexcept { ++values_; }

  [[nodiscard]] std::uint64_t values() const noexcept { return values_; }
  [[nodiscard]] std::uint64_t gaps() const noexcept { return values_ == 0 ? 0 : values_ - 1; }
  [[nodiscard]] std::size_t top() const noexcept { return limbs_ - 1; }

 private:
  std::size_t limbs_;
  std::uint64_t values_ = 0;
  Limbs before_{};
};

// Of the parameters that give the fewest bits, finds the smallest. For fewer than two integers, it
// is the smallest allowed parameter.
class RiceMeter {
 public:
  explicit RiceMeter(std::uint32_t value_bytes) noexcept : gaps_(value_bytes) {}

  // False if the integer is not above the integer before it.
  [[nodiscard]] bool add(const std::byte* value) noexcept;
  // Replaces add() after the first integer, if `top` is known: the top limb of the difference.
  void add_gap(std::uint32_t top) noexcept;

  [[nodiscard]] std::uint32_t parameter() const noexcept;
  // The number of bytes that a RiceWriter needs for the integers.
  [[nodiscard]] std::uint64_t data_bytes() const noexcept;
  // The size of the first integer, or 0 if there is none.
  [[nodiscard]] std::uint64_t first_bytes() const noexcept {
    return gaps_.values() == 0 ? 0 : 4 * (gaps_.top() + 1);
  }

 private:
  void count_ones(std::uint32_t top) noexcept;
  [[nodiscard]] std::uint32_t best() const noexcept;  // the best parameter for the top limb
  [[nodiscard]] std::uint64_t bits(std::uint32_t top_parameter) const noexcept;

  RiceGaps gaps_;
  std::array<std::uint64_t, kRiceV5.most + 1> ones_{};  // per parameter: the sum of the quotients
};

class RiceWriter {
 public:
  // `data` must be zeros; its size and `parameter` must come from a RiceMeter of the same integers.
  RiceWriter(std::span<std::byte> data, std::uint32_t parameter, std::uint32_t value_bytes) noexcept
      : data_(data), gaps_(value_bytes), top_parameter_(parameter % 32) {}

  void add(const std::byte* value) noexcept;

 private:
  // Needs value < 2^count and count <= 32.
  void write(std::uint32_t value, std::uint32_t count) noexcept;

  std::span<std::byte> data_;
  std::uint64_t at_ = 0;  // the position in bits
  RiceGaps gaps_;
  std::uint32_t top_parameter_;
};

// A sorted list of integers as it is stored in the files of url/. An empty list has no bytes. Any
// other list is the first integer, big-endian, followed by the Rice data of the others.

// The numbers that a file stores before the integers of a list.
struct RiceListSize {
  std::uint32_t parameter = 0;
  std::uint64_t bytes = 0;

  // All integers must have been added to `meter`.
  [[nodiscard]] static RiceListSize of(const RiceMeter& meter) noexcept {
    return {meter.parameter(), meter.first_bytes() + meter.data_bytes()};
  }
};

class RiceListWriter {
 public:
  // `to` must be size.bytes zeros. Call add() for each integer in order.
  RiceListWriter(std::span<std::byte> to, const RiceListSize& size, std::uint32_t width) noexcept
      : first_(to.first(std::min<std::size_t>(to.size(), width))),
        rest_(to.subspan(first_.size()), size.parameter, width) {}

  void add(const std::byte* value) noexcept {
    std::copy_n(value, first_.size(), first_.data());
    first_ = {};
    rest_.add(value);
  }

 private:
  std::span<std::byte> first_;
  RiceWriter rest_;
};

// Reads `count` integers from the front of `in`. It accepts only what a RiceListWriter writes.
class RiceListReader {
 public:
  // `width` is the size of a prefix. Returns kCorrupt if the bytes cannot contain this number of
  // integers; allocate no memory for them before this call.
  [[nodiscard]] static Result<RiceListReader> open(ByteReader& in, std::uint64_t count,
                                                   std::uint32_t width,
                                                   std::uint32_t parameter) noexcept;

  // Writes the next integer, big-endian. Call it `count` times. False if there is none.
  [[nodiscard]] bool next(std::byte* out) noexcept;

  // Ends the list. Returns kCorrupt if a RiceListWriter would choose another parameter, or if bits
  // after the last integer are not zero.
  [[nodiscard]] Result<RiceListSize> finish(ByteReader& in) noexcept;

 private:
  RiceListReader(const RiceReader& reader, std::uint32_t width, std::uint32_t parameter) noexcept
      : reader_(reader), meter_(width), parameter_(parameter) {}

  RiceReader reader_;
  RiceMeter meter_;
  std::uint32_t parameter_;
  bool is_first_ = true;
};

}  // namespace tamis::url
