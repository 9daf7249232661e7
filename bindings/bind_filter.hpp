// bindings/bind_filter.hpp - how the structures of the core are made from JavaScript, and what the
// bindings of single types share.
//
// JavaScript holds a structure by its handle, on both planes: embind's classes would bring 4 kB of
// pointers, inheritance and smart pointers along, none of which is used. A factory gives the handle
// of a new structure, or 0 and a status at the address that the caller named.
#pragma once

#include <emscripten/bind.h>

#include <algorithm>
#include <cstring>

#include "any_filter.hpp"

namespace tamis::bindings {

using Address = std::uintptr_t;

inline void put_status(Address at, Status status) noexcept {
  *reinterpret_cast<std::int32_t*>(at) = negative(status);
}

inline SipKey read_key(Address at) noexcept {
  SipKey key;
  std::memcpy(key.data(), reinterpret_cast<const std::byte*>(at), key.size());
  return key;
}

// An id as a byte, as the format has it. One that is none is as unknown as the last.
constexpr std::uint8_t to_id(std::uint32_t id) noexcept {
  return static_cast<std::uint8_t>(std::min(id, 255u));
}

// Reads a Config from numbers that js/src/core/options.ts has checked, one for each field in the
// order of each_field; NaN where there is none, and the Config's default stays. Before them stand
// the hash id and the two halves of the seed. By position, not by name: looking names up would cost
// the border the JavaScript of emscripten::val.
class FieldReader {
 public:
  FieldReader(Address fields, Address key) noexcept
      : hashing_(reinterpret_cast<const double*>(fields)), next_(hashing_ + 3), key_(key) {}

  template <class Number>
  void operator()(const char*, Number& field) noexcept {
    const double value = *next_++;
    if (value == value) field = static_cast<Number>(value);
  }

  void operator()(Hasher& hasher) const noexcept {
    const auto half = [this](int i) { return static_cast<std::uint32_t>(hashing_[i]); };
    const std::uint64_t seed = std::uint64_t{half(2)} << 32 | half(1);
    hasher = key_ != 0 ? Hasher(read_key(key_), seed) : Hasher(HashId{to_id(half(0))}, seed);
  }

 private:
  const double* hashing_;
  const double* next_;
  Address key_;
};

template <class F>
typename F::Config read_config(Address fields, Address key) noexcept {
  typename F::Config config;
  config.each_field(FieldReader(fields, key));
  return config;
}

// Hands the object over to JavaScript, which owns it from then on.
inline Handle hand_over(Result<AnyFilter*>&& result, Address status) noexcept {
  put_status(status, result.status());
  return result.ok() ? (*result)->handle() : 0;
}

// Calls act(filter) for the live object, else answers kDisposed.
template <class Act>
std::int32_t with_live(Handle handle, Act act) noexcept {
  AnyFilter* filter = find(handle);
  return filter == nullptr ? negative(Status::kDisposed) : act(*filter);
}

// The same for an answer that is no status: that stands at an address of its own.
template <class Value, class Act>
Value with_live(Handle handle, Address status, Act act) noexcept {
  AnyFilter* filter = find(handle);
  put_status(status, filter == nullptr ? Status::kDisposed : Status::kOk);
  return filter == nullptr ? Value{} : act(*filter);
}

// The structure behind the handle; nullptr where that is stale, or names a structure of another
// type: a method of one class may be called on an object of another.
template <class F>
F* find_a(Handle handle) noexcept {
  AnyFilter* object = find(handle);
  if (object == nullptr || object->header().type != F::kType) return nullptr;
  return &static_cast<FilterAdapter<F>*>(object)->filter();
}

// Calls act(structure), else answers kUnsupported.
template <class F, class Act>
std::int32_t with_a(Handle handle, Act act) noexcept {
  F* structure = find_a<F>(handle);
  return structure == nullptr ? negative(Status::kUnsupported) : act(*structure);
}

}  // namespace tamis::bindings
