// Functions to write, change and repair the bytes of a container, and MUST, a check for the tests,
// the fuzz targets and the maker of the golden files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <tamis/detail/endian.hpp>
#include <tamis/wire.hpp>

namespace tamis::test {

using Bytes = std::vector<std::byte>;

// Called if a MUST is not true: the tests fail, other programs end. Each program defines it.
[[noreturn]] void broken(const char* file, int line, const char* condition);

#define MUST(condition) \
  ((condition) ? void() : ::tamis::test::broken(__FILE__, __LINE__, #condition))

// Where the header's fields are (FORMAT.md).
inline constexpr std::size_t kVersionAt = 8, kTypeAt = 10, kHashAt = 11, kReservedAt = 12,
                             kSeedAt = 16, kKeyIdAt = 24, kCapacityAt = 32, kCountAt = 40,
                             kPayloadBytesAt = 48, kPayloadCrcAt = 56, kHeaderCrcAt = 60;

// The bytes of a structure in its container.
template <class F>
Bytes wire_bytes(const F& structure) {
  const auto bytes = encode(structure);
  MUST(bytes.ok());
  return {bytes->span().begin(), bytes->span().end()};
}

inline void set32(std::span<std::byte> bytes, std::size_t at, std::uint32_t value) {
  detail::store_le32(bytes.subspan(at, 4).data(), value);
}
inline void set64(std::span<std::byte> bytes, std::size_t at, std::uint64_t value) {
  detail::store_le64(bytes.subspan(at, 8).data(), value);
}

// Corrects the checksums of changed bytes, so that a test reaches the checks after them. Bytes
// shorter than a header are not changed.
inline void repair_crcs(std::span<std::byte> bytes) {
  if (bytes.size() < kHeaderBytes) return;
  set32(bytes, kPayloadCrcAt, crc32c(bytes.subspan(kHeaderBytes)));
  set32(bytes, kHeaderCrcAt, crc32c(bytes.first(kHeaderCrcAt)));
}

// A copy in a heap block of exactly its size, so that AddressSanitizer detects a read past the end.
class HeapCopy {
 public:
  explicit HeapCopy(std::span<const std::byte> bytes)
      : bytes_(new std::byte[bytes.size()]), size_(bytes.size()) {
    if (size_ != 0) {
      std::memcpy(bytes_.get(), bytes.data(), size_);
    }
  }
  std::span<const std::byte> span() const { return {bytes_.get(), size_}; }
  std::span<std::byte> span() { return {bytes_.get(), size_}; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_;
};

// Changes a structure's bytes, corrects the checksums, and returns the status of decode().
template <class F>
class DeepCheck {
 public:
  explicit DeepCheck(Bytes bytes) : bytes_(std::move(bytes)) {}

  static Status of(Bytes changed) {
    repair_crcs(changed);
    return decode<F>(HeapCopy(changed).span()).status();
  }
  Status unchanged() const { return of(bytes_); }
  // The status with the number `value` written into `size` bytes at `at`.
  Status with(std::size_t at, std::uint64_t value, std::size_t size) const {
    Bytes changed = bytes_;
    for (std::size_t i = 0; i < size; ++i)
      changed[at + i] = static_cast<std::byte>(value >> (8 * i) & 0xff);
    return of(std::move(changed));
  }
  Status with32(std::size_t at, std::uint32_t value) const { return with(at, value, 4); }
  Status with64(std::size_t at, std::uint64_t value) const { return with(at, value, 8); }

 private:
  Bytes bytes_;
};

inline std::vector<Hash> to_hashes(const std::vector<std::uint64_t>& numbers) {
  std::vector<Hash> hashes;
  for (const std::uint64_t number : numbers) hashes.push_back(Hash{number});
  return hashes;
}

}  // namespace tamis::test
