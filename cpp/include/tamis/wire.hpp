// tamis/wire.hpp - the container in which every structure is stored (cpp/FORMAT.md).
//
// A container is 64 bytes of header, then the payload. All numbers are little-endian integers, and
// a structure has exactly one encoding. decode<F>() checks untrusted bytes in FORMAT.md's order:
// Container::open, Container::take, and read_whole, which calls F::read(). The lengths that a
// header claims are checked before any code reads the payload or allocates memory.
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

// Memory that the library allocated, and that the caller owns.
using Bytes = detail::Buffer<std::byte>;

enum class FilterType : std::uint8_t {
#define TAMIS_STRUCTURE(Type, slug, id, hashing) k##Type = id,
#include <tamis/structures.def>
};

// The hash ids that a type's header may contain, one bit for each id.
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

// CRC-32C (Castagnoli). It detects every error of one to three bits in up to 2^31 bits. To continue
// an earlier call, pass its result as `crc`.
[[nodiscard]] std::uint32_t crc32c(std::span<const std::byte> bytes,
                                   std::uint32_t crc = 0) noexcept;

// The header fields that a structure provides. The others are computed from them.
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
  // The only Bloom scheme (is_bloom_scheme()) to accept. With nullptr, all are accepted.
  const HashId* scheme = nullptr;
};

// Checks only the first 64 bytes, in FORMAT.md's order. If `expected` is nullptr, any type is
// accepted. Fails with kNotTamis, kUnsupportedVersion, kTruncated, kCorrupt, kUnknownType,
// kWrongType, kTooLarge.
[[nodiscard]] Result<Header> read_header(std::span<const std::byte> bytes,
                                         const FilterType* expected,
                                         std::uint64_t max_bytes) noexcept;

// Writes the header in front of the payload, which must already be at bytes[64..].
void write_header(std::span<std::byte> bytes, const Header& header) noexcept;

// Reads or writes a payload from front to back. A call that would pass the end only sets overrun().
template <class Byte>
class ByteCursor {
 public:
  constexpr explicit ByteCursor(std::span<Byte> bytes) noexcept : rest_(bytes) {}

  // The next `size` bytes, or an empty span if fewer remain.
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
  // True if all bytes were taken, and no call tried to take more.
  [[nodiscard]] bool is_at_end() const noexcept { return rest_.empty() && !overrun_; }

 private:
  std::span<Byte> rest_;
  bool overrun_ = false;
};

// Reads integers or arrays of them. Past the end, integers are 0.
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

// Writes integers or arrays of them to a span of the payload's size, as far as they fit.
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

// A container whose header and payload passed the checks, from which F::read() makes a structure.
struct Container {
  Header header{};
  std::uint32_t payload_crc = 0;
  Hasher hasher{};
  ByteReader payload{{}};

  // Reads the header. Fails as read_header() does.
  [[nodiscard]] Status open(std::span<const std::byte> bytes, FilterType expected,
                            std::uint64_t max_bytes) noexcept;
  // Checks the payload's length and CRC and the key, and makes the hasher. Returns kTruncated,
  // kCorrupt, kKeyRequired, kWrongKey, or kUnsupported for a Bloom scheme that `options` excludes.
  [[nodiscard]] Status take(std::span<const std::byte> rest, const DecodeOptions& options) noexcept;
};

// Reads the structure in a container. Its payload must end where the structure ends.
template <class F>
[[nodiscard]] Result<F> read_whole(Container& container) noexcept {
  auto structure = F::read(container);
  if (structure.ok() && !container.payload.is_at_end()) return Status::kCorrupt;
  return structure;
}

// The last step of F::read(): returns the structure if validate() accepts it.
template <class F>
[[nodiscard]] Result<F> keep_valid(F&& structure) noexcept {
  TAMIS_NEED(structure.validate());
  return std::move(structure);
}

template <class F>
[[nodiscard]] std::uint64_t encoded_bytes(const F& structure) noexcept {
  return kHeaderBytes + structure.header().payload_bytes;
}

// Writes a whole container: the header, and the payload that write(ByteWriter&) produces. Returns
// kInvalidOption unless `out` has exactly the container's size, and kInternal if the payload does
// not have the length that the header states.
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

// Writes the container of a structure.
template <class F>
[[nodiscard]] Status encode_into(const F& structure, std::span<std::byte> out) noexcept {
  return encode_into(structure.header(), out,
                     [&](ByteWriter& payload) { structure.write(payload); });
}

// Writes the container of a structure to new memory. Returns kOutOfMemory, kInternal, or kTooLarge
// above `max_bytes`: decode() refuses such a file unless its caller raises that limit too.
template <class F>
[[nodiscard]] Result<Bytes> encode(const F& structure,
                                   std::uint64_t max_bytes = kDefaultMaxBytes) noexcept {
  const std::uint64_t size = encoded_bytes(structure);
  if (size > max_bytes) return Status::kTooLarge;
  TAMIS_TRY(bytes, Bytes::zeroed(size));
  TAMIS_NEED(encode_into(structure, bytes->span()));
  return bytes;
}

// Reads the structure in `bytes`, or returns the status of the first check in FORMAT.md that fails.
// The result does not refer to `bytes`.
template <class F>
[[nodiscard]] Result<F> decode(std::span<const std::byte> bytes,
                               const DecodeOptions& options = {}) noexcept {
  Container container;
  TAMIS_NEED(container.open(bytes, F::kType, options.max_bytes));
  TAMIS_NEED(container.take(bytes.subspan(kHeaderBytes), options));
  return read_whole<F>(container);
}

}  // namespace tamis
