// tamis/url/rice_list.hpp - a sorted list of integers as the containers of url/ hold it: nothing
// where it is empty, else the first integer, big-endian, and the Rice data of the others.
#pragma once

#include <algorithm>
#include <array>
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

// Takes a list of `count` integers from the front of `in`: open() once, after it is certain that
// the bytes can hold so many, then take(value) for each; the first status that is not kOk ends it.
// kCorrupt for what a RiceListWriter would not write.
template <class Open, class Take>
[[nodiscard]] Result<RiceListSize> read_list(ByteReader& in, std::uint64_t count,
                                             std::uint32_t width, std::uint32_t parameter,
                                             Open open, Take take) noexcept {
  RiceMeter meter(width);
  if (count == 0) {
    if (const Status status = open(); status != Status::kOk) return status;
  } else {
    const auto first = in.take(width);
    if (first.empty()) return Status::kCorrupt;
    auto rest = in;
    auto reader = RiceReader::open({first, parameter, count - 1, rest.take(rest.remaining())});
    if (!reader.ok()) return reader.status();
    if (const Status status = open(); status != Status::kOk) return status;
    std::array<std::byte, kHashBytes> value;
    for (std::uint64_t i = 0; i < count; ++i) {
      if (i != 0 && !reader->advance()) return Status::kCorrupt;
      reader->copy_to(value.data());
      if (!meter.add(value.data())) return Status::kCorrupt;
      if (const Status status = take(value.data()); status != Status::kOk) return status;
    }
    if (!reader->is_padded_by_zeros()) return Status::kCorrupt;
    (void)in.take(reader->bytes_read());
  }
  if (meter.parameter() != parameter) return Status::kCorrupt;
  return RiceListSize::of(meter);
}

}  // namespace tamis::url
