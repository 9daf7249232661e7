// bindings/read.cpp - structures to ask: raw exports alone, no embind, and nothing that builds or changes.
//
// js/scripts/wasm cuts the link of it into a base and a part per type, as it does that of the whole
// library. A handle is the address of a structure, and 0 is none.
// JavaScript keeps it where nobody can reach it, and forgets it before it disposes of the
// structure. Statuses are negative numbers.

#include <array>
#include <new>
#include <type_traits>

#include <tamis/registry.hpp>

#include "config_reader.hpp"
#include "part.hpp"
#include "scratch.hpp"

namespace tamis::bindings {

Scratch scratch;

namespace {

struct Reader;

// What some types alone can answer:
//
// - an operation on a key, one of those below kKeyOperations;
// - whether the bit `number` is set;
// - the values of the first `number` hashes of the scratch, and has_many.
using Question = std::uint32_t;
constexpr Question kKeyOperations = 16, kTestBit = 16, kGet = 17;

// What a type brings along. Functions and no virtual ones: what many types lack is there once.
struct ReaderEntry {
  // A reader, which says how reading went; nullptr where there is no memory.
  Reader* (*read)(Container& container) noexcept;
  void (*destroy)(Reader& reader) noexcept;
  std::int32_t (*has)(const Reader& reader, Hash hash) noexcept;
  std::int32_t (*has_many)(const Reader& reader, std::span<const std::uint64_t> hashes) noexcept;
  std::int32_t (*ask)(const Reader& reader, Question question, std::uint64_t number) noexcept;
  double (*figure)(const Reader& reader, Figure figure) noexcept;
};

// A structure of any type.
struct Reader {
  const ReaderEntry* entry;
  const Hasher* hasher;
  Status status;
};

template <class F>
struct ReaderOf : Reader {
  ReaderOf(const ReaderEntry& type, Container& container) noexcept
      : Reader{&type, nullptr, Status::kOk}, structure(F::read(container)) {
    status = structure.status();
    if (structure.ok()) hasher = &structure->hasher();
  }

  Result<F> structure;
};

std::int32_t cannot_ask(const Reader&, Question, std::uint64_t) noexcept {
  return negative(Status::kUnsupported);
}

// Lists of URLs are not asked by keys, and a sketch answers no question at all.
template <class F>
constexpr bool kIsAsked = info_of(F::kType).hashing != Hashing::kHashPrefixes && !Sketch<F>;

template <class F>
struct Asked {
  static const F& structure_of(const Reader& reader) noexcept {
    return *static_cast<const ReaderOf<F>&>(reader).structure;
  }

  static Reader* read(Container& container) noexcept {
    void* const memory = std::calloc(1, sizeof(ReaderOf<F>));
    return memory == nullptr ? nullptr : ::new (memory) ReaderOf<F>(kEntry, container);
  }
  static void destroy(Reader& reader) noexcept { static_cast<ReaderOf<F>&>(reader).~ReaderOf(); }
  static std::int32_t has(const Reader& reader, Hash hash) noexcept {
    if constexpr (Filter<F>) return structure_of(reader).may_contain(hash) ? 1 : 0;
    return negative(Status::kUnsupported);
  }
  static std::int32_t has_many(const Reader& reader,
                               std::span<const std::uint64_t> hashes) noexcept {
    if constexpr (!Filter<F>)
      return negative(Status::kUnsupported);
    else
      structure_of(reader).may_contain(hashes, scratch.answers);
    return 0;
  }
  static std::int32_t ask(const Reader& reader, [[maybe_unused]] Question question,
                          std::uint64_t number) noexcept {
    [[maybe_unused]] const F& structure = structure_of(reader);
    [[maybe_unused]] const Hash hash{number};
    const auto is = [=](KeyOperation operation) {
      return question == static_cast<Question>(operation);
    };
    if constexpr (requires { structure.count_of(hash); }) {
      if (is(KeyOperation::kCountOf)) return static_cast<std::int32_t>(structure.count_of(hash));
    } else if constexpr (requires { structure.is_deletable(hash); }) {
      if (is(KeyOperation::kIsDeletable)) return structure.is_deletable(hash) ? 1 : 0;
    } else if constexpr (kHasValues) {
      if (question == kGet) {
        structure.get({scratch.hashes, static_cast<std::size_t>(number)}, scratch.answers,
                      scratch.values);
        return 0;
      }
    } else if constexpr (!Filter<F>) {
      if (question == kTestBit) {
        const auto bit = structure.test(number);
        return bit.ok() ? static_cast<std::int32_t>(*bit) : negative(bit.status());
      }
    }
    return negative(Status::kUnsupported);
  }
  static double figure(const Reader& reader, Figure figure) noexcept {
    return figure_of(structure_of(reader), figure);
  }

  static constexpr bool kHasValues =
      requires(const F& structure) { structure.get({}, scratch.answers, scratch.values); };
  static constexpr bool kHasQuestions =
      kHasValues || !Filter<F> || requires(const F& structure, Hash hash) {
        structure.count_of(hash);
      } || requires(const F& structure, Hash hash) { structure.is_deletable(hash); };

  static constexpr ReaderEntry kEntry = {
      &read, &destroy, &has, &has_many, kHasQuestions ? &ask : &cannot_ask, &figure};
};

// Of what has_many, get_many and has_hashes ask, all but the hashing.
std::int32_t answer(const Reader& reader, Question question, std::uint32_t count) noexcept {
  return question == kGet ? reader.entry->ask(reader, kGet, count)
                          : reader.entry->has_many(reader, {scratch.hashes, count});
}

// By wire id, of the types that are loaded.
constinit std::array<const ReaderEntry*, static_cast<std::size_t>(FilterType::kUrlDelta) + 1>
    entries{};

template <class F>
void load() noexcept {
  if constexpr (kIsAsked<F>) entries[static_cast<std::size_t>(F::kType)] = &Asked<F>::kEntry;
}

}  // namespace

using namespace tamis::url;
#define TAMIS_STRUCTURE(Type, slug, id, hashing) \
  TAMIS_PART(slug, load_##Type) { load<Type>(); }
#include <tamis/structures.def>
#undef TAMIS_STRUCTURE

}  // namespace tamis::bindings

namespace {

using namespace tamis;
using namespace tamis::bindings;

constexpr std::int32_t kDisposed = negative(Status::kDisposed);

// Where a handle comes as a number, as the helper of strings hands it over. Below 2^52 it is the sum's
// lowest bits: a conversion would look at its range first.
const Reader* reader_at(Handle handle) noexcept {
  const auto bits = __builtin_bit_cast(std::uint64_t, handle + 0x1p52);
  return reinterpret_cast<const Reader*>(
      static_cast<std::uintptr_t>(bits & ((std::uint64_t{1} << 52) - 1)));
}

// Hashes a batch, and asks about all of it.
TAMIS_NOINLINE std::int32_t ask_many(const Reader* reader, std::uint32_t offset, std::uint32_t size,
                                     std::uint32_t count, Question question) noexcept {
  if (reader == nullptr) return kDisposed;
  const std::int32_t hashed = for_each_key(offset, size, count, [=](std::uint32_t i, Key key) {
    scratch.hashes[i] = static_cast<std::uint64_t>((*reader->hasher)(key));
    return 0;
  });
  const std::int32_t result = answer(*reader, question, scratch.counts.done);
  return result < 0 ? result : hashed;
}

}  // namespace

// Named as js/src/wasm/core.ts has them: what asks the whole core asks this one too.
extern "C" {

TAMIS_EXPORT("base", "_tamis_scratch")
std::uintptr_t tamis_scratch(std::uint32_t part) { return scratch_part(part); }

TAMIS_EXPORT("base", "_tamis_has")
std::int32_t tamis_has(Handle handle, const std::byte* key, std::uint32_t size) {
  const Reader* reader = reader_at(handle);
  if (reader == nullptr) return kDisposed;
  return reader->entry->has(*reader, (*reader->hasher)(Key(key, size)));
}

TAMIS_EXPORT("base", "_tamis_has_many")
std::int32_t tamis_has_many(const Reader* reader, std::uint32_t offset, std::uint32_t size,
                            std::uint32_t count) {
  return ask_many(reader, offset, size, count, 0);
}

TAMIS_EXPORT("base", "_tamis_has_hashes")
std::int32_t tamis_has_hashes(const Reader* reader, std::uint32_t count) {
  if (reader == nullptr) return kDisposed;
  if (count > bindings::kBatchKeys) return negative(Status::kInvalidOption);
  scratch.counts.done = count;
  return answer(*reader, 0, count);
}

// As the core's (keys.cpp).
TAMIS_EXPORT("block-routes", "_tamis_hash_many")
std::int32_t tamis_hash_many(const SipKey* sip_key, std::uint32_t offset, std::uint32_t size,
                             std::uint32_t count) {
  const Hasher hasher = Hasher::of_keys(sip_key);
  return for_each_key(offset, size, count, [&](std::uint32_t i, Key key) {
    scratch.hashes[i] = static_cast<std::uint64_t>(hasher(key));
    return 0;
  });
}

TAMIS_EXPORT("routes", "_tamis_hash")
void tamis_hash(const SipKey* sip_key, const std::byte* key, std::uint32_t size) {
  scratch.hashes[0] = static_cast<std::uint64_t>(Hasher::of_keys(sip_key)(Key(key, size)));
}

TAMIS_EXPORT("base", "_tamis_get")
std::int32_t tamis_get(const Reader* reader, const std::byte* key, std::uint32_t size) {
  if (reader == nullptr) return kDisposed;
  scratch.hashes[0] = static_cast<std::uint64_t>((*reader->hasher)(Key(key, size)));
  const std::int32_t result = answer(*reader, kGet, 1);
  return result < 0 ? result : scratch.answers[0];
}

TAMIS_EXPORT("base", "_tamis_get_many")
std::int32_t tamis_get_many(const Reader* reader, std::uint32_t offset, std::uint32_t size,
                            std::uint32_t count) {
  return ask_many(reader, offset, size, count, kGet);
}

TAMIS_EXPORT("base", "_tamis_key_operation")
std::int32_t tamis_key_operation(Handle handle, std::uint32_t operation, const std::byte* key,
                                 std::uint32_t size) {
  const Reader* reader = reader_at(handle);
  if (reader == nullptr) return kDisposed;
  if (operation >= kKeyOperations) return negative(Status::kUnsupported);
  const Hash hash = (*reader->hasher)(Key(key, size));
  return reader->entry->ask(*reader, operation, static_cast<std::uint64_t>(hash));
}

TAMIS_EXPORT("base", "_tamis_bit")
std::int32_t tamis_bit(const Reader* reader, std::uint32_t operation, std::uint32_t index) {
  if (reader == nullptr) return kDisposed;
  if (BitOperation{operation} != BitOperation::kTest) return negative(Status::kUnsupported);
  return reader->entry->ask(*reader, kTestBit, index);
}

TAMIS_EXPORT("base", "dispose")
void dispose(Reader* reader) {
  if (reader == nullptr) return;
  reader->entry->destroy(*reader);
  std::free(reader);
}

TAMIS_EXPORT("base", "decode")
Handle decode(std::uint32_t type, const std::byte* bytes, std::size_t size, Address key,
              double max_bytes, std::uint32_t /* scheme */, Address status) {
  DecodeOptions options;
  options.max_bytes = static_cast<std::uint64_t>(max_bytes);
  options.key = reinterpret_cast<const SipKey*>(key);
  put_status(status, Status::kUnknownType);
  const auto* entry = type < bindings::entries.size() ? bindings::entries[type] : nullptr;
  if (entry == nullptr) return 0;
  Container container;
  Reader* reader = nullptr;
  Status read = container.open({bytes, size}, FilterType{to_id(type)}, options);
  if (read == Status::kOk) {
    // A scheme of Bloom filters that asks for the keys themselves is never answered by another rule.
    if (is_bloom_scheme(container.header.hash)) {
      read = Status::kUnsupported;
    } else {
      reader = entry->read(container);
      read = reader == nullptr ? Status::kOutOfMemory : reader->status;
      if (read == Status::kOk && !container.is_read()) read = Status::kCorrupt;
      if (read != Status::kOk) {
        dispose(reader);
        reader = nullptr;
      }
    }
  }
  put_status(status, read);
  return static_cast<Handle>(reinterpret_cast<std::uintptr_t>(reader));
}

TAMIS_EXPORT("base", "inspect")
std::int32_t inspect(const std::byte* bytes, std::size_t size, std::uint32_t type, double max_bytes,
                     Address payload_bytes) {
  return inspect_header({bytes, size}, type, max_bytes, payload_bytes);
}

// JavaScript knows that the structure is there, as for all below.
TAMIS_EXPORT("base", "figure")
double figure(const Reader* reader, std::uint32_t which, Address status) {
  put_status(status, Status::kOk);
  return reader->entry->figure(*reader, Figure{which});
}

TAMIS_EXPORT("base", "seedLow")
double seed_low(const Reader* reader, Address status) {
  put_status(status, Status::kOk);
  return static_cast<std::uint32_t>(reader->hasher->seed());
}

TAMIS_EXPORT("base", "seedHigh")
double seed_high(const Reader* reader, Address status) {
  put_status(status, Status::kOk);
  return static_cast<std::uint32_t>(reader->hasher->seed() >> 32);
}

TAMIS_EXPORT("base", "hashId")
std::int32_t hash_id(const Reader* reader) {
  return static_cast<std::int32_t>(reader->hasher->id());
}

}  // extern "C"
