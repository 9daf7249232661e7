// bindings/module.cpp - the control plane: everything that every structure has, and the formulas.

#include <tamis/filters/bit_array.hpp>
#include <tamis/filters/bloom.hpp>
#include <tamis/sizing.hpp>

#include "bind_filter.hpp"

namespace tamis::bindings {
namespace {

Handle handle(const AnyFilter& filter) { return filter.handle(); }
double fpr(const AnyFilter& filter) { return filter.fpr(); }
double estimated_fpr(const AnyFilter& filter) { return filter.estimated_fpr(); }
double seed_low(const AnyFilter& filter) { return static_cast<std::uint32_t>(filter.header().seed); }
double seed_high(const AnyFilter& filter) {
  return static_cast<std::uint32_t>(filter.header().seed >> 32);
}
double hash_id(const AnyFilter& filter) { return static_cast<double>(filter.header().hash); }
double count(const AnyFilter& filter) { return static_cast<double>(filter.header().count); }
double capacity(const AnyFilter& filter) { return static_cast<double>(filter.header().capacity); }
double size_bytes(const AnyFilter& filter) { return static_cast<double>(filter.size_bytes()); }
double encoded_bytes(const AnyFilter& filter) {
  return static_cast<double>(kHeaderBytes + filter.header().payload_bytes);
}
std::int32_t validate(const AnyFilter& filter) { return negative(filter.validate()); }
std::int32_t clear(AnyFilter& filter) { return negative(filter.clear()); }
std::int32_t encode_into(const AnyFilter& filter, Address out, std::size_t size) {
  return negative(filter.encode_into({reinterpret_cast<std::byte*>(out), size}));
}

// The type id in a header, of the type asked for or of any (0), or a negative status. Where that is
// well, the payload's length stands at `payload_bytes`, as a double.
std::int32_t inspect(Address bytes, std::size_t size, std::uint32_t type, double max_bytes,
                     Address payload_bytes) {
  const auto expected = static_cast<FilterType>(type);
  const auto header = read_header({reinterpret_cast<const std::byte*>(bytes), size},
                                  type == 0 ? nullptr : &expected, static_cast<std::uint64_t>(max_bytes));
  if (!header.ok()) return negative(header.status());
  *reinterpret_cast<double*>(payload_bytes) = static_cast<double>(header->payload_bytes);
  return static_cast<std::int32_t>(header->type);
}

double bloom_bits(double capacity, double fpr) {
  return static_cast<double>(sizing::bloom_size(static_cast<std::uint64_t>(capacity), fpr).bits);
}
double bloom_hashes(double bits, double capacity) {
  return sizing::bloom_hashes(static_cast<std::uint64_t>(bits), static_cast<std::uint64_t>(capacity));
}
double bloom_size_hashes(double capacity, double fpr) {
  return sizing::bloom_size(static_cast<std::uint64_t>(capacity), fpr).hashes;
}
double bloom_fpr(double bits, double hashes, double keys) {
  return sizing::bloom_fpr(bits, static_cast<std::uint32_t>(hashes), keys);
}

}  // namespace
}  // namespace tamis::bindings

EMSCRIPTEN_BINDINGS(tamis) {
  using namespace tamis::bindings;
  emscripten::class_<AnyFilter>("AnyFilter")
      .function("handle", &handle)
      .function("seedLow", &seed_low)
      .function("seedHigh", &seed_high)
      .function("hashId", &hash_id)
      .function("count", &count)
      .function("capacity", &capacity)
      .function("sizeBytes", &size_bytes)
      .function("fpr", &fpr)
      .function("estimatedFpr", &estimated_fpr)
      .function("validate", &validate)
      .function("clear", &clear)
      .function("encodedBytes", &encoded_bytes)
      .function("encodeInto", &encode_into);

#define TAMIS_FILTER(Type, slug, id, kind, traits) bind_filter<tamis::Type>(#Type);
#include <tamis/filters.def>
#undef TAMIS_FILTER

  emscripten::function("inspect", &inspect);
  emscripten::function("bloomBits", &bloom_bits);
  emscripten::function("bloomSizeHashes", &bloom_size_hashes);
  emscripten::function("bloomHashes", &bloom_hashes);
  emscripten::function("bloomFpr", &bloom_fpr);
}
