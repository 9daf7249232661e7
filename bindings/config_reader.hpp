// bindings/config_reader.hpp - makes a Config from the numbers that JavaScript passes.
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

// Converts an id to a byte, as in the format. Numbers above 255 become 255, which is unknown.
constexpr std::uint8_t to_id(std::uint32_t id) noexcept {
  return static_cast<std::uint8_t>(std::min(id, 255u));
}

// Converts a number to the type of an option; numbers outside that type become its nearest value. A
// cast of such a number would be undefined.
inline void read_number(double from, double& to) noexcept { to = from; }
inline void read_number(double from, std::uint32_t& to) noexcept {
  to = static_cast<std::uint32_t>(__builtin_wasm_trunc_saturate_u_i32_f64(from));
}
inline void read_number(double from, std::uint64_t& to) noexcept {
  to = static_cast<std::uint64_t>(__builtin_wasm_trunc_saturate_u_i64_f64(from));
}

// Reads a Config from numbers that js/src/core/options.ts has checked: the hash id, the two halves
// of the seed, and then one number for each of fields(), by position. NaN keeps the Config's
// default. To pass options by name, the wasm would need the JavaScript of emscripten::val.
class ConfigReader {
 public:
  ConfigReader(Address fields, Address key) noexcept
      : numbers_(reinterpret_cast<const double*>(fields)), key_(key) {}

  [[nodiscard]] Hasher hasher() const noexcept {
    const auto half = [this](int i) { return static_cast<std::uint32_t>(numbers_[i]); };
    const std::uint64_t seed = std::uint64_t{half(2)} << 32 | half(1);
    return key_ != 0 ? Hasher(read_key(key_), seed) : Hasher(HashId{to_id(half(0))}, seed);
  }

  // One class serves all types, so that the code for each type of number exists once.
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
