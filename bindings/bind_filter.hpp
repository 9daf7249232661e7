// bindings/bind_filter.hpp - the common embind class of a structure of the core.
//
// Factories give an owned object, or nullptr and a status at the address that the caller named.
#pragma once

#include <emscripten/bind.h>
#include <emscripten/val.h>

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

// Reads the fields of a Config from an object that js/src/core/options.ts has checked; a field that
// is absent keeps the Config's default.
class FieldReader {
 public:
  explicit FieldReader(const emscripten::val& options) noexcept : options_(options) {}

  template <class Number>
  void operator()(const char* name, Number& field) const noexcept {
    const emscripten::val value = options_[name];
    if (!value.isUndefined()) field = static_cast<Number>(value.as<double>());
  }

  void operator()(Hasher& hasher) const noexcept {
    std::uint32_t id = static_cast<std::uint32_t>(hasher.id()), seed_low = 0, seed_high = 0, key = 0;
    (*this)("hashId", id);
    (*this)("seedLow", seed_low);
    (*this)("seedHigh", seed_high);
    (*this)("keyAddress", key);
    const std::uint64_t seed = std::uint64_t{seed_high} << 32 | seed_low;
    hasher = key != 0 ? Hasher(read_key(key), seed) : Hasher(HashId{static_cast<std::uint8_t>(id)}, seed);
  }

 private:
  const emscripten::val& options_;
};

template <class F>
typename F::Config read_config(const emscripten::val& options) noexcept {
  typename F::Config config;
  config.each_field(FieldReader(options));
  return config;
}

// Hands the structure over to JavaScript, which owns it from then on.
template <class F>
FilterAdapter<F>* adopt(Result<F>&& result, Address status) noexcept {
  put_status(status, result.status());
  if (!result.ok()) return nullptr;
  auto* object = new FilterAdapter<F>(std::move(*result));
  if (object != nullptr && object->handle() != 0) return object;
  delete object;
  put_status(status, Status::kOutOfMemory);
  return nullptr;
}

// What the class binds, without noexcept: the embind of Emscripten 3.1.6 does not know such types.
template <class F>
struct Factory {
  using Adapter = FilterAdapter<F>;

  static Adapter* create(const emscripten::val& options, Address status) {
    return adopt(F::create(read_config<F>(options)), status);
  }
  static double size_for(const emscripten::val& options, Address status) {
    const auto size = F::size_for(read_config<F>(options));
    put_status(status, size.status());
    return size.ok() ? static_cast<double>(*size) : 0;
  }
  static Adapter* decode(Address bytes, std::size_t size, Address key, double max_bytes,
                         Address status) {
    SipKey key_copy;
    DecodeOptions options;
    options.max_bytes = static_cast<std::uint64_t>(max_bytes);
    if (key != 0) {
      key_copy = read_key(key);
      options.key = &key_copy;
    }
    return adopt(tamis::decode<F>({reinterpret_cast<const std::byte*>(bytes), size}, options), status);
  }
  static Adapter* clone(const Adapter& from, Address status) {
    return adopt(from.filter().clone(), status);
  }
  static Adapter* empty_copy(const Adapter& from, Address status) {
    return adopt(from.filter().empty_copy(), status);
  }
  static std::int32_t merge(Adapter& into, const Adapter& other) {
    return negative(into.filter().merge(other.filter()));
  }
  static std::int32_t intersect(Adapter& into, const Adapter& other) {
    return negative(into.filter().intersect(other.filter()));
  }
};

template <class F>
void bind_filter(const char* name) {
  using emscripten::allow_raw_pointers;
  using Adapter = FilterAdapter<F>;
  emscripten::class_<Adapter, emscripten::base<AnyFilter>> bound(name);
  bound.class_function("create", &Factory<F>::create, allow_raw_pointers());
  bound.class_function("sizeFor", &Factory<F>::size_for);
  bound.class_function("decode", &Factory<F>::decode, allow_raw_pointers());
  bound.function("copy", &Factory<F>::clone, allow_raw_pointers());
  if constexpr (MutableFilter<F>) bound.function("emptyCopy", &Factory<F>::empty_copy, allow_raw_pointers());
  if constexpr (Mergeable<F>) bound.function("merge", &Factory<F>::merge);
  if constexpr (Intersectable<F>) bound.function("intersect", &Factory<F>::intersect);
}

}  // namespace tamis::bindings
