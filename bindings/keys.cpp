// bindings/keys.cpp - calls for keys (the data plane), without embind, which adds 100 ns to a call.
//
// Keys and answers pass through the scratch memory (scratch.hpp).

#include <cstddef>

#include <tamis/key_lines.hpp>

#include "handles.hpp"
#include "part.hpp"
#include "scratch.hpp"

namespace tamis::bindings {

Scratch scratch;

}  // namespace tamis::bindings

namespace {

using namespace tamis;
using namespace tamis::bindings;

[[gnu::noinline]] std::int32_t hash_batch(const Hasher& hasher, std::uint32_t offset,
                                          std::uint32_t size, std::uint32_t count) noexcept {
  return for_each_key(offset, size, count, [&](std::uint32_t i, Key key) {
    scratch.hashes[i] = hasher(key);
    return 0;
  });
}

constexpr std::int32_t kStale = negative(Status::kDisposed);

// Runs an operation with the key's hash, or with the key itself if the structure needs it.
[[gnu::always_inline]] inline std::int32_t ask_key(Handle handle, KeyOperation operation,
                                                   const std::byte* bytes,
                                                   std::uint32_t size) noexcept {
  AnyStructure* object = find(handle);
  if (object == nullptr) return kStale;
  const Key key(bytes, size);
  return object->hasher == nullptr
             ? run(object->ops.of_key[operation], *object, key)
             : run(object->ops.of_hash[operation], *object, (*object->hasher)(key));
}

// Stores the answer for key i, and counts the answers that are 1.
std::int32_t keep(std::uint32_t i, std::int32_t answer) noexcept {
  scratch.answers[i] = static_cast<std::uint8_t>(answer);
  if (answer > 0) ++scratch.counts.fresh;
  return answer;
}

}  // namespace

TAMIS_EXPORT("base", "_tamis_scratch")
std::uintptr_t tamis_scratch(std::uint32_t part) { return scratch_part(part); }

// Returns 1 if the key is probably present, 0 if certainly absent, or a negative status.
TAMIS_EXPORT("filters", "_tamis_has")
std::int32_t tamis_has(Handle handle, const std::byte* key, std::uint32_t size) {
  return ask_key(handle, KeyOperation::kHas, key, size);
}

// Runs an operation for each of the first `count` hashes in the scratch. Writes the answers, and
// for a map the values, to the scratch.
TAMIS_EXPORT("filters", "_tamis_ask_hashes")
std::int32_t tamis_ask_hashes(Handle handle, KeyOperation operation, std::uint32_t count) {
  scratch.counts = {};
  AnyStructure* object = find(handle);
  if (object == nullptr) return kStale;
  if (count > kBatchKeys) return negative(Status::kInvalidOption);
  // This is checked even without hashes, so that an unsupported call always fails.
  if (object->hasher == nullptr) return negative(Status::kUnsupported);
  std::uint32_t& done = scratch.counts.done;
  if (operation == KeyOperation::kHas || operation == KeyOperation::kGet) {
    const auto all = operation == KeyOperation::kHas ? object->ops.has_many : object->ops.get_many;
    const std::int32_t result = run(all, *object, std::span<const Hash>(scratch.hashes, count),
                                    scratch.answers, scratch.values);
    if (result == 0) done = count;
    return result;
  }
  for (const auto one = object->ops.of_hash[operation]; done < count; ++done) {
    const std::int32_t result = keep(done, run(one, *object, scratch.hashes[done]));
    if (result < 0) return result;
  }
  return 0;
}

// Runs an operation for many keys. If the structure needs only hashes, all keys are hashed first
// and then looked up, so that the cache misses of several keys overlap.
TAMIS_EXPORT("filters", "_tamis_ask_many")
std::int32_t tamis_ask_many(Handle handle, KeyOperation operation, std::uint32_t offset,
                            std::uint32_t size, std::uint32_t count) {
  scratch.counts = {};
  AnyStructure* object = find_out_of_line(handle);
  if (object == nullptr) return kStale;
  if (object->hasher == nullptr) {
    const auto one = object->ops.of_key[operation];
    return for_each_key(offset, size, count,
                        [&](std::uint32_t i, Key key) { return keep(i, run(one, *object, key)); });
  }
  const std::int32_t hashed = hash_batch(*object->hasher, offset, size, count);
  const std::int32_t result = tamis_ask_hashes(handle, operation, scratch.counts.done);
  return result < 0 ? result : hashed;
}

// Runs an operation for one key. Returns 1 or 0, the number of copies for kCountOf, or a negative
// status. If the key is in a map, its value is written to the first of the scratch's values.
TAMIS_EXPORT("filters", "_tamis_ask")
std::int32_t tamis_ask(Handle handle, KeyOperation operation, const std::byte* key,
                       std::uint32_t size) {
  if (operation != KeyOperation::kGet) return ask_key(handle, operation, key, size);
  const AnyStructure* object = find(handle);
  if (object == nullptr) return kStale;
  if (object->hasher == nullptr) return negative(Status::kUnsupported);
  scratch.hashes[0] = (*object->hasher)(Key(key, size));
  const std::int32_t result = tamis_ask_hashes(handle, operation, 1);
  return result < 0 ? result : scratch.answers[0];
}

// Hashes a batch of keys with XXH3-64, or with SipHash-2-4 if `sip_key` is not null.
TAMIS_EXPORT("filters", "_tamis_hash_many")
std::int32_t tamis_hash_many(const SipKey* sip_key, std::uint32_t offset, std::uint32_t size,
                             std::uint32_t count) {
  const Hasher hasher = sip_key == nullptr ? Hasher() : Hasher(*sip_key);
  return hash_batch(hasher, offset, size, count);
}

// Hashes one key at any address. The result is the first of the scratch's hashes.
TAMIS_EXPORT("filters", "_tamis_hash")
void tamis_hash(const SipKey* sip_key, const std::byte* key, std::uint32_t size) {
  const Hasher hasher = sip_key == nullptr ? Hasher() : Hasher(*sip_key);
  scratch.hashes[0] = hasher(Key(key, size));
}

// Returns the bit's previous value, or a negative status.
TAMIS_EXPORT("filters", "_tamis_bit")
std::int32_t tamis_bit(Handle handle, std::uint32_t operation, std::uint32_t index) {
  AnyStructure* object = find(handle);
  return object == nullptr ? kStale
                           : run(object->ops.of_bit[BitOperation{operation}], *object, index);
}

// Writes `count` bits as text to the scratch's bytes.
TAMIS_EXPORT("filters", "_tamis_print")
std::int32_t tamis_print(Handle handle, std::uint32_t from, std::uint32_t count) {
  if (count > kScratchBytes) return negative(Status::kInvalidOption);
  return ask(handle, &Ops::print, from,
             std::span<char>(reinterpret_cast<char*>(scratch.bytes), count));
}

// Splits the first bytes of the scratch into lines. Writes the lines' starts and ends, sets `done`
// to the number of consumed bytes (key_lines.hpp), and returns the number of lines.
TAMIS_EXPORT("lines", "_tamis_split_lines")
std::int32_t tamis_split_lines(std::uint32_t size, std::uint32_t offset, std::uint32_t separator,
                               std::uint32_t is_first, std::uint32_t is_last) {
  if (size > kScratchBytes) return negative(Status::kInvalidOption);
  const LineChunk chunk =
      split_lines({scratch.bytes, size}, {is_first != 0, is_last != 0, offset},
                  static_cast<std::byte>(separator), scratch.starts, scratch.ends);
  scratch.counts.done = static_cast<std::uint32_t>(chunk.consumed);
  return static_cast<std::int32_t>(chunk.lines);
}
