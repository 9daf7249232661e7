// bindings/config_reader.hpp - how a Config crosses the border.
#pragma once

#include <algorithm>
#include <cstring>

#include <tamis/hash.hpp>

#include "handles.hpp"

namespace tamis::bindings {

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

}  // namespace tamis::bindings
