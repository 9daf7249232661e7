// bindings/structures.cpp - rare calls (the control plane) for all structures.

#include "config_reader.hpp"
#include "entries.hpp"
#include "publish.hpp"

namespace tamis::bindings {
namespace {

double figure(Handle handle, std::uint32_t which, Address status) {
  AnyStructure* object = find_out_of_line(handle);
  put_status(status, object == nullptr ? Status::kDisposed : Status::kOk);
  return object == nullptr ? 0 : object->ops.figure(*object, Figure{which});
}
// Writes the halves of the seed, the hash id and the total size in bytes to `out`. These numbers
// and the returned status are doubles, because embind needs code for each signature of a function.
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
// Ignores a stale handle, which has no object.
void dispose(Handle handle) {
  if (AnyStructure* object = find_out_of_line(handle)) object->ops.destroy(*object);
}

// The container that open() leaves for decode(). It is never destroyed: the module never ends.
[[clang::no_destroy]] constinit Container opened;

// Reads the header at the front of these bytes, so that it is checked before memory for the claimed
// size is allocated. Returns the total size in bytes, or a negative status.
double open(Address bytes, std::size_t size, std::uint32_t type, double max_bytes) {
  const Status status = opened.open({reinterpret_cast<const std::byte*>(bytes), size},
                                    FilterType{to_id(type)}, static_cast<std::uint64_t>(max_bytes));
  if (status != Status::kOk) return negative(status);
  return static_cast<double>(kHeaderBytes + opened.header.payload_bytes);
}

// Makes the structure from the header that open() read, and from the bytes after it. A scheme that
// needs the key itself is accepted only if its id is `scheme`, even if other schemes are loaded:
// which files a page can read must not depend on other code in it. `key` is the secret's address.
// It is 0 without a secret.
Handle decode(Address address, std::size_t size, Address key, std::uint32_t scheme,
              Address status) {
  SipKey key_copy;
  const HashId hash{to_id(scheme)};
  DecodeOptions options{.scheme = &hash};
  if (key != 0) {
    key_copy = read_key(key);
    options.key = &key_copy;
  }
  // The copy's destructor zeroes its SipHash key.
  Container container = opened;
  const Status taken = container.take({reinterpret_cast<const std::byte*>(address), size}, options);
  if (taken != Status::kOk) return hand_over(taken, status);
  const auto type = static_cast<std::uint32_t>(container.header.type);
  return hand_over(make(type, &Entry::read, container), status);
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
  publish("open", &open);
}
