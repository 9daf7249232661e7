// tamis/url/rice.hpp - Rice-Golomb coding of sorted integers, as Safe Browsing sends its lists.
//
// v5 has strictly increasing integers of 32, 64, 128 or 256 bits. They are the bytes of hash
// prefixes in their order, so the integers have the order of the bytes. v4 has 32 bits, and a
// prefix is the bytes of the integer with the least significant first. So its integers have another
// order.
//
//   stream     codes each delta d to the integer before it, with the parameter k. First it has d >> k
//              in unary, as ones and then a zero. Then it has the low k bits of d, the lowest first.
//              A byte is filled from its least significant bit on; v5 ends with zero bits
//   parameter  v5: width - 29 to width - 2; v4: 2 to 28
//   size       log2(mean gap) + 1.5 bits an integer, if they are spread evenly
//   never      reads or gives a list that is not strictly increasing
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

// The deltas of a message. If there is no delta, the parameter means nothing and is not read.
struct RiceDeltas {
  std::span<const std::byte> first_value;  // big-endian: 4, 8, 16 or 32 bytes
  std::uint32_t parameter = 0;
  std::uint64_t entries_count = 0;  // the number of deltas, one less than integers
  std::span<const std::byte> data;
};

// Gives all integers, big-endian, one after the other. Returns kCorrupt for any fault, before it
// takes memory for more integers than the data can hold. Returns kInvalidOption for another width
// of first_value, or kOutOfMemory.
[[nodiscard]] Result<Bytes> rice_decode(const RiceDeltas& deltas) noexcept;

// Does the same for v4. The integers are, for example, the indices of removals.
[[nodiscard]] Result<Bytes> rice_decode_v4(const RiceDeltas& deltas) noexcept;
// Gives sorted prefixes of 4 bytes.
[[nodiscard]] Result<Bytes> rice_decode_v4_prefixes(const RiceDeltas& deltas) noexcept;

struct RiceEncoded {
  std::uint32_t parameter;
  std::uint32_t entries_count;
  Bytes data;
};

// Codes for v5, with the parameter that gives the fewest bits; of several, the least. `values`
// holds at least one integer of `value_bytes` (4, 8, 16 or 32) bytes, big-endian. The first is the
// first_value. Returns kInvalidOption, also if they are not strictly increasing, kTooLarge above
// 2^31 integers, or kOutOfMemory.
[[nodiscard]] Result<RiceEncoded> rice_encode(std::span<const std::byte> values,
                                              std::uint32_t value_bytes) noexcept;

// The classes below code one integer at a time, so that a list is never unpacked as a whole.

// An integer as limbs of 32 bits, the least significant first. Unused limbs are 0. The parameter is
// so large that the quotient lies within the top limb, and the lower limbs are parts of the
// remainder. So all widths are alike: only the top limb is divided, by 2 to the parameter without
// the bits of the others.
using Limbs = std::array<std::uint32_t, kHashBytes / 4>;

// The range of the parameter, without the bits of the lower limbs.
struct RiceParameters {
  std::uint32_t least;
  std::uint32_t most;
};
inline constexpr RiceParameters kRiceV4 = {2, 28}, kRiceV5 = {3, 30};

class RiceReader {
 public:
  // Opens the data as rice_decode() does. But `deltas.data` may have more bytes behind the
  // integers.
  [[nodiscard]] static Result<RiceReader> open(const RiceDeltas& deltas,
                                               RiceParameters parameters = kRiceV5) noexcept;

  // Writes the present integer, big-endian. At first it is the first one.
  void copy_to(std::byte* out) const noexcept;
  // Goes on to the next. False if the data end, or if the sum has more bits than the width.
  [[nodiscard]] bool advance() noexcept;

  // The top limb of the last step.
  [[nodiscard]] std::uint32_t top_gap() const noexcept { return top_gap_; }
  // The bytes of the data that were read, up to the present integer.
  [[nodiscard]] std::size_t bytes_read() const noexcept {
    return static_cast<std::size_t>((at_ + 7) / 8);
  }
  // True if the bits that fill the last byte are zeros.
  [[nodiscard]] bool is_padded_by_zeros() const noexcept;

 private:
  RiceReader() noexcept = default;

  [[nodiscard]] std::uint64_t size_bits() const noexcept { return 8 * std::uint64_t{data_.size()}; }
  // At least 33 bits from the present place on, with zeros past the end.
  [[nodiscard]] std::uint64_t peek() const noexcept;
  // Reads the low `count` bits, 0 to 32. That many bits must remain.
  [[nodiscard]] std::uint32_t read(std::uint32_t count) noexcept;
  // Reads the ones before a zero, and the zero. If the data end first, the zero is past the end.
  // False if there are more than `most` ones.
  [[nodiscard]] bool read_unary(std::uint32_t most, std::uint32_t& ones) noexcept;

  std::span<const std::byte> data_;
  std::uint64_t at_ = 0;  // the place in bits
  Limbs value_{};
  std::size_t limbs_ = 0;
  std::uint32_t top_parameter_ = 0;  // of the top limb
  std::uint32_t top_gap_ = 0;
};

// Computes the differences of neighbours.
class RiceGaps {
 public:
  explicit RiceGaps(std::uint32_t value_bytes) noexcept : limbs_(value_bytes / 4) {}

  // The gap from the integer before to this one, or 0 for the first. False if it is not above 0.
  [[nodiscard]] bool next(const std::byte* value, Limbs& gap) noexcept;
  // Call this instead of next() if the gap is known, then for all further integers.
  void skip() noexcept { ++values_; }

  [[nodiscard]] std::uint64_t values() const noexcept { return values_; }
  [[nodiscard]] std::uint64_t gaps() const noexcept { return values_ == 0 ? 0 : values_ - 1; }
  [[nodiscard]] std::size_t top() const noexcept { return limbs_ - 1; }

 private:
  std::size_t limbs_;
  std::uint64_t values_ = 0;
  Limbs before_{};
};

// Finds the parameter that gives the fewest bits; of several, the least. For fewer than two
// integers it is the least that is allowed.
class RiceMeter {
 public:
  explicit RiceMeter(std::uint32_t value_bytes) noexcept : gaps_(value_bytes) {}

  // False if the integer is not above the one before.
  [[nodiscard]] bool add(const std::byte* value) noexcept;
  // Takes the place of add() for all integers but the first. `top` is the top limb of the gap.
  void add_gap(std::uint32_t top) noexcept;

  [[nodiscard]] std::uint32_t parameter() const noexcept;
  // The bytes that a RiceWriter makes of the integers.
  [[nodiscard]] std::uint64_t data_bytes() const noexcept;
  // The bytes of the first integer, or 0 if there is none.
  [[nodiscard]] std::uint64_t first_bytes() const noexcept {
    return gaps_.values() == 0 ? 0 : 4 * (gaps_.top() + 1);
  }

 private:
  void count_ones(std::uint32_t top) noexcept;
  [[nodiscard]] std::uint32_t best() const noexcept;  // of the top limb
  [[nodiscard]] std::uint64_t bits(std::uint32_t top_parameter) const noexcept;

  RiceGaps gaps_;
  std::array<std::uint64_t, kRiceV5.most + 1> ones_{};  // of all quotients, for each parameter
};

class RiceWriter {
 public:
  // Writes to data_bytes() zeros, with the parameter() of a RiceMeter of the same integers.
  RiceWriter(std::span<std::byte> data, std::uint32_t parameter, std::uint32_t value_bytes) noexcept
      : data_(data), gaps_(value_bytes), top_parameter_(parameter % 32) {}

  void add(const std::byte* value) noexcept;

 private:
  // Needs value < 2^count and count <= 32.
  void write(std::uint32_t value, std::uint32_t count) noexcept;

  std::span<std::byte> data_;
  std::uint64_t at_ = 0;  // the place in bits
  RiceGaps gaps_;
  std::uint32_t top_parameter_;
};

// A sorted list of integers in the containers of url/. An empty list has no bytes. Any other has
// the first integer, big-endian, and the Rice data of the others.

// The numbers that a file has in front of the integers of a list.
struct RiceListSize {
  std::uint32_t parameter = 0;
  std::uint64_t bytes = 0;

  // `meter` must have had all integers.
  [[nodiscard]] static RiceListSize of(const RiceMeter& meter) noexcept {
    return {meter.parameter(), meter.first_bytes() + meter.data_bytes()};
  }
};

class RiceListWriter {
 public:
  // Writes to size.bytes zeros. add() takes each integer in order.
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

// Takes a list of `count` integers from the front of `in`. It accepts only lists that a
// RiceListWriter writes.
class RiceListReader {
 public:
  // Returns kCorrupt if the bytes cannot hold this number of integers. No memory may be taken for
  // them before. `width` is that of a prefix.
  [[nodiscard]] static Result<RiceListReader> open(ByteReader& in, std::uint64_t count,
                                                   std::uint32_t width,
                                                   std::uint32_t parameter) noexcept;

  // Gives the next integer, big-endian. It is called `count` times. False if there is none.
  [[nodiscard]] bool next(std::byte* out) noexcept;

  // Ends the list. Returns kCorrupt for another parameter than a RiceListWriter's, and for bits
  // after the last integer that are not zero.
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
