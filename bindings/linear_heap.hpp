// bindings/linear_heap.hpp - an allocator for a linear memory of up to 4 GiB, as in wasm32.
// memory.cpp implements malloc, calloc and free with it.
//
// An address and a size are added only if the sum is certain to be within the memory. Otherwise a
// sum near 4 GiB would wrap around, and blocks would overlap.
//
// Blocks are side by side from the start of the heap to the top; all memory after the top is free.
// A block is a header of 4 bytes, with the block's size and two flags, followed by the payload. The
// payload of a free block begins with the links of its list, and ends with the size again, from
// which the next block finds the start of the free one. A free block is never next to another free
// block or at the top. Free blocks are in lists by size: 56 classes, two for each power of two.
// Allocating and releasing take constant time unless memory runs out.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tamis::bindings {

// `Memory` must provide at(address), pages() (the number of 64 KiB pages), and grow(pages), which
// returns true if it added that many zeroed pages. There are no threads.
template <class Memory>
class LinearHeap {
 public:
  using Address = std::uint32_t;

  static constexpr std::uint32_t kPageBytes = 1 << 16;
  // One page less than wasm allows, so that the end of the memory is a valid address too.
  static constexpr std::uint32_t kMaxPages = 0xffff;

  constexpr LinearHeap() noexcept = default;

  // Uses the memory from `begin` on, which must not be 0. Call it once, before any allocation.
  void start(Address begin) noexcept {
    top_ = dirty_end_ = ((begin + 7) & ~7u) + kHeaderBytes;
    end_ = memory_.pages() * kPageBytes;
  }
  [[nodiscard]] bool is_started() const noexcept { return end_ != 0; }

  // Returns the address of `size` new bytes, a multiple of 8, or 0 if there is no room.
  [[nodiscard]] Address allocate(std::uint32_t size) noexcept {
    if (size > kMaxPages * kPageBytes) return 0;
    const std::uint32_t wanted = std::max(kMinBytes, (size + kHeaderBytes + 7) & ~7u);
    Address block = find_free(wanted, 32);
    if (block == 0) {
      if (const Address made = take_top(wanted)) return made + kHeaderBytes;
      block = find_free(wanted, kMaxPages * kPageBytes);
      if (block == 0) return 0;
    }
    take(block, wanted);
    return block + kHeaderBytes;
  }

  // The same with zeroed bytes. Memory that was never allocated is already zero.
  [[nodiscard]] Address allocate_zeroed(std::uint32_t size) noexcept {
    const Address dirty_end = dirty_end_;
    const Address address = allocate(size);
    if (address != 0 && address < dirty_end) {
      std::memset(memory_.at(address), 0, std::min(size, dirty_end - address));
    }
    return address;
  }

  // Frees memory that allocate() returned. Address 0 is ignored.
  void release(Address address) noexcept {
    if (address == 0) return;
    Address block = address - kHeaderBytes;
    std::uint32_t size = load(block) & kSizeMask;
    if ((load(block) & kPreviousInUse) == 0) {
      const std::uint32_t before = load(block - kHeaderBytes);
      block -= before;
      size += before;
      unlink(block);
    }
    const Address next = block + size;
    if (next == top_) {
      top_ = block;
      return;
    }
    const std::uint32_t next_header = load(next);
    if ((next_header & kInUse) == 0) {
      unlink(next);
      size += next_header & kSizeMask;
    } else {
      store(next, next_header & ~kPreviousInUse);
    }
    link(block, size);
  }

 private:
  static constexpr std::uint32_t kHeaderBytes = 4;
  static constexpr std::uint32_t kMinBytes = 16;  // room for the header, two links and the size
  static constexpr std::uint32_t kInUse = 1, kPreviousInUse = 2, kSizeMask = ~7u;
  static constexpr unsigned kClasses = 56;

  [[nodiscard]] std::uint32_t load(Address at) const noexcept {
    std::uint32_t value;
    std::memcpy(&value, memory_.at(at), sizeof(value));
    return value;
  }
  void store(Address at, std::uint32_t value) noexcept {
    std::memcpy(memory_.at(at), &value, sizeof(value));
  }
  [[nodiscard]] Address next_of(Address block) const noexcept { return load(block + 4); }
  [[nodiscard]] Address previous_of(Address block) const noexcept { return load(block + 8); }

  // The class of a size. Classes are [16, 24), [24, 32), [32, 48), [48, 64), ...
  [[nodiscard]] static unsigned class_of(std::uint32_t size) noexcept {
    const auto log2 = static_cast<unsigned>(std::bit_width(size)) - 1;
    return (log2 - 4) * 2 + (size >> (log2 - 1) & 1);
  }

  // Makes the memory between two used blocks a free block.
  void link(Address block, std::uint32_t size) noexcept {
    const unsigned of = class_of(size);
    const Address next = first_[of];
    store(block, size | kPreviousInUse);
    store(block + 4, next);
    store(block + 8, 0);
    store(block + size - 4, size);
    if (next != 0) store(next + 8, block);
    first_[of] = block;
    filled_ |= std::uint64_t{1} << of;
  }
  void unlink(Address block) noexcept {
    const Address next = next_of(block), previous = previous_of(block);
    if (next != 0) store(next + 8, previous);
    if (previous != 0) {
      store(previous + 4, next);
      return;
    }
    const unsigned of = class_of(load(block) & kSizeMask);
    first_[of] = next;
    if (next == 0) filled_ &= ~(std::uint64_t{1} << of);
  }

  // Finds a free block of at least `wanted` bytes, or 0 if there is none. It tries up to `most`
  // blocks of the same class, and then the first block of a larger class.
  [[nodiscard]] Address find_free(std::uint32_t wanted, std::uint32_t most) const noexcept {
    const unsigned of = class_of(wanted);
    for (Address block = first_[of]; block != 0 && most > 0; block = next_of(block), --most) {
      if ((load(block) & kSizeMask) >= wanted) return block;
    }
    const std::uint64_t larger = filled_ & (~std::uint64_t{1} << of);
    return larger == 0 ? 0 : first_[std::countr_zero(larger)];
  }

  // Uses the front of a free block, and makes the rest a free block if it is large enough.
  void take(Address block, std::uint32_t wanted) noexcept {
    const std::uint32_t size = load(block) & kSizeMask;
    unlink(block);
    if (size - wanted >= kMinBytes) {
      store(block, wanted | kInUse | kPreviousInUse);
      link(block + wanted, size - wanted);
    } else {
      store(block, size | kInUse | kPreviousInUse);
      store(block + size, load(block + size) | kPreviousInUse);
    }
  }

  // Makes a block at the top. Returns 0 if the memory cannot grow that far.
  [[nodiscard]] Address take_top(std::uint32_t wanted) noexcept {
    const std::uint32_t left = end_ - top_;
    if (wanted > left && !grow(wanted - left)) return 0;
    const Address block = top_;
    top_ += wanted;
    dirty_end_ = std::max(dirty_end_, top_);
    store(block, wanted | kInUse | kPreviousInUse);
    return block;
  }

  // Grows by the missing bytes plus a fifth of the present memory (at most 96 MiB), because growing
  // is slow and detaches every JavaScript view of the memory.
  [[nodiscard]] bool grow(std::uint32_t missing) noexcept {
    const std::uint32_t pages = end_ / kPageBytes, most = kMaxPages - pages;
    const std::uint32_t least = (missing - 1) / kPageBytes + 1;
    if (least > most) return false;
    for (std::uint32_t more : {std::min(most, least + std::min(pages / 5, 1536u)), least}) {
      if (memory_.grow(more)) {
        end_ += more * kPageBytes;
        return true;
      }
    }
    return false;
  }

  [[no_unique_address]] Memory memory_;
  Address top_ = 0;        // where the next block's header will be
  Address dirty_end_ = 0;  // nothing was ever written from here on
  Address end_ = 0;
  std::uint64_t filled_ = 0;  // bit i is 1 if first_[i] is not 0
  Address first_[kClasses] = {};
};

}  // namespace tamis::bindings
