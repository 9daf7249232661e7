// bindings/structures.cpp - the control plane: everything that every structure has.
// Without noexcept, since the embind of Emscripten 3.1.6 does not know such function
// types.

#include <emscripten/bind.h>

#include "config_reader.hpp"
#include "entries.hpp"

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
std::int32_t hash_id(Handle handle) {
  return with_live(
      handle, [](auto& structure) { return static_cast<std::int32_t>(structure.header().hash); });
}
std::int32_t encode_into(Handle handle, Address out, std::size_t size) {
  return with_live(handle, [=](auto& structure) {
    return negative(tamis::encode_into(structure, {reinterpret_cast<std::byte*>(out), size}));
  });
}
// Runs a member that answers with a status.
template <auto act>
std::int32_t run(Handle handle) {
  return with_live(handle, [](auto& structure) { return negative((structure.*act)()); });
}
// The same of one that takes another structure.
template <auto act>
std::int32_t combine(Handle into, Handle from) {
  return with_live(into, [=](auto& structure) {
    return with_live(from, [&](auto& other) { return negative((structure.*act)(other)); });
  });
}
// Runs a member that makes another structure.
template <auto act>
Handle derive(Handle handle, Address status) {
  const AnyStructure* structure = find(handle);
  return hand_over(structure == nullptr ? Status::kDisposed : (structure->*act)(), status);
}
// A stale handle has nothing to dispose of.
void dispose(Handle handle) { delete find(handle); }

// Runs what the type's entry has for this: kUnknownType where no such type is loaded, kUnsupported
// where it has none.
template <class Act, class... Arguments>
auto run_entry(std::uint32_t type, Act Entry::*act, Arguments&&... arguments)
    -> decltype((find_entry(type)->*act)(arguments...)) {
  const Entry* entry = find_entry(type);
  if (entry == nullptr) return Status::kUnknownType;
  if (entry->*act == nullptr) return Status::kUnsupported;
  return (entry->*act)(arguments...);
}

Handle create(std::uint32_t type, Address fields, Address key, Address status) {
  return hand_over(run_entry(type, &Entry::create, fields, key), status);
}

// A structure of a type that is built once (Lists). Puts the number of keys that the lists disagree
// about at `conflicts`, as a double.
Handle build(std::uint32_t type, Address fields, Address key, Address hashes, std::size_t count,
             Address others, std::size_t other_count, Address conflicts, Address status) {
  Lists lists{hashes, count, others, other_count};
  auto result = run_entry(type, &Entry::build, fields, key, lists);
  *reinterpret_cast<double*>(conflicts) = static_cast<double>(lists.conflicts);
  return hand_over(std::move(result), status);
}

double size_for(std::uint32_t type, Address fields, Address key, Address status) {
  const auto size = run_entry(type, &Entry::size_for, fields, key);
  put_status(status, size.status());
  return size.ok() ? static_cast<double>(*size) : 0;
}

Handle decode(std::uint32_t type, Address address, std::size_t size, Address key, double max_bytes,
              Address status) {
  const std::span bytes(reinterpret_cast<const std::byte*>(address), size);
  SipKey key_copy;
  DecodeOptions options;
  options.max_bytes = static_cast<std::uint64_t>(max_bytes);
  if (key != 0) {
    key_copy = read_key(key);
    options.key = &key_copy;
  }
  auto container = Container::open(bytes, FilterType{to_id(type)}, options);
  if (!container.ok()) return hand_over(container.status(), status);
  auto result = run_entry(type, &Entry::read, *container);
  if (!result.ok() || container->is_read()) return hand_over(std::move(result), status);
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

EMSCRIPTEN_BINDINGS(tamis) {
  using namespace tamis::bindings;
  emscripten::function("create", &create);
  emscripten::function("build", &build);
  emscripten::function("sizeFor", &size_for);
  emscripten::function("decode", &decode);
  emscripten::function("copy", &derive<&AnyStructure::clone>);
  emscripten::function("emptyCopy", &derive<&AnyStructure::empty_copy>);
  emscripten::function("dispose", &dispose);
  emscripten::function("figure", &figure);
  emscripten::function("seedLow", &seed_low);
  emscripten::function("seedHigh", &seed_high);
  emscripten::function("hashId", &hash_id);
  emscripten::function("validate", &run<&AnyStructure::validate>);
  emscripten::function("clear", &run<&AnyStructure::clear>);
  emscripten::function("encodedBytes", &encoded_bytes);
  emscripten::function("encodeInto", &encode_into);
  emscripten::function("merge", &combine<&AnyStructure::merge>);
  emscripten::function("intersect", &combine<&AnyStructure::intersect>);
  emscripten::function("inspect", &inspect);
}
