#include "any_filter.hpp"

namespace tamis::bindings {
namespace {

// A handle is a slot's number in the low bits and its generation above. A slot whose generations are
// used up is never given out again, so a stale handle can meet no other object.
constexpr std::uint32_t kIndexBits = 20;
constexpr std::uint32_t kMaxSlots = 1u << kIndexBits;
constexpr std::uint32_t kLastGeneration = (1u << (32 - kIndexBits)) - 1;
constexpr std::uint32_t kNoSlot = kMaxSlots;

struct Slot {
  AnyFilter* object;
  std::uint32_t generation;  // from 1 on, so that no handle is 0
  std::uint32_t next_free;
};

Slot* slots = nullptr;
std::uint32_t slot_count = 0;
std::uint32_t slots_allocated = 0;
std::uint32_t first_free = kNoSlot;

// A new or used slot, or kNoSlot where memory is refused or all are taken.
std::uint32_t take_slot() noexcept {
  if (first_free != kNoSlot) return std::exchange(first_free, slots[first_free].next_free);
  if (slot_count == slots_allocated) {
    if (slot_count == kMaxSlots) return kNoSlot;
    const std::uint32_t wanted = slots_allocated == 0 ? 64 : slots_allocated * 2;
    void* grown = std::realloc(slots, wanted * sizeof(Slot));
    if (grown == nullptr) return kNoSlot;
    slots = static_cast<Slot*>(grown);
    slots_allocated = wanted;
  }
  slots[slot_count] = {nullptr, 0, kNoSlot};
  return slot_count++;
}

Slot* slot_of(Handle handle) noexcept {
  const std::uint32_t index = handle & (kMaxSlots - 1);
  if (index >= slot_count || slots[index].generation != handle >> kIndexBits) return nullptr;
  return &slots[index];
}

}  // namespace

AnyFilter::AnyFilter() noexcept : handle_(0) {
  const std::uint32_t index = take_slot();
  if (index == kNoSlot) return;
  Slot& slot = slots[index];
  slot.object = this;
  ++slot.generation;
  handle_ = slot.generation << kIndexBits | index;
}

AnyFilter::~AnyFilter() {
  Slot* slot = slot_of(handle_);
  if (slot == nullptr) return;
  slot->object = nullptr;
  if (slot->generation == kLastGeneration) return;
  slot->next_free = first_free;
  first_free = static_cast<std::uint32_t>(slot - slots);
}

AnyFilter* find(Handle handle) noexcept {
  const Slot* slot = slot_of(handle);
  return slot == nullptr ? nullptr : slot->object;
}

}  // namespace tamis::bindings
