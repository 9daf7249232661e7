// bindings/read.cpp - structures to ask: raw exports alone, no embind, and nothing that builds or changes.
//
// js/scripts/wasm cuts the link of it into a base and a part per type, as it does that of the whole
// library; tamis_entries is what it cuts at. A handle is the address of a structure, and 0 is none:
// JavaScript keeps it where nobody can reach it, and forgets it before it disposes of the structure.
// Statuses are negative numbers.

#include <array>
#include <new>
#include <type_traits>

#include <tamis/registry.hpp>

#include "config_reader.hpp"
#include "scratch.hpp"

namespace tamis::bindings {

Scratch scratch;

namespace {

// A structure of any type; what it cannot do answers -kUnsupported.
class Reader {
 public:
  virtual ~Reader() = default;
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  static void* operator new(std::size_t size) noexcept { return std::malloc(size); }
  static void operator delete(void* object) noexcept { std::free(object); }

  [[nodiscard]] const Hasher& hasher() const noexcept { return *hasher_; }

  virtual std::int32_t has(Hash hash) const noexcept = 0;
  virtual std::int32_t has_many(std::span<const std::uint64_t> hashes) const noexcept = 0;
  // The same of a map, with the keys' values.
  virtual std::int32_t get_many(std::span<const std::uint64_t> hashes) const noexcept = 0;
  virtual std::int32_t operate(KeyOperation operation, Hash hash) const noexcept = 0;
  virtual std::int32_t test(std::uint64_t index) const noexcept = 0;
  [[nodiscard]] virtual double figure(Figure figure) const noexcept = 0;

 protected:
  Reader() noexcept = default;
  void hash_by(const Hasher& hasher) noexcept { hasher_ = &hasher; }

 private:
  const Hasher* hasher_ = nullptr;
};

template <class F>
class ReaderOf final : public Reader {
 public:
  explicit ReaderOf(F&& structure) noexcept : structure_(std::move(structure)) {
    hash_by(structure_.hasher());
  }

  std::int32_t has(Hash hash) const noexcept override {
    if constexpr (Filter<F>) return structure_.may_contain(hash) ? 1 : 0;
    return negative(Status::kUnsupported);
  }
  std::int32_t has_many(std::span<const std::uint64_t> hashes) const noexcept override {
    if constexpr (Filter<F>) {
      structure_.may_contain(hashes, scratch.answers);
      return 0;
    }
    return negative(Status::kUnsupported);
  }
  std::int32_t get_many(std::span<const std::uint64_t> hashes) const noexcept override {
    if constexpr (requires { structure_.get(hashes, scratch.answers, scratch.values); }) {
      structure_.get(hashes, scratch.answers, scratch.values);
      return 0;
    }
    return negative(Status::kUnsupported);
  }
  std::int32_t operate(KeyOperation operation, Hash hash) const noexcept override {
    if constexpr (requires { structure_.count_of(hash); }) {
      if (operation == KeyOperation::kCountOf)
        return static_cast<std::int32_t>(structure_.count_of(hash));
    }
    if constexpr (requires { structure_.is_deletable(hash); }) {
      if (operation == KeyOperation::kIsDeletable) return structure_.is_deletable(hash) ? 1 : 0;
    }
    return negative(Status::kUnsupported);
  }
  std::int32_t test(std::uint64_t index) const noexcept override {
    if constexpr (requires { structure_.test(index); }) {
      const auto bit = structure_.test(index);
      return bit.ok() ? static_cast<std::int32_t>(*bit) : negative(bit.status());
    }
    return negative(Status::kUnsupported);
  }
  double figure(Figure figure) const noexcept override { return figure_of(structure_, figure); }

 private:
  F structure_;
};

struct ReaderEntry {
  Reader* (*read)(Container& container, Status& status) noexcept;
};

template <class F>
Reader* read(Container& container, Status& status) noexcept {
  auto structure = F::read(container);
  status = structure.status();
  if (!structure.ok()) return nullptr;
  Reader* reader = new ReaderOf<F>(std::move(*structure));
  if (reader == nullptr) status = Status::kOutOfMemory;
  return reader;
}

// Lists of URLs are not asked by keys, and a sketch answers no question at all.
template <class F>
constexpr bool kIsAsked = info_of(F::kType).hashing != Hashing::kHashPrefixes && !Sketch<F>;

template <class F>
constexpr ReaderEntry kReaderEntryOf = {&read<F>};

const Reader* reader_at(Handle handle) noexcept {
  return reinterpret_cast<const Reader*>(static_cast<std::uintptr_t>(handle));
}

constexpr std::int32_t kDisposed = negative(Status::kDisposed);

}  // namespace
}  // namespace tamis::bindings

// By wire id. Not const, and used for what the optimizer can see: the parts of a cut wasm fill it
// in.
extern "C" [[gnu::used]] constinit auto tamis_entries = [] {
  using namespace tamis;
  std::array<const bindings::ReaderEntry*, static_cast<std::size_t>(FilterType::kUrlDelta) + 1>
      entries{};
  for_each_type([&]<class F>() {
    if constexpr (bindings::kIsAsked<F>)
      entries[static_cast<std::size_t>(F::kType)] = &bindings::kReaderEntryOf<F>;
  });
  return entries;
}();

namespace {

using namespace tamis;
using namespace tamis::bindings;

// Calls act(reader) for the structure behind the handle, else answers kDisposed.
template <class Act>
std::int32_t with_reader(Handle handle, Act act) noexcept {
  const Reader* reader = reader_at(handle);
  return reader == nullptr ? kDisposed : act(*reader);
}

// The same for one key, by its hash.
template <class Act>
std::int32_t with_hash(Handle handle, const std::byte* key, std::uint32_t size, Act act) noexcept {
  return with_reader(handle,
                     [=](auto& reader) { return act(reader, reader.hasher()(Key(key, size))); });
}

using AskMany = std::int32_t (Reader::*)(std::span<const std::uint64_t> hashes) const noexcept;

// The same for a batch, whose keys are all hashed first.
TAMIS_NOINLINE std::int32_t ask_many(Handle handle, std::uint32_t offset, std::uint32_t size,
                                     std::uint32_t count, AskMany ask) noexcept {
  return with_reader(handle, [=](auto& reader) {
    const std::int32_t hashed = for_each_key(offset, size, count, [&](std::uint32_t i, Key key) {
      scratch.hashes[i] = static_cast<std::uint64_t>(reader.hasher()(key));
      return 0;
    });
    const std::int32_t result = (reader.*ask)({scratch.hashes, scratch.counts.done});
    return result < 0 ? result : hashed;
  });
}

}  // namespace

// Named as js/src/wasm/core.d.ts has them: what asks the whole core asks this one too.
#define TAMIS_EXPORT(name) __attribute__((export_name(name)))

extern "C" {

TAMIS_EXPORT("_tamis_scratch")
std::uintptr_t tamis_scratch(std::uint32_t part) { return scratch_part(part); }

TAMIS_EXPORT("_tamis_has")
std::int32_t tamis_has(Handle handle, const std::byte* key, std::uint32_t size) {
  return with_hash(handle, key, size, [](auto& reader, Hash hash) { return reader.has(hash); });
}

TAMIS_EXPORT("_tamis_has_many")
std::int32_t tamis_has_many(Handle handle, std::uint32_t offset, std::uint32_t size,
                            std::uint32_t count) {
  return ask_many(handle, offset, size, count, &Reader::has_many);
}

TAMIS_EXPORT("_tamis_has_hashes")
std::int32_t tamis_has_hashes(Handle handle, std::uint32_t count) {
  return with_reader(handle, [=](auto& reader) {
    if (count > bindings::kBatchKeys) return negative(Status::kInvalidOption);
    scratch.counts.done = count;
    return reader.has_many({scratch.hashes, count});
  });
}

TAMIS_EXPORT("_tamis_get")
std::int32_t tamis_get(Handle handle, const std::byte* key, std::uint32_t size) {
  return with_hash(handle, key, size, [](auto& reader, Hash hash) {
    const auto number = static_cast<std::uint64_t>(hash);
    const std::int32_t result = reader.get_many({&number, 1});
    return result < 0 ? result : scratch.answers[0];
  });
}

TAMIS_EXPORT("_tamis_get_many")
std::int32_t tamis_get_many(Handle handle, std::uint32_t offset, std::uint32_t size,
                            std::uint32_t count) {
  return ask_many(handle, offset, size, count, &Reader::get_many);
}

TAMIS_EXPORT("_tamis_key_operation")
std::int32_t tamis_key_operation(Handle handle, std::uint32_t operation, const std::byte* key,
                                 std::uint32_t size) {
  return with_hash(handle, key, size, [=](auto& reader, Hash hash) {
    return reader.operate(KeyOperation{operation}, hash);
  });
}

// Of the operations on a bit, the one that changes nothing.
TAMIS_EXPORT("_tamis_bit")
std::int32_t tamis_bit(Handle handle, std::uint32_t operation, std::uint32_t index) {
  return with_reader(handle, [=](auto& reader) {
    return BitOperation{operation} == BitOperation::kTest ? reader.test(index)
                                                          : negative(Status::kUnsupported);
  });
}

TAMIS_EXPORT("decode")
Handle decode(std::uint32_t type, const std::byte* bytes, std::size_t size, Address key,
              double max_bytes, std::uint32_t /* scheme */, Address status) {
  DecodeOptions options;
  options.max_bytes = static_cast<std::uint64_t>(max_bytes);
  SipKey copy;
  if (key != 0) {
    copy = read_key(key);
    options.key = &copy;
  }
  put_status(status, Status::kUnknownType);
  const auto* entry = type < tamis_entries.size() ? tamis_entries[type] : nullptr;
  if (entry == nullptr) return 0;
  auto container = Container::open({bytes, size}, FilterType{to_id(type)}, options);
  if (!container.ok()) {
    put_status(status, container.status());
    return 0;
  }
  // A scheme of Bloom filters that asks for the keys themselves is never answered by another rule.
  if (is_bloom_scheme(container->header.hash)) {
    put_status(status, Status::kUnsupported);
    return 0;
  }
  Status read = Status::kOk;
  const Reader* reader = entry->read(*container, read);
  if (reader != nullptr && !container->is_read()) {
    delete reader;
    reader = nullptr;
    read = Status::kCorrupt;
  }
  put_status(status, read);
  return static_cast<Handle>(reinterpret_cast<std::uintptr_t>(reader));
}

TAMIS_EXPORT("inspect")
std::int32_t inspect(const std::byte* bytes, std::size_t size, std::uint32_t type, double max_bytes,
                     Address payload_bytes) {
  return inspect_header({bytes, size}, type, max_bytes, payload_bytes);
}

TAMIS_EXPORT("dispose")
void dispose(Handle handle) { delete reader_at(handle); }

// JavaScript knows that the structure is there, as for all below.
TAMIS_EXPORT("figure")
double figure(Handle handle, std::uint32_t which, Address status) {
  put_status(status, Status::kOk);
  return reader_at(handle)->figure(Figure{which});
}

TAMIS_EXPORT("seedLow")
double seed_low(Handle handle, Address status) {
  put_status(status, Status::kOk);
  return static_cast<std::uint32_t>(reader_at(handle)->hasher().seed());
}

TAMIS_EXPORT("seedHigh")
double seed_high(Handle handle, Address status) {
  put_status(status, Status::kOk);
  return static_cast<std::uint32_t>(reader_at(handle)->hasher().seed() >> 32);
}

TAMIS_EXPORT("hashId")
std::int32_t hash_id(Handle handle) {
  return static_cast<std::int32_t>(reader_at(handle)->hasher().id());
}

}  // extern "C"
