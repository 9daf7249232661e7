// bindings/structures.cpp - the control plane: everything that every structure has.

#include "config_reader.hpp"
#include "entries.hpp"
#include "part.hpp"
#include "publish.hpp"

namespace tamis::bindings {
namespace {

double figure(Handle handle, std::uint32_t which, Address status) {
  return with_live<double>(handle, status,
                           [=](auto& structure) { return structure.figure(Figure{which}); });
}
double seed_low(Handle handle, Address status) {
  return with_live<double>(handle, status, [](auto& structure) {
    return static_cast<std::uint32_t>(structure.header().seed);
  });
}
double seed_high(Handle handle, Address status) {
  return with_live<double>(handle, status, [](auto& structure) {
    return static_cast<std::uint32_t>(structure.header().seed >> 32);
  });
}
double encoded_bytes(Handle handle, Address status) {
  return with_live<double>(handle, status, [](auto& structure) {
    return static_cast<double>(kHeaderBytes + structure.header().payload_bytes);
  });
}
std::int32_t encode_into(Handle handle, Address out, std::size_t size) {
  return with_live(handle, [=](auto& structure) {
    return negative(tamis::encode_into(structure, {reinterpret_cast<std::byte*>(out), size}));
  });
}
// A stale handle has nothing to dispose of.
void dispose(Handle handle) { delete find(handle); }

// Of the schemes that need the key itself it takes the one whose hash id is `scheme`, and no other
// that is loaded. What a page can read must not depend on what else it runs.
Handle decode(std::uint32_t type, Address address, std::size_t size, Address key, double max_bytes,
              std::uint32_t scheme, Address status) {
  const std::span bytes(reinterpret_cast<const std::byte*>(address), size);
  SipKey key_copy;
  DecodeOptions options;
  options.max_bytes = static_cast<std::uint64_t>(max_bytes);
  if (key != 0) {
    key_copy = read_key(key);
    options.key = &key_copy;
  }
  Container container;
  const Status opened = container.open(bytes, FilterType{to_id(type)}, options);
  if (opened != Status::kOk) return hand_over(opened, status);
  const HashId hash = container.header.hash;
  if (is_bloom_scheme(hash) && hash != HashId{to_id(scheme)}) {
    return hand_over(Status::kUnsupported, status);
  }
  auto result = run_entry(type, &Entry::read, container);
  if (!result.ok() || container.is_read()) return hand_over(std::move(result), status);
  delete *result;
  return hand_over(Status::kCorrupt, status);
}

std::int32_t inspect(Address bytes, std::size_t size, std::uint32_t type, double max_bytes,
                     Address payload_bytes) {
  return inspect_header({reinterpret_cast<const std::byte*>(bytes), size}, type, max_bytes,
                        payload_bytes);
}

}  // namespace
}  // namespace tamis::bindings

TAMIS_PART("base", load_structures) {
  using namespace tamis::bindings;
  publish("decode", &decode);
  publish("copy", &derive<&AnyStructure::clone>);
  publish("dispose", &dispose);
  publish("figure", &figure);
  publish("seedLow", &seed_low);
  publish("seedHigh", &seed_high);
  publish("validate", &run<&AnyStructure::validate>);
  publish("encodedBytes", &encoded_bytes);
  publish("encodeInto", &encode_into);
  publish("inspect", &inspect);
}
