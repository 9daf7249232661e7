// bindings/first_fit_heap.hpp - an allocator that is small: the readers', which free few blocks.
//
// It has the interface of linear_heap.hpp. It too adds an address and a size only once their sum is
// known to lie in the memory. Blocks stand side by side up to the top: a header of 4 bytes, which
// is the block's size, then the payload. Free blocks are a list in the order of their addresses,
// which ends with the top, and no two of them are neighbours. So time goes with the free blocks,
// not with all.
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
    free_ = top_ = ((begin + 7) & ~7u) + kHeaderBytes;
    end_ = memory_.pages() * kPageBytes;
  }
  [[nodiscard]] bool is_started() const noexcept { return end_ != 0; }

  // The address of `size` bytes, a multiple of 8; 0 where there is no room.
  [[nodiscard]] Address allocate(std::uint32_t size) noexcept {
    if (size > kMaxPages * kPageBytes) return 0;
    const std::uint32_t wanted = (size + kHeaderBytes + 7) & ~7u;
    Address* link = &free_;
    Address block = *link;
    for (; block != top_; block = *link) {
      const std::uint32_t rest = header(block) - wanted;
      if (header(block) < wanted) {
        link = &next(block);
        continue;
      }
      // The block's end, so that what is left of it stays where it is in the list.
      if (rest == 0) *link = next(block);
      header(block) = rest;
      block += rest;
      header(block) = wanted;
      return block + kHeaderBytes;
    }
    if (wanted > end_ - top_ && !grow(wanted - (end_ - top_))) return 0;
    *link = top_ += wanted;
    header(block) = wanted;
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
    if (address == 0) return;
    const Address block = address - kHeaderBytes;
    Address before = 0;
    Address* link = &free_;
    for (; *link < block; link = &next(before)) before = *link;
    next(block) = *link;
    *link = block;
    join(block);
    if (before != 0) join(before);
  }

 private:
  static constexpr std::uint32_t kPageBytes = 1 << 16;
  // One page less than there are, so that the end of the memory is an address as well.
  static constexpr std::uint32_t kMaxPages = 0xffff;
  static constexpr std::uint32_t kHeaderBytes = 4;

  [[nodiscard]] std::uint32_t& header(Address block) const noexcept {
    return *reinterpret_cast<std::uint32_t*>(memory_.at(block));
  }

  // Of a free block: the free one behind it, or the top.
  [[nodiscard]] Address& next(Address block) const noexcept { return header(block + kHeaderBytes); }

  // Joins a free block with what is behind it in the list, where that is its neighbour. At the top it
  // becomes the top itself, with which the list then ends.
  void join(Address block) noexcept {
    const Address behind = next(block);
    if (behind != block + header(block)) return;
    if (behind == top_) {
      top_ = block;
    } else {
      header(block) += header(behind);
      next(block) = next(behind);
    }
  }

  [[nodiscard]] bool grow(std::uint32_t missing) noexcept {
    const std::uint32_t pages = end_ / kPageBytes, more = (missing - 1) / kPageBytes + 1;
    if (more > kMaxPages - pages || !memory_.grow(more)) return false;
    end_ += more * kPageBytes;
    return true;
  }

  [[no_unique_address]] Memory memory_;
  Address free_ = 0;  // the first free block, or the top
  Address top_ = 0;   // where the next block's header would be
  Address end_ = 0;
};

}  // namespace tamis::bindings
