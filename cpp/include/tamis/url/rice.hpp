// tamis/url/rice.hpp - Rice-Golomb coding of sorted integers, as Safe Browsing sends its lists.
//
// v5: strictly increasing integers of 32, 64, 128 or 256 bits. They are the bytes of hash prefixes
// as they stand, so that the order of the integers is that of the bytes. v4: 32 bits, and a prefix
// is the integer's bytes with the least significant first, so that the integers' order is another.
//
//   stream     for each delta d to the integer before it, with the parameter k. First d >> k in
//              unary (so many ones and a zero), then the low k bits of d, the lowest first. A byte
//              is filled from its least significant bit on; v5 ends with zero bits
//   parameter  v5: width - 29 to width - 2; v4: 2 to 28
//   size       log2(mean gap) + 1.5 bits an integer, where they are spread evenly
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

// As the wire has it. Where there is no delta, the parameter says nothing and is not looked at.
struct RiceDeltas {
  std::span<const std::byte> first_value;  // big-endian: 4, 8, 16 or 32 bytes
  std::uint32_t parameter = 0;
  std::uint64_t entries_count = 0;  // of deltas: one less than integers
  std::span<const std::byte> data;
};

// All integers, big-endian, one after the other. kCorrupt for all that is not as it must be, before
// memory is taken for more integers than the data can hold. kInvalidOption for another width of
// first_value, kOutOfMemory.
[[nodiscard]] Result<detail::Buffer<std::byte>> rice_decode(const RiceDeltas& deltas) noexcept;

// The same of v4: integers, such as the indices of removals.
[[nodiscard]] Result<detail::Buffer<std::byte>> rice_decode_v4(const RiceDeltas& deltas) noexcept;
// And prefixes of 4 bytes, sorted.
[[nodiscard]] Result<detail::Buffer<std::byte>> rice_decode_v4_prefixes(
    const RiceDeltas& deltas) noexcept;

struct RiceEncoded {
  std::uint32_t parameter;
  std::uint32_t entries_count;
  detail::Buffer<std::byte> data;
};

// v5, with the parameter that gives the fewest bits, the least of several. `values` holds one
// integer of `value_bytes` (4, 8, 16 or 32) bytes or more, big-endian; the first of them is the
// first_value. kInvalidOption, also where they are not strictly increasing; kTooLarge above 2^31
// integers, kOutOfMemory.
[[nodiscard]] Result<RiceEncoded> rice_encode(std::span<const std::byte> values,
                                              std::uint32_t value_bytes) noexcept;

// The same coding an integer at a time, so that a list is never unpacked as a whole.

// An integer of some limbs of 32 bits, the least significant first; those that it does not use are
// 0. A parameter is so large that the quotient lies within the top limb, and the lower ones are
// parts of the remainder. So all widths are one: only the top limb is divided, by 2 to the
// parameter without the bits of the others.
using Limbs = std::array<std::uint32_t, kHashBytes / 4>;

// What the parameter may be, without the bits of the lower limbs.
struct RiceParameters {
  std::uint32_t least;
  std::uint32_t most;
};
inline constexpr RiceParameters kRiceV4 = {2, 28}, kRiceV5 = {3, 30};

class RiceReader {
 public:
  // As rice_decode(), but `deltas.data` may have more bytes behind the integers.
  [[nodiscard]] static Result<RiceReader> open(const RiceDeltas& deltas,
                                               RiceParameters parameters = kRiceV5) noexcept;

  // The integer that it stands at, at first the first one, big-endian.
  void copy_to(std::byte* out) const noexcept;
  // Goes on to the next. False where the data end, or the sum has more bits than the width.
  [[nodiscard]] bool advance() noexcept;

  // The top limb of the last step.
  [[nodiscard]] std::uint32_t top_gap() const noexcept { return top_gap_; }
  // Of the data, up to the integer that it stands at.
  [[nodiscard]] std::size_t bytes_read() const noexcept {
    return static_cast<std::size_t>((at_ + 7) / 8);
  }
  // Whether the bits that fill the last of these are zeros.
  [[nodiscard]] bool is_padded_by_zeros() const noexcept;

 private:
  RiceReader() noexcept = default;

  [[nodiscard]] std::uint64_t size_bits() const noexcept { return 8 * std::uint64_t{data_.size()}; }
  // 33 bits or more from here on, zeros past the end.
  [[nodiscard]] std::uint64_t peek() const noexcept;
  // The low `count` bits, 0 to 32; only where so many remain.
  [[nodiscard]] std::uint32_t read(std::uint32_t count) noexcept;
  // How many ones come before a zero, which is read too; where the data end first, it is the one
  // past the end. False where there are more than `most`.
  [[nodiscard]] bool read_unary(std::uint32_t most, std::uint32_t& ones) noexcept;

  std::span<const std::byte> data_;
  std::uint64_t at_ = 0;  // in bits
  Limbs value_{};
  std::size_t limbs_ = 0;
  std::uint32_t top_parameter_ = 0;  // of the top limb
  std::uint32_t top_gap_ = 0;
};

// The differences of neighbours.
class RiceGaps {
 public:
  explicit RiceGaps(std::uint32_t value_bytes) noexcept : limbs_(value_bytes / 4) {}

  // From the integer before to this one; 0 for the first. False where it is not above 0.
  [[nodiscard]] bool next(const std::byte* value, Limbs& gap) noexcept;
  // Instead of next, where the gap is known; for all integers from here on.
  void skip() noexcept { ++values_; }

  [[nodiscard]] std::uint64_t values() const noexcept { return values_; }
  [[nodiscard]] std::uint64_t gaps() const noexcept { return values_ == 0 ? 0 : values_ - 1; }
  [[nodiscard]] std::size_t top() const noexcept { return limbs_ - 1; }

 private:
  std::size_t limbs_;
  std::uint64_t values_ = 0;
  Limbs before_{};
};

// Finds the parameter that gives the fewest bits, the least of several; of fewer than two integers
// the least there is.
class RiceMeter {
 public:
  explicit RiceMeter(std::uint32_t value_bytes) noexcept : gaps_(value_bytes) {}

  // False where the integer is not above the one before.
  [[nodiscard]] bool add(const std::byte* value) noexcept;
  // Instead of add, for all integers but the first: by the top limb of the gap.
  void add_gap(std::uint32_t top) noexcept;

  [[nodiscard]] std::uint32_t parameter() const noexcept;
  // What a RiceWriter makes of the integers.
  [[nodiscard]] std::uint64_t data_bytes() const noexcept;
  // Of the first integer; 0 where there is none.
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
  // To data_bytes() zeros, with the parameter() of a RiceMeter that was given the same integers.
  RiceWriter(std::span<std::byte> data, std::uint32_t parameter, std::uint32_t value_bytes) noexcept
      : data_(data), gaps_(value_bytes), top_parameter_(parameter % 32) {}

  void add(const std::byte* value) noexcept;

 private:
  // value < 2^count, count <= 32.
  void write(std::uint32_t value, std::uint32_t count) noexcept;

  std::span<std::byte> data_;
  std::uint64_t at_ = 0;  // in bits
  RiceGaps gaps_;
  std::uint32_t top_parameter_;
};

// A sorted list of integers as the containers of url/ hold it. Nothing where it is empty, else the
// first integer, big-endian, and the Rice data of the others.

// What the wire needs to know of a list before its integers.
struct RiceListSize {
  std::uint32_t parameter = 0;
  std::uint64_t bytes = 0;

  // `meter` was given all integers.
  [[nodiscard]] static RiceListSize of(const RiceMeter& meter) noexcept {
    return {meter.parameter(), meter.first_bytes() + meter.data_bytes()};
  }
};

class RiceListWriter {
 public:
  // To size.bytes zeros. add() each integer in order.
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

// Takes a list of `count` integers from the front of `in`, where nothing but what a RiceListWriter
// writes is one.
class RiceListReader {
 public:
  // kCorrupt where the bytes cannot hold so many: no memory may be taken for them before. `width`
  // is that of a prefix.
  [[nodiscard]] static Result<RiceListReader> open(ByteReader& in, std::uint64_t count,
                                                   std::uint32_t width,
                                                   std::uint32_t parameter) noexcept;

  // The next integer, big-endian; to be called `count` times. False where there is none.
  [[nodiscard]] bool next(std::byte* out) noexcept;

  // After that; kCorrupt for another parameter than a RiceListWriter's, and for what fills the last
  // byte.
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
