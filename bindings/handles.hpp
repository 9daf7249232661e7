// bindings/handles.hpp - the table that gives each object a handle, and how the files of both
// planes reach the object behind one.
//
// JavaScript holds a structure by its handle, on both planes. embind's classes would bring 4 kB of
// pointers, inheritance and smart pointers along, none of which is used. A factory gives the handle
// of a new structure, or 0 and a status at the address that the caller named.
#pragma once

#include <type_traits>

#include "any_structure.hpp"

namespace tamis::bindings {

// A handle is a slot's number in the low bits and its generation above. A slot whose 2^32 - 1
// generations are used up is never given out again. So a stale handle can meet no other object, and
// 2^52 structures can be made in all.
struct Slot {
  AnyStructure* object;
  std::uint32_t generation;  // from 1 on, so that no handle is 0
  std::uint32_t next_free;
};
inline constexpr std::uint32_t kIndexBits = 20;
inline constexpr std::uint32_t kMaxSlots = 1u << kIndexBits;
extern Slot* slots;
extern std::uint32_t slot_count;

// The live object behind a handle; nullptr for one that was disposed of, or never was.
[[nodiscard]] inline AnyStructure* find(Handle handle) noexcept {
  // The sum's lowest 52 bits are the handle: a conversion would look at its range first.
  const auto bits = __builtin_bit_cast(std::uint64_t, handle + 0x1p52);
  const std::uint32_t index = bits & (kMaxSlots - 1);
  if (index >= slot_count) return nullptr;
  const Slot& slot = slots[index];
  return slot.generation == static_cast<std::uint32_t>(bits >> kIndexBits) ? slot.object : nullptr;
}

using Address = std::uintptr_t;

// Calls this function of the type of the live object; kDisposed where there is none.
template <class Answer, class... Needed>
[[nodiscard]] Answer ask(Handle handle, Op<Answer, Needed...> Ops::* function,
                         std::type_identity_t<Needed>... given) noexcept {
  AnyStructure* object = find(handle);
  if (object == nullptr) return failure<Answer>(Status::kDisposed);
  return run(object->ops.*function, *object, given...);
}

inline void put_status(Address at, Status status) noexcept {
  *reinterpret_cast<std::int32_t*>(at) = negative(status);
}

// Hands the object over to JavaScript, which owns it from then on.
inline Handle hand_over(Result<AnyStructure*>&& result, Address status) noexcept {
  put_status(status, result.status());
  return result.ok() ? (*result)->handle : 0;
}

// For JavaScript: a function of a table that answers with a status, and one that makes another
// structure. Without noexcept, since the embind of Emscripten 3.1.6 does not know such function types.
template <auto function>
std::int32_t act(Handle handle) {
  return ask(handle, function);
}
template <auto function>
Handle derive(Handle handle, Address status) {
  return hand_over(ask(handle, function), status);
}

// The structure behind the handle. nullptr where that is stale, or names a structure of another
// type: a method of one class may be called on an object of another.
template <class F>
F* find_a(Handle handle) noexcept {
  AnyStructure* object = find(handle);
  return object == nullptr ? nullptr : find_like<F>(*object);
}

// Calls act(structure), else answers kUnsupported.
template <class F, class Act>
std::int32_t with_a(Handle handle, Act act) noexcept {
  F* structure = find_a<F>(handle);
  return structure == nullptr ? negative(Status::kUnsupported) : act(*structure);
}

// Hands over what act(one, other) makes of structures of these types, else kUnsupported.
template <class One, class Other, class Act>
Handle derive_of_two(Handle one, Handle other, Address status, Act act) noexcept {
  const One* left = find_a<One>(one);
  const Other* right = find_a<Other>(other);
  if (left == nullptr || right == nullptr) return hand_over(Status::kUnsupported, status);
  return hand_over(adopt(act(*left, *right)), status);
}

}  // namespace tamis::bindings
