// tamis/wire.hpp - the container that every structure is stored in (cpp/FORMAT.md).
//
// It has 64 bytes of header, then the payload. All integers are little-endian, there are no other
// numbers, and a structure has one encoding. This file makes all checks of hostile bytes, in
// FORMAT.md's order: Container::open, Container::take and read_whole. decode<F>() calls the three.
// The first checks compare the number of bytes with the lengths that the header claims. No code
// looks at the content or allocates before that.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <tamis/detail/buffer.hpp>
#include <tamis/detail/endian.hpp>
#include <tamis/hash.hpp>
#include <tamis/limits.hpp>
#include <tamis/status.hpp>

namespace tamis {

// Bytes that the library made, and that the caller owns.
using Bytes = detail::Buffer<std::byte>;

enum class FilterType : std::uint8_t {
#define TAMIS_STRUCTURE(Type, slug, id, hashing) k##Type = id,
#include <tamis/structures.def>
};

// The hash ids that a type's header may name, one bit for each id.
enum class Hashing : std::uint32_t {
  kUnknownType = 0,  // no type has this id
  kUnhashed = ids_of(HashKind::kNoHash),
  kHashOnce = ids_of(HashKind::kHashOnce),
  kHashPrefixes = ids_of(HashKind::kHashPrefix),
  kBloomSchemes = kHashOnce | ids_of(HashKind::kBloomScheme),
  kSplitBlocks = kHashOnce | ids_of(HashKind::kBlockScheme),
};

[[nodiscard]] constexpr bool allows(Hashing hashing, HashId id) noexcept {
  return static_cast<std::uint8_t>(id) < kHashIds &&
         (static_cast<std::uint32_t>(hashing) >> static_cast<std::uint32_t>(id) & 1) != 0;
}

// One row of structures.def.
struct TypeInfo {
  const char* slug = nullptr;
  Hashing hashing = Hashing::kUnknownType;
};

[[nodiscard]] constexpr TypeInfo info_of(FilterType type) noexcept {
  switch (type) {
#define TAMIS_STRUCTURE(Type, slug, id, hashing) \
  case FilterType::k##Type:                      \
    return {slug, Hashing::hashing};
#include <tamis/structures.def>
  }
  return {};
}

inline constexpr std::size_t kHeaderBytes = 64;
inline constexpr std::size_t kMagicBytes = 8;
inline constexpr std::uint16_t kFormatVersion = 1;
inline constexpr std::uint64_t kDefaultMaxBytes = std::uint64_t{256} << 20;

// CRC-32C (Castagnoli). It finds every error of one to three bits below 2^31 bits. `crc` continues
// the result of an earlier call.
[[nodiscard]] std::uint32_t crc32c(std::span<const std::byte> bytes,
                                   std::uint32_t crc = 0) noexcept;

// The header's fields that a structure fills in. The rest follows from them.
struct Header {
  FilterType type;
  HashId hash = HashId::kNone;
  std::uint64_t seed = 0;
  std::uint64_t key_id = 0;
  std::uint64_t capacity;
  std::uint64_t count;
  std::uint64_t payload_bytes;

  // The header of a structure that hashes keys.
  [[nodiscard]] static Header of(FilterType type, const Hasher& hasher, std::uint64_t capacity,
                                 std::uint64_t count, std::uint64_t payload_bytes) noexcept {
    return {type, hasher.id(), hasher.seed(), hasher.key_id(), capacity, count, payload_bytes};
  }
};

struct DecodeOptions {
  const SipKey* key = nullptr;
  std::uint64_t max_bytes = kDefaultMaxBytes;
  // The only scheme that is accepted, of those that are is_bloom_scheme(). nullptr accepts all.
  const HashId* scheme = nullptr;
};

// Checks the first 64 bytes alone, in FORMAT.md's order. It compares no type if `expected` is
// nullptr. Returns kNotTamis, kUnsupportedVersion, kTruncated, kCorrupt, kUnknownType, kWrongType
// or kTooLarge.
[[nodiscard]] Result<Header> read_header(std::span<const std::byte> bytes,
                                         const FilterType* expected,
                                         std::uint64_t max_bytes) noexcept;

// Writes the header in front of the payload, which already is at bytes[64..].
void write_header(std::span<std::byte> bytes, const Header& header) noexcept;

// Reads or writes a payload from its front. A step past the end gives nothing, and is remembered.
template <class Byte>
class ByteCursor {
 public:
  constexpr explicit ByteCursor(std::span<Byte> bytes) noexcept : rest_(bytes) {}

  // Empty if fewer than `size` bytes remain.
  [[nodiscard]] std::span<Byte> take(std::size_t size) noexcept {
    if (size > rest_.size()) {
      overrun_ = true;
      return {};
    }
    const auto front = rest_.first(size);
    rest_ = rest_.subspan(size);
    return front;
  }
  [[nodiscard]] std::size_t remaining() const noexcept { return rest_.size(); }
  [[nodiscard]] bool overrun() const noexcept { return overrun_; }
  // True if exactly the whole span was taken.
  [[nodiscard]] bool is_at_end() const noexcept { return rest_.empty() && !overrun_; }

 private:
  std::span<Byte> rest_;
  bool overrun_ = false;
};

// Takes integers, or an array of them. Past the end they are 0.
class ByteReader : public ByteCursor<const std::byte> {
 public:
  using ByteCursor::ByteCursor;

  [[nodiscard]] std::uint32_t u32() noexcept {
    const auto bytes = take(4);
    return bytes.empty() ? 0 : detail::load_le32(bytes.data());
  }
  [[nodiscard]] std::uint64_t u64() noexcept {
    const auto bytes = take(8);
    return bytes.empty() ? 0 : detail::load_le64(bytes.data());
  }
  template <class Word>
  void words(std::span<Word> to) noexcept {
    const auto bytes = take(to.size_bytes());
    if (bytes.empty()) return;
    std::memcpy(to.data(), bytes.data(), bytes.size());
    if constexpr (std::endian::native != std::endian::little) {
      for (Word& word : to) word = detail::swap_bytes(word);
    }
  }
};

// Writes integers, or an array of them, to a span of exactly the payload's size. What does not fit
// is not written.
class ByteWriter : public ByteCursor<std::byte> {
 public:
  using ByteCursor::ByteCursor;

  void u32(std::uint32_t value) noexcept {
    if (const auto to = take(4); !to.empty()) detail::store_le32(to.data(), value);
  }
  void u64(std::uint64_t value) noexcept {
    if (const auto to = take(8); !to.empty()) detail::store_le64(to.data(), value);
  }
  template <class Word>
  void words(std::span<const Word> from) noexcept {
    auto to = take(from.size_bytes());
    if constexpr (std::endian::native == std::endian::little) {
      if (!to.empty()) std::memcpy(to.data(), from.data(), to.size());
    } else {
      for (std::size_t i = 0; i < to.size(); i += sizeof(Word))
        detail::store<std::endian::little>(to.data() + i, from[i / sizeof(Word)]);
    }
  }
};

// A container whose header and payload were accepted. The read() of a structure takes it.
struct Container {
  Header header{};
  std::uint32_t payload_crc = 0;
  Hasher hasher{};
  ByteReader payload{{}};

  // Takes the header. It fails as read_header does.
  [[nodiscard]] Status open(std::span<const std::byte> bytes, FilterType expected,
                            std::uint64_t max_bytes) noexcept;
  // Takes the rest. It checks the length, the CRC and the key, and makes the hasher. Returns
  // kTruncated, kCorrupt, kKeyRequired, kWrongKey, or kUnsupported for another scheme.
  [[nodiscard]] Status take(std::span<const std::byte> rest, const DecodeOptions& options) noexcept;
};

// Reads the structure of a container. It must take exactly the whole payload.
template <class F>
[[nodiscard]] Result<F> read_whole(Container& container) noexcept {
  auto structure = F::read(container);
  if (structure.ok() && !container.payload.is_at_end()) return Status::kCorrupt;
  return structure;
}

// The last step of a read(): gives the structure, unless validate() refuses it.
template <class F>
[[nodiscard]] Result<F> keep_valid(F&& structure) noexcept {
  TAMIS_NEED(structure.validate());
  return std::move(structure);
}

template <class F>
[[nodiscard]] std::uint64_t encoded_bytes(const F& structure) noexcept {
  return kHeaderBytes + structure.header().payload_bytes;
}

// Writes a whole container: the header, and the payload that write(ByteWriter&) gives. Returns
// kInvalidOption unless `out` has exactly that length, and kInternal if the header promises another
// payload.
template <class Write>
[[nodiscard]] Status encode_into(const Header& header, std::span<std::byte> out,
                                 Write write) noexcept {
  if (out.size() != kHeaderBytes + header.payload_bytes) return Status::kInvalidOption;
  ByteWriter payload(out.subspan(kHeaderBytes));
  write(payload);
  if (!payload.is_at_end()) return Status::kInternal;
  write_header(out, header);
  return Status::kOk;
}

// Does the same for a structure.
template <class F>
[[nodiscard]] Status encode_into(const F& structure, std::span<std::byte> out) noexcept {
  return encode_into(structure.header(), out,
                     [&](ByteWriter& payload) { structure.write(payload); });
}

// Does the same in new memory. Returns kTooLarge for more than `max_bytes`, which decode() refuses
// unless its caller raises its limit too; or kOutOfMemory or kInternal.
template <class F>
[[nodiscard]] Result<Bytes> encode(const F& structure,
                                   std::uint64_t max_bytes = kDefaultMaxBytes) noexcept {
  const std::uint64_t size = encoded_bytes(structure);
  if (size > max_bytes) return Status::kTooLarge;
  TAMIS_TRY(bytes, Bytes::zeroed(size));
  TAMIS_NEED(encode_into(structure, bytes->span()));
  return bytes;
}

// Reads the structure in `bytes`, or returns the status of the first of FORMAT.md's checks that
// fails. The result keeps no reference to the bytes.
template <class F>
[[nodiscard]] Result<F> decode(std::span<const std::byte> bytes,
                               const DecodeOptions& options = {}) noexcept {
  Container container;
  TAMIS_NEED(container.open(bytes, F::kType, options.max_bytes));
  TAMIS_NEED(container.take(bytes.subspan(kHeaderBytes), options));
  return read_whole<F>(container);
}

}  // namespace tamis
