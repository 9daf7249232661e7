// tamis/url/rice_list.hpp - a sorted list of integers as the containers of url/ hold it: nothing
// where it is empty, else the first integer, big-endian, and the Rice data of the others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tamis/status.hpp>
#include <tamis/url/rice_stream.hpp>
#include <tamis/wire.hpp>

namespace tamis::url {

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
  // kCorrupt where the bytes cannot hold so many: no memory is to be taken for them before. `width`
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
