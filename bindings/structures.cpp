// bindings/structures.cpp - the control plane: everything that every structure has.

#include "config_reader.hpp"
#include "entries.hpp"
#include "part.hpp"
#include "publish.hpp"

namespace tamis::bindings {
namespace {

double figure(Handle handle, std::uint32_t which, Address status) {
  AnyStructure* object = find(handle);
  put_status(status, object == nullptr ? Status::kDisposed : Status::kOk);
  return object == nullptr ? 0 : object->ops.figure(*object, Figure{which});
}
// Puts the halves of the seed, the hash id and the size of all bytes at `out`. All are doubles, as is
// the status: embind has code for each kind of function.
double header(Handle handle, Address out) {
  Header header{};
  const std::int32_t result = ask(handle, &Ops::header, header);
  auto* numbers = reinterpret_cast<double*>(out);
  numbers[0] = static_cast<std::uint32_t>(header.seed);
  numbers[1] = static_cast<std::uint32_t>(header.seed >> 32);
  numbers[2] = static_cast<double>(header.hash);
  numbers[3] = static_cast<double>(kHeaderBytes + header.payload_bytes);
  return result;
}
std::int32_t encode(Handle handle, Address out, std::size_t size) {
  Header header{};
  const std::int32_t result = ask(handle, &Ops::header, header);
  if (result != 0) return result;
  const auto write = [=](ByteWriter& payload) { return ask(handle, &Ops::write, payload); };
  return negative(encode_into(header, {reinterpret_cast<std::byte*>(out), size}, write));
}
// A stale handle has nothing to dispose of.
void dispose(Handle handle) {
  if (AnyStructure* object = find(handle)) object->ops.destroy(*object);
}

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
  auto result = make(type, &Entry::read, container);
  if (!result.ok() || container.is_read()) return hand_over(std::move(result), status);
  (*result)->ops.destroy(**result);
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
  publish("copy", &derive<&Ops::clone>);
  publish("dispose", &dispose);
  publish("figure", &figure);
  publish("header", &header);
  publish("validate", &act<&Ops::validate>);
  publish("encodeInto", &encode);
  publish("inspect", &inspect);
}
