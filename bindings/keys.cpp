// bindings/keys.cpp - the data plane: raw exports, because an embind method costs some 100 ns a
// call.
//
// Keys and answers pass through the scratch (scratch.hpp).

#include <cstddef>
#include <cstdint>

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
    scratch.hashes[i] = static_cast<std::uint64_t>(hasher(key));
    return 0;
  });
}

// Calls act(key or hash) with what the structure wants of a key.
template <class Act>
std::int32_t with_key(AnyStructure& structure, const std::byte* bytes, std::uint32_t size,
                      Act act) noexcept {
  const Key key(bytes, size);
  return structure.hasher() == nullptr ? act(key) : act((*structure.hasher())(key));
}

constexpr std::int32_t kStale = negative(Status::kDisposed);

// What is done with many keys, with the scratch's first hashes at once. Where a hash does not say
// all, with one key after the other.
struct Action {
  std::int32_t (*with_hashes)(AnyStructure& structure, std::uint32_t count) noexcept;
  std::int32_t (*with_key)(AnyStructure& structure, std::uint32_t i, Key key) noexcept;
};

// One after the other; the answers 1 are counted.
template <class Act>
std::int32_t count_ones(AnyStructure& structure, auto key) noexcept {
  const std::int32_t result = Act{}(structure, key);
  if (result > 0) ++scratch.counts.fresh;
  return result;
}
template <class Act>
constexpr Action kCounted = {
    [](AnyStructure& structure, std::uint32_t count) noexcept {
      for (; scratch.counts.done < count; ++scratch.counts.done) {
        const std::int32_t result =
            count_ones<Act>(structure, Hash{scratch.hashes[scratch.counts.done]});
        if (result < 0) return result;
      }
      return 0;
    },
    [](AnyStructure& structure, std::uint32_t, Key key) noexcept {
      return count_ones<Act>(structure, key);
    },
};

struct Add {
  std::int32_t operator()(AnyStructure& structure, auto key) const noexcept {
    return structure.add(key);
  }
};
struct Erase {
  std::int32_t operator()(AnyStructure& structure, auto key) const noexcept {
    return structure.key_operation(KeyOperation::kErase, key);
  }
};

constexpr Action kHas = {
    [](AnyStructure& structure, std::uint32_t count) noexcept {
      const std::int32_t result = structure.has_many({scratch.hashes, count}, scratch.answers);
      if (result == 0) scratch.counts.done = count;
      return result;
    },
    [](AnyStructure& structure, std::uint32_t i, Key key) noexcept {
      const std::int32_t result = structure.has(key);
      scratch.answers[i] = static_cast<std::uint8_t>(result);
      return result;
    },
};

constexpr Action kGet = {
    [](AnyStructure& structure, std::uint32_t count) noexcept {
      const std::int32_t result =
          structure.get_many({scratch.hashes, count}, scratch.answers, scratch.values);
      if (result == 0) scratch.counts.done = count;
      return result;
    },
    [](AnyStructure&, std::uint32_t, Key) noexcept { return negative(Status::kUnsupported); }};

std::int32_t with_hashes(const Action& action, Handle handle, std::uint32_t count) noexcept {
  scratch.counts = {};
  AnyStructure* structure = find(handle);
  if (structure == nullptr) return kStale;
  if (count > kBatchKeys) return negative(Status::kInvalidOption);
  // Asked also for no hash at all, so that what cannot be done always says so.
  if (structure->hasher() == nullptr) return negative(Status::kUnsupported);
  return action.with_hashes(*structure, count);
}

// Where the hash says all, the keys are hashed first and then looked up. So one key's memory is
// waited for while the next are already under way.
std::int32_t with_keys(const Action& action, Handle handle, std::uint32_t offset,
                       std::uint32_t size, std::uint32_t count) noexcept {
  scratch.counts = {};
  AnyStructure* structure = find(handle);
  if (structure == nullptr) return kStale;
  if (structure->hasher() == nullptr) {
    const auto act = [&](std::uint32_t i, Key key) { return action.with_key(*structure, i, key); };
    return for_each_key(offset, size, count, act);
  }
  const std::int32_t hashed = hash_batch(*structure->hasher(), offset, size, count);
  const std::int32_t result = with_hashes(action, handle, scratch.counts.done);
  return result < 0 ? result : hashed;
}

}  // namespace

extern "C" {

TAMIS_EXPORT("base", "_tamis_scratch")
std::uintptr_t tamis_scratch(std::uint32_t part) { return scratch_part(part); }

// 1 certainly new, 0 probably there already, or a negative status.
TAMIS_EXPORT("filters", "_tamis_add")
std::int32_t tamis_add(Handle handle, const std::byte* key, std::uint32_t size) {
  AnyStructure* structure = find(handle);
  if (structure == nullptr) return kStale;
  return with_key(*structure, key, size, [structure](auto k) { return structure->add(k); });
}

// 1 probably present, 0 certainly absent, or a negative status.
TAMIS_EXPORT("filters", "_tamis_has")
std::int32_t tamis_has(Handle handle, const std::byte* key, std::uint32_t size) {
  AnyStructure* structure = find(handle);
  if (structure == nullptr) return kStale;
  return with_key(*structure, key, size, [structure](auto k) { return structure->has(k); });
}

TAMIS_EXPORT("filters", "_tamis_add_many")
std::int32_t tamis_add_many(Handle handle, std::uint32_t offset, std::uint32_t size,
                            std::uint32_t count) {
  return with_keys(kCounted<Add>, handle, offset, size, count);
}

TAMIS_EXPORT("filters", "_tamis_delete_many")
std::int32_t tamis_delete_many(Handle handle, std::uint32_t offset, std::uint32_t size,
                               std::uint32_t count) {
  return with_keys(kCounted<Erase>, handle, offset, size, count);
}

TAMIS_EXPORT("filters", "_tamis_has_many")
std::int32_t tamis_has_many(Handle handle, std::uint32_t offset, std::uint32_t size,
                            std::uint32_t count) {
  return with_keys(kHas, handle, offset, size, count);
}

// As tamis_has_many, of a map; the values of the keys that are there stand in the scratch's values.
TAMIS_EXPORT("filters", "_tamis_get_many")
std::int32_t tamis_get_many(Handle handle, std::uint32_t offset, std::uint32_t size,
                            std::uint32_t count) {
  return with_keys(kGet, handle, offset, size, count);
}

// 1 and the key's value in the first of the scratch's values, 0, or a negative status.
TAMIS_EXPORT("filters", "_tamis_get")
std::int32_t tamis_get(Handle handle, const std::byte* key, std::uint32_t size) {
  const AnyStructure* structure = find(handle);
  if (structure == nullptr) return kStale;
  if (structure->hasher() == nullptr) return negative(Status::kUnsupported);
  const auto hash = static_cast<std::uint64_t>((*structure->hasher())(Key(key, size)));
  const std::int32_t result = structure->get_many({&hash, 1}, scratch.answers, scratch.values);
  return result < 0 ? result : scratch.answers[0];
}

TAMIS_EXPORT("filters", "_tamis_add_hashes")
std::int32_t tamis_add_hashes(Handle handle, std::uint32_t count) {
  return with_hashes(kCounted<Add>, handle, count);
}

TAMIS_EXPORT("filters", "_tamis_has_hashes")
std::int32_t tamis_has_hashes(Handle handle, std::uint32_t count) {
  return with_hashes(kHas, handle, count);
}

// Hashes a batch with XXH3-64, or with SipHash-2-4 where `sip_key` is not null.
TAMIS_EXPORT("filters", "_tamis_hash_many")
std::int32_t tamis_hash_many(const SipKey* sip_key, std::uint32_t offset, std::uint32_t size,
                             std::uint32_t count) {
  const Hasher hasher = sip_key == nullptr ? Hasher() : Hasher(*sip_key);
  return hash_batch(hasher, offset, size, count);
}

// The hash of one key, wherever it lies, into the first of the scratch's hashes.
TAMIS_EXPORT("filters", "_tamis_hash")
void tamis_hash(const SipKey* sip_key, const std::byte* key, std::uint32_t size) {
  const Hasher hasher = sip_key == nullptr ? Hasher() : Hasher(*sip_key);
  scratch.hashes[0] = static_cast<std::uint64_t>(hasher(Key(key, size)));
}

// What KeyOperation asks of one key: 1 or 0, a number of copies, or a negative status.
TAMIS_EXPORT("filters", "_tamis_key_operation")
std::int32_t tamis_key_operation(Handle handle, std::uint32_t operation, const std::byte* key,
                                 std::uint32_t size) {
  AnyStructure* structure = find(handle);
  if (structure == nullptr) return kStale;
  const KeyOperation what{operation};
  return with_key(*structure, key, size,
                  [structure, what](auto k) { return structure->key_operation(what, k); });
}

// What the bit was before, or a negative status.
TAMIS_EXPORT("filters", "_tamis_bit")
std::int32_t tamis_bit(Handle handle, std::uint32_t operation, std::uint32_t index) {
  AnyStructure* structure = find(handle);
  return structure == nullptr ? kStale : structure->bit(BitOperation{operation}, index);
}

// Bits as text into the scratch's bytes.
TAMIS_EXPORT("filters", "_tamis_print")
std::int32_t tamis_print(Handle handle, std::uint32_t from, std::uint32_t count) {
  const AnyStructure* structure = find(handle);
  if (structure == nullptr) return kStale;
  if (count > kScratchBytes) return negative(Status::kInvalidOption);
  return structure->print(from, {reinterpret_cast<char*>(scratch.bytes), count});
}

// Splits the scratch's first bytes into starts and ends; answers how many, and puts what was
// consumed into `done` (key_lines.hpp).
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

}  // extern "C"
