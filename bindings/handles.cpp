#include "handles.hpp"

#include <algorithm>

namespace tamis::bindings {

Slot* slots = nullptr;
std::uint32_t slot_count = 0;

namespace {

constexpr std::uint32_t kLastGeneration = ~0u;
constexpr std::uint32_t kNoSlot = kMaxSlots;

std::uint32_t slots_allocated = 0;
std::uint32_t first_free = kNoSlot;

// Returns an unused slot, or kNoSlot if memory is short or all slots are in use.
std::uint32_t take_slot() noexcept {
  if (first_free != kNoSlot) return std::exchange(first_free, slots[first_free].next_free);
  if (slot_count == slots_allocated) {
    if (slot_count == kMaxSlots) return kNoSlot;
    const std::uint32_t wanted = slots_allocated == 0 ? 64 : slots_allocated * 2;
    // realloc would add a kilobyte to the allocator.
    auto* grown = static_cast<Slot*>(std::malloc(wanted * sizeof(Slot)));
    if (grown == nullptr) return kNoSlot;
    std::copy_n(slots, slot_count, grown);
    std::free(slots);
    slots = grown;
    slots_allocated = wanted;
  }
  slots[slot_count] = {nullptr, 0, kNoSlot};
  return slot_count++;
}

}  // namespace

[[gnu::noinline]] AnyStructure* find_out_of_line(Handle handle) noexcept { return find(handle); }

AnyStructure::AnyStructure(const Ops& of_type) noexcept : ops(of_type) {
  const std::uint32_t index = take_slot();
  if (index == kNoSlot) return;
  Slot& slot = slots[index];
  slot.object = this;
  ++slot.generation;
  handle = static_cast<double>(std::uint64_t{slot.generation} << kIndexBits | index);
}

AnyStructure::~AnyStructure() {
  if (find_out_of_line(handle) != this) return;
  const std::uint32_t index = static_cast<std::uint64_t>(handle) & (kMaxSlots - 1);
  Slot& slot = slots[index];
  slot.object = nullptr;
  if (slot.generation == kLastGeneration) return;
  slot.next_free = first_free;
  first_free = index;
}

}  // namespace tamis::bindings
