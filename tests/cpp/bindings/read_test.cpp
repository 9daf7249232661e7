// The exports of bindings/read.cpp, which tamis/read calls in wasm: here at the width of this machine, under
// the sanitizers. They answer as the structures themselves do, or with a status.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <tamis/registry.hpp>

#include "../../../bindings/scratch.hpp"
#include "contract/built_once.hpp"
#include "support/golden.hpp"
#include "support/test_calloc.hpp"

extern "C" {
std::int32_t tamis_has(double handle, const std::byte* key, std::uint32_t size);
std::int32_t tamis_has_many(void* reader, std::uint32_t offset, std::uint32_t size,
                            std::uint32_t count);
std::int32_t tamis_has_hashes(void* reader, std::uint32_t count);
std::int32_t tamis_get(void* reader, const std::byte* key, std::uint32_t size);
std::int32_t tamis_get_many(void* reader, std::uint32_t offset, std::uint32_t size,
                            std::uint32_t count);
std::int32_t tamis_key_operation(double handle, std::uint32_t operation, const std::byte* key,
                                 std::uint32_t size);
std::int32_t tamis_bit(void* reader, std::uint32_t operation, std::uint32_t index);
double decode(std::uint32_t type, const std::byte* bytes, std::size_t size, std::uintptr_t key,
              double max_bytes, std::uint32_t scheme, std::uintptr_t status);
std::int32_t inspect(const std::byte* bytes, std::size_t size, std::uint32_t type, double max_bytes,
                     std::uintptr_t payload_bytes);
void dispose(void* reader);
double figure(void* reader, std::uint32_t which, std::uintptr_t status);
double seed_low(void* reader, std::uintptr_t status);
double seed_high(void* reader, std::uintptr_t status);
std::int32_t hash_id(void* reader);
#define TAMIS_STRUCTURE(Type, slug, id, hashing) void load_##Type() noexcept;
#include <tamis/structures.def>
#undef TAMIS_STRUCTURE
}

// All parts, as the whole of a link has them.
[[maybe_unused]] const bool kIsLoaded = [] {
#define TAMIS_STRUCTURE(Type, slug, id, hashing) load_##Type();
#include <tamis/structures.def>
#undef TAMIS_STRUCTURE
  return true;
}();

namespace tamis::test {
namespace {

using bindings::BitOperation, bindings::Figure, bindings::KeyOperation;
using bindings::negative, bindings::scratch;

constexpr double kMaxBytes = 1 << 28;
constexpr std::int32_t kUnsupported = negative(Status::kUnsupported);
constexpr std::int32_t kDisposed = negative(Status::kDisposed);

template <class Enum>
std::uint32_t number_of(Enum value) {
  return static_cast<std::uint32_t>(value);
}

// A reader by both of the names that the exports take, and how it was read.
struct Read {
  explicit Read(std::uint32_t type, std::span<const std::byte> bytes, const SipKey* key = nullptr,
                double max_bytes = kMaxBytes) {
    std::int32_t result = 1;
    const HeapCopy copy(bytes);
    const auto address = [](const void* at) { return reinterpret_cast<std::uintptr_t>(at); };
    handle = ::decode(type, copy.span().data(), copy.span().size(), address(key), max_bytes, 0,
                      address(&result));
    reader = reinterpret_cast<void*>(static_cast<std::uintptr_t>(handle));
    status = Status{-result};
    EXPECT_EQ(handle != 0, status == Status::kOk);
  }
  Read(const Read&) = delete;
  Read& operator=(const Read&) = delete;
  ~Read() { dispose(reader); }

  double handle = 0;
  void* reader = nullptr;
  Status status = Status::kOk;
};

std::int32_t has(const Read& read, const Bytes& key) {
  const HeapCopy copy(key);
  return tamis_has(read.handle, copy.span().data(), static_cast<std::uint32_t>(key.size()));
}

// Lays keys into the scratch, one behind the other: the bytes that they take.
std::uint32_t lay(const std::vector<Bytes>& keys) {
  std::uint32_t at = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!keys[i].empty()) std::memcpy(scratch.bytes + at, keys[i].data(), keys[i].size());
    scratch.starts[i] = at;
    at += static_cast<std::uint32_t>(keys[i].size());
    scratch.ends[i] = at;
  }
  return at;
}

template <class F>
constexpr bool kIsRead = !Sketch<F> && info_of(F::kType).hashing != Hashing::kHashPrefixes;

// Whether the file wants the keys themselves, which no reader does.
bool has_scheme(std::span<const std::byte> bytes) {
  return bytes.size() > kHashAt && bytes[kTypeAt] <= std::byte{2} &&
         is_bloom_scheme(HashId{std::to_integer<std::uint8_t>(bytes[kHashAt])});
}

template <class F>
void expect_same_figures(const Read& read, const F& structure) {
  std::int32_t status = 1;
  const auto at = reinterpret_cast<std::uintptr_t>(&status);
#define TAMIS_FIGURE(member) +1
  constexpr std::uint32_t kFigures = TAMIS_FIGURES(TAMIS_FIGURE);
#undef TAMIS_FIGURE
  for (std::uint32_t i = 0; i <= kFigures; ++i) {
    const double expected = bindings::figure_of(structure, Figure{i}),
                 got = figure(read.reader, i, at);
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(got)) << i;
    else
      EXPECT_EQ(std::bit_cast<std::uint64_t>(got), std::bit_cast<std::uint64_t>(expected)) << i;
    EXPECT_EQ(status, 0);
  }
  const Hasher& hasher = structure.hasher();
  EXPECT_EQ(seed_low(read.reader, at), static_cast<double>(hasher.seed() & 0xffffffff));
  EXPECT_EQ(seed_high(read.reader, at), static_cast<double>(hasher.seed() >> 32));
  EXPECT_EQ(hash_id(read.reader), static_cast<std::int32_t>(hasher.id()));
}

template <class F>
void expect_same_answers(const Read& read, const F& filter, const std::vector<Bytes>& keys) {
  const std::uint32_t bytes = lay(keys), count = static_cast<std::uint32_t>(keys.size());
  ASSERT_EQ(tamis_has_many(read.reader, 0, bytes, count), 0);
  EXPECT_EQ(scratch.counts.done, count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int32_t expected = filter.may_contain(keys[i]) ? 1 : 0;
    EXPECT_EQ(scratch.answers[i], expected) << hex(keys[i]);
    EXPECT_EQ(has(read, keys[i]), expected) << hex(keys[i]);
  }
  lay(keys);
  ASSERT_EQ(tamis_has_many(read.reader, 0, bytes, count), 0);
  const std::vector<std::uint8_t> answers(scratch.answers, scratch.answers + count);
  std::fill_n(scratch.answers, count, std::uint8_t{2});
  ASSERT_EQ(tamis_has_hashes(read.reader, count), 0)
      << "of the hashes that the batch has left there";
  EXPECT_TRUE(std::equal(answers.begin(), answers.end(), scratch.answers));

  for (const Bytes& key : keys) {
    const HeapCopy copy(key);
    const std::byte* const at = copy.span().data();
    const auto size = static_cast<std::uint32_t>(key.size());
    const auto operate = [&](std::uint32_t operation) {
      return tamis_key_operation(read.handle, operation, at, size);
    };
    std::int32_t count_of = kUnsupported, is_deletable = kUnsupported, is_in = kUnsupported;
    if constexpr (requires { filter.count_of(Key(key)); })
      count_of = static_cast<std::int32_t>(filter.count_of(Key(key)));
    if constexpr (requires { filter.is_deletable(Key(key)); })
      is_deletable = filter.is_deletable(Key(key)) ? 1 : 0;
    if constexpr (StaticMap<F>) is_in = filter.may_contain(key) ? 1 : 0;
    EXPECT_EQ(operate(number_of(KeyOperation::kCountOf)), count_of);
    EXPECT_EQ(operate(number_of(KeyOperation::kIsDeletable)), is_deletable);
    for (std::uint32_t operation = 0; operation < 40; ++operation) {
      const bool is_known = operation == number_of(KeyOperation::kCountOf) ||
                            operation == number_of(KeyOperation::kIsDeletable);
      if (is_known) continue;
      EXPECT_EQ(operate(operation), kUnsupported) << operation;
    }
    EXPECT_EQ(tamis_get(read.reader, at, size), is_in);
    if constexpr (StaticMap<F>) {
      if (is_in == 1) {
        EXPECT_EQ(scratch.values[0], filter.get(key));
      }
    }
  }
  lay(keys);
  ASSERT_EQ(tamis_get_many(read.reader, 0, bytes, count), StaticMap<F> ? 0 : kUnsupported);
  for (std::uint32_t operation = 0; operation < 40; ++operation)
    EXPECT_EQ(tamis_bit(read.reader, operation, 0), kUnsupported);
}

void expect_same_bits(const Read& read, const BitArray& bits) {
  const auto test = number_of(BitOperation::kTest);
  for (std::uint32_t i = 0; i < bits.length(); ++i)
    EXPECT_EQ(tamis_bit(read.reader, test, i), *bits.test(i) ? 1 : 0);
  for (const std::uint64_t outside : {bits.length(), std::uint64_t{0xffffffff}}) {
    EXPECT_EQ(tamis_bit(read.reader, test, static_cast<std::uint32_t>(outside)),
              negative(Status::kInvalidOption));
  }
  for (std::uint32_t operation = test + 1; operation < 40; ++operation)
    EXPECT_EQ(tamis_bit(read.reader, operation, 0), kUnsupported);
  EXPECT_EQ(has(read, Bytes(3)), kUnsupported);
  EXPECT_EQ(tamis_has_many(read.reader, 0, lay({Bytes(3)}), 1), kUnsupported);
  EXPECT_EQ(tamis_has_hashes(read.reader, 1), kUnsupported);
  EXPECT_EQ(tamis_get(read.reader, scratch.bytes, 3), kUnsupported);
  EXPECT_EQ(tamis_key_operation(read.handle, test, scratch.bytes, 3), kUnsupported);
}

template <class F>
void expect_as_the_structure(const Golden& golden) {
  const Bytes bytes = read_file(golden.file);
  const SipKey* const key = golden.key ? &*golden.key : nullptr;
  const Read read(number_of(F::kType), bytes, key);
  const auto whole = tamis::decode<F>(bytes, {.key = key});
  if (whole.ok() && has_scheme(bytes)) {
    EXPECT_EQ(read.status, Status::kUnsupported);
    return;
  }
  EXPECT_EQ(read.status, has_scheme(bytes) && read.status == Status::kUnsupported
                             ? Status::kUnsupported
                             : whole.status());
  if (!whole.ok()) return;
  expect_same_figures(read, *whole);
  if constexpr (Filter<F>) {
    std::vector<Bytes> keys;
    for (const auto* some : {&golden.present, &golden.absent})
      for (const std::string& element : *some) keys.push_back(from_hex(element));
    expect_same_answers(read, *whole, keys);
    for (const std::string& element : golden.present) EXPECT_EQ(has(read, from_hex(element)), 1);
  } else {
    expect_same_bits(read, *whole);
  }
}

TEST(Readers, AnswerAsTheStructuresDo) {
  for (const Golden& golden : golden_files("v1/")) {
    SCOPED_TRACE(golden.file);
    for_each_type([&]<class F>() {
      if (golden.type != info_of(F::kType).slug) return;
      if constexpr (kIsRead<F>)
        expect_as_the_structure<F>(golden);
      else
        EXPECT_EQ(Read(number_of(F::kType), read_file(golden.file)).status, Status::kUnknownType);
    });
  }
}

// One of each type, with the bytes that a file of it may have at most.
template <class Act>
void for_one_of_each(Act act) {
  std::string last;
  for (const Golden& golden : golden_files("v1/")) {
    if (!golden.error.empty() || golden.type == last || golden.type == "iblt") continue;
    const Bytes bytes = read_file(golden.file);
    if (has_scheme(bytes) || golden.present.empty()) continue;
    last = golden.type;
    SCOPED_TRACE(golden.file);
    act(golden, bytes);
  }
}

TEST(Readers, AreNotMadeWithoutMemory) {
  for_one_of_each([](const Golden& golden, const Bytes& bytes) {
    const std::uint32_t type = std::to_integer<std::uint32_t>(bytes[kTypeAt]);
    const SipKey* const key = golden.key ? &*golden.key : nullptr;
    tamis_fail_allocation(0);
    {
      EXPECT_EQ(Read(type, bytes, key).status, Status::kOk);
    }
    const std::size_t needed = tamis_allocations();
    EXPECT_GE(needed, 2u);
    for (std::size_t i = 1; i <= needed; ++i) {
      tamis_fail_allocation(i);
      const Read read(type, bytes, key);
      tamis_fail_allocation(0);
      EXPECT_EQ(read.status, Status::kOutOfMemory) << i << " of " << needed;
    }
  });
}

TEST(Readers, RefuseWhatIsCutOrChanged) {
  for_one_of_each([](const Golden& golden, const Bytes& bytes) {
    const std::uint32_t type = std::to_integer<std::uint32_t>(bytes[kTypeAt]);
    const SipKey* const key = golden.key ? &*golden.key : nullptr;
    for (std::size_t size = 0; size < bytes.size(); size += size < 100 ? 1 : 37)
      EXPECT_NE(Read(type, std::span(bytes).first(size), key).status, Status::kOk) << size;
    for (std::size_t at = 0; at < bytes.size(); at += at < 100 ? 1 : 37) {
      Bytes changed = bytes;
      changed[at] ^= std::byte{0x10};
      EXPECT_NE(Read(type, changed, key).status, Status::kOk) << at;
      repair_crcs(changed);
      // Now it may be a structure, of other keys: what is asked stays inside it.
      const Read read(type, changed, key);
      if (read.status != Status::kOk) continue;
      EXPECT_NE(has(read, from_hex(golden.present[0])), kDisposed);
    }
    EXPECT_EQ(Read(type, bytes, key, 63).status, Status::kTooLarge);
    EXPECT_EQ(Read(type == 1 ? 2 : 1, bytes, key).status, Status::kWrongType);
    double payload_bytes = 0;
    const auto at = reinterpret_cast<std::uintptr_t>(&payload_bytes);
    EXPECT_EQ(inspect(bytes.data(), bytes.size(), 0, kMaxBytes, at), static_cast<int>(type));
    EXPECT_EQ(payload_bytes, static_cast<double>(bytes.size() - kHeaderBytes));
    EXPECT_EQ(inspect(bytes.data(), 63, type, kMaxBytes, at), negative(Status::kTruncated));
  });
}

TEST(Readers, AreOfKnownTypes) {
  for (const std::uint32_t type : {0u, 254u, 255u, 256u, 257u, ~0u})
    EXPECT_EQ(Read(type, Bytes(64)).status, Status::kUnknownType) << type;
  for_each_type([]<class F>() {
    EXPECT_EQ(Read(number_of(F::kType), Bytes(64)).status,
              kIsRead<F> ? Status::kNotTamis : Status::kUnknownType);
  });
}

TEST(Readers, NoHandleIsNoStructure) {
  EXPECT_EQ(tamis_has(0, scratch.bytes, 1), kDisposed);
  EXPECT_EQ(tamis_has_many(nullptr, 0, 0, 0), kDisposed);
  EXPECT_EQ(tamis_has_hashes(nullptr, 0), kDisposed);
  EXPECT_EQ(tamis_get(nullptr, scratch.bytes, 1), kDisposed);
  EXPECT_EQ(tamis_get_many(nullptr, 0, 0, 0), kDisposed);
  EXPECT_EQ(tamis_key_operation(0, 0, scratch.bytes, 1), kDisposed);
  EXPECT_EQ(tamis_bit(nullptr, 0, 0), kDisposed);
  dispose(nullptr);
}

TEST(Readers, BatchesStayInTheScratch) {
  const Read read(1, read_file("v1/bloom-three-keys.tamis"));
  ASSERT_EQ(read.status, Status::kOk);
  const std::uint32_t bytes = lay({Bytes(3), Bytes(2), Bytes(1)});
  scratch.ends[1] = bytes + 1;
  EXPECT_EQ(tamis_has_many(read.reader, 0, bytes, 3), negative(Status::kInvalidKey));
  EXPECT_EQ(scratch.counts.done, 1u);
  scratch.starts[0] = 5;
  EXPECT_EQ(tamis_has_many(read.reader, 0, bytes, 3), negative(Status::kInvalidKey));
  EXPECT_EQ(scratch.counts.done, 0u);
  EXPECT_EQ(tamis_has_many(read.reader, 6, bytes, 3), negative(Status::kInvalidKey));
  const auto too_many = static_cast<std::uint32_t>(bindings::kBatchKeys + 1);
  EXPECT_EQ(tamis_has_many(read.reader, 0, 0, too_many), negative(Status::kInvalidOption));
  EXPECT_EQ(tamis_has_many(read.reader, 0, bindings::kScratchBytes + 1, 1),
            negative(Status::kInvalidOption));
  EXPECT_EQ(tamis_has_hashes(read.reader, too_many), negative(Status::kInvalidOption));
  EXPECT_EQ(tamis_has_many(read.reader, 0, 0, 0), 0);
}

}  // namespace
}  // namespace tamis::test
