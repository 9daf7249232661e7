// bindings/config_reader.hpp - the way of a Config across the border.
#pragma once

#include <algorithm>
#include <cstring>

#include "handles.hpp"

namespace tamis::bindings {

inline SipKey read_key(Address at) noexcept {
  SipKey key;
  std::memcpy(key.data(), reinterpret_cast<const std::byte*>(at), key.size());
  return key;
}

// An id as a byte, as the format has it. Every number that is no id becomes the last one, which is
// unknown.
constexpr std::uint8_t to_id(std::uint32_t id) noexcept {
  return static_cast<std::uint8_t>(std::min(id, 255u));
}

// A number as an option, which is the nearest one that the type has. A cast would be undefined for
// others.
inline void read_number(double from, double& to) noexcept { to = from; }
inline void read_number(double from, std::uint32_t& to) noexcept {
  to = static_cast<std::uint32_t>(__builtin_wasm_trunc_saturate_u_i32_f64(from));
}
inline void read_number(double from, std::uint64_t& to) noexcept {
  to = static_cast<std::uint64_t>(__builtin_wasm_trunc_saturate_u_i64_f64(from));
}

// Reads a Config from numbers that js/src/core/options.ts has checked. They are the hash id, the
// two halves of the seed, and one number for each of fields(), by position. NaN keeps the Config's
// default. Names would need the JavaScript of emscripten::val.
class ConfigReader {
 public:
  ConfigReader(Address fields, Address key) noexcept
      : numbers_(reinterpret_cast<const double*>(fields)), key_(key) {}

  [[nodiscard]] Hasher hasher() const noexcept {
    const auto half = [this](int i) { return static_cast<std::uint32_t>(numbers_[i]); };
    const std::uint64_t seed = std::uint64_t{half(2)} << 32 | half(1);
    return key_ != 0 ? Hasher(read_key(key_), seed) : Hasher(HashId{to_id(half(0))}, seed);
  }

  // There is one class for all types, so that the code for a kind of number exists once.
  template <class Number>
  void read(int i, Number& field) const noexcept {
    const double value = numbers_[3 + i];
    if (value == value) read_number(value, field);
  }

 private:
  const double* numbers_;
  Address key_;
};

template <class F>
typename F::Config read_config(Address fields, Address key) noexcept {
  const ConfigReader reader(fields, key);
  typename F::Config config;
  if constexpr (requires { config.hasher; }) config.hasher = reader.hasher();
  int i = 0;
  std::apply([&](auto&... all) { (reader.read(i++, all), ...); }, config.fields());
  return config;
}

}  // namespace tamis::bindings
