// bindings/first_fit_heap.hpp - an allocator that is small: the readers', which hold few blocks.
//
// It has the interface of linear_heap.hpp, and adds no address and size either before it is known that
// their sum lies in the memory. Blocks stand side by side up to the top: a header of 4 bytes, the
// block's size and whether it is in use, then the payload. Allocating goes through all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tamis::bindings {

// `Memory` is that of LinearHeap. No threads.
template <class Memory>
class FirstFitHeap {
 public:
  using Address = std::uint32_t;

  // Takes the memory from `begin` on, which is not 0. Once, before anything is allocated.
  void start(Address begin) noexcept {
    begin_ = top_ = ((begin + 7) & ~7u) + kHeaderBytes;
    end_ = memory_.pages() * kPageBytes;
  }
  [[nodiscard]] bool is_started() const noexcept { return end_ != 0; }

  // The address of `size` bytes, a multiple of 8; 0 where there is no room.
  [[nodiscard]] Address allocate(std::uint32_t size) noexcept {
    if (size > kMaxPages * kPageBytes) return 0;
    const std::uint32_t wanted = (size + kHeaderBytes + 7) & ~7u;
    Address block = begin_;
    for (; block != top_; block += header(block) & ~kInUse) {
      if ((header(block) & kInUse) != 0) continue;
      const std::uint32_t found = join(block);
      if (block == top_) break;
      if (found < wanted) continue;
      if (found > wanted) header(block + wanted) = found - wanted;
      header(block) = wanted | kInUse;
      return block + kHeaderBytes;
    }
    if (wanted > end_ - top_ && !grow(wanted - (end_ - top_))) return 0;
    top_ += wanted;
    header(block) = wanted | kInUse;
    return block + kHeaderBytes;
  }

  // The same, zeroed.
  [[nodiscard]] Address allocate_zeroed(std::uint32_t size) noexcept {
    const Address address = allocate(size);
    if (address != 0) std::memset(memory_.at(address), 0, size);
    return address;
  }

  // Gives back what allocate gave. 0: nothing.
  void release(Address address) noexcept {
    if (address != 0) header(address - kHeaderBytes) &= ~kInUse;
  }

 private:
  static constexpr std::uint32_t kPageBytes = 1 << 16;
  // One page less than there are, so that the end of the memory is an address as well.
  static constexpr std::uint32_t kMaxPages = 0xffff;
  static constexpr std::uint32_t kHeaderBytes = 4;
  static constexpr std::uint32_t kInUse = 1;

  [[nodiscard]] std::uint32_t& header(Address block) const noexcept {
    return *reinterpret_cast<std::uint32_t*>(memory_.at(block));
  }

  // Joins a free block with the free ones behind it. Its size; where it reaches the top, it is the top.
  std::uint32_t join(Address block) noexcept {
    Address next = block;
    while (next != top_ && (header(next) & kInUse) == 0) next += header(next);
    if (next == top_) top_ = block;
    return header(block) = next - block;
  }

  [[nodiscard]] bool grow(std::uint32_t missing) noexcept {
    const std::uint32_t pages = end_ / kPageBytes, more = (missing - 1) / kPageBytes + 1;
    if (more > kMaxPages - pages || !memory_.grow(more)) return false;
    end_ += more * kPageBytes;
    return true;
  }

  [[no_unique_address]] Memory memory_;
  Address begin_ = 0;
  Address top_ = 0;  // where the next block's header would be
  Address end_ = 0;
};

}  // namespace tamis::bindings
