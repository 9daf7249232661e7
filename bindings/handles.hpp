// bindings/handles.hpp - the table from handles to objects, for both planes (entries.hpp).
//
// JavaScript refers to a structure by its handle. embind's classes would add 4 kB of code for
// pointers, inheritance and smart pointers, none of which is needed. A factory returns the handle
// of a new structure. If it fails, it returns 0 and writes a status to a given address.
#pragma once

#include "any_structure.hpp"

namespace tamis::bindings {

// The low bits of a handle are the number of a slot, and the high bits the slot's generation. A
// slot that has used all of its 2^32 - 1 generations is never used again. So a stale handle never
// refers to another object, and 2^52 structures can be made in all.
struct Slot {
  AnyStructure* object;
  std::uint32_t generation;  // starts at 1, so that no handle is 0
  std::uint32_t next_free;
};
inline constexpr std::uint32_t kIndexBits = 20;
inline constexpr std::uint32_t kMaxSlots = 1u << kIndexBits;
extern Slot* slots;
extern std::uint32_t slot_count;

// The object of a handle, or nullptr if it was disposed of or never existed.
[[nodiscard]] inline AnyStructure* find(Handle handle) noexcept {
  // The lowest 52 bits of this sum are the handle. A conversion would check its range first.
  const auto bits = __builtin_bit_cast(std::uint64_t, handle + 0x1p52);
  const std::uint32_t index = bits & (kMaxSlots - 1);
  if (index >= slot_count) return nullptr;
  const Slot& slot = slots[index];
  return slot.generation == static_cast<std::uint32_t>(bits >> kIndexBits) ? slot.object : nullptr;
}

// The same for functions that are not called for each key. It is not inlined.
[[nodiscard]] AnyStructure* find_out_of_line(Handle handle) noexcept;

using Address = std::uintptr_t;

// Calls a function of the object's type. Returns kDisposed if there is no such object.
template <class Answer, class... Needed>
[[nodiscard]] Answer ask(Handle handle, Op<Answer, Needed...> Ops::* function,
                         std::type_identity_t<Needed>... given) noexcept {
  AnyStructure* object = find_out_of_line(handle);
  if (object == nullptr) return failure<Answer>(Status::kDisposed);
  return run(object->ops.*function, *object, given...);
}

inline void put_status(Address at, Status status) noexcept {
  *reinterpret_cast<std::int32_t*>(at) = negative(status);
}

// Gives the object to JavaScript, which then owns it.
inline Handle hand_over(Result<AnyStructure*>&& result, Address status) noexcept {
  put_status(status, result.status());
  return result.ok() ? (*result)->handle : 0;
}

// act() and derive() make functions for JavaScript (publish.hpp): act() from a table function that
// returns a status, and derive() from a table function that makes another structure.
template <auto function>
std::int32_t act(Handle handle) {
  return ask(handle, function);
}
template <auto function>
Handle derive(Handle handle, Address status) {
  return hand_over(ask(handle, function), status);
}

// The handle's structure as an F, or nullptr if the handle is stale or the structure has another
// type: JavaScript can call a method of one class on an object of another.
template <class F>
F* find_a(Handle handle) noexcept {
  AnyStructure* object = find_out_of_line(handle);
  return object == nullptr ? nullptr : find_like<F>(*object);
}

// Calls act(structure), or returns kUnsupported if find_a() finds none.
template <class F, class Act>
std::int32_t with_a(Handle handle, Act act) noexcept {
  F* structure = find_a<F>(handle);
  return structure == nullptr ? negative(Status::kUnsupported) : act(*structure);
}

// Hands over what act(one, other) makes. Fails with kUnsupported for any other types.
template <class One, class Other, class Act>
Handle derive_of_two(Handle one, Handle other, Address status, Act act) noexcept {
  const One* left = find_a<One>(one);
  const Other* right = find_a<Other>(other);
  if (left == nullptr || right == nullptr) return hand_over(Status::kUnsupported, status);
  return hand_over(adopt(act(*left, *right)), status);
}

}  // namespace tamis::bindings
