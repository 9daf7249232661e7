#include <tamis/wire.hpp>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace tamis {
namespace {

constexpr int kSlices = 8;

// The eight tables of slicing-by-8 (Kounavis and Berry 2005). They are computed on first use, which
// needs 8 KiB of memory and keeps the wasm 8 KiB smaller.
struct CrcTables {
  std::uint32_t table[kSlices][256];

  CrcTables() noexcept {
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t crc = i;
      for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78 : 0);
      table[0][i] = crc;
    }
    for (std::uint32_t i = 0; i < 256; ++i) {
      for (int slice = 1; slice < kSlices; ++slice) {
        const std::uint32_t crc = table[slice - 1][i];
        table[slice][i] = (crc >> 8) ^ table[0][crc & 0xff];
      }
    }
  }
};

#if defined(__x86_64__)
// Uses the processor's instruction for this CRC.
[[gnu::target("sse4.2")]] std::uint32_t crc32c_sse42(std::span<const std::byte> bytes,
                                                     std::uint32_t crc) noexcept {
  std::uint64_t rest = ~crc;
  for (; bytes.size() >= 8; bytes = bytes.subspan(8))
    rest = _mm_crc32_u64(rest, detail::load_le64(bytes.data()));
  crc = static_cast<std::uint32_t>(rest);
  for (const std::byte byte : bytes) crc = _mm_crc32_u8(crc, std::to_integer<unsigned char>(byte));
  return ~crc;
}
#endif

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t crc) noexcept {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2")) return crc32c_sse42(bytes, crc);
#endif
  static const CrcTables tables;
  const auto& t = tables.table;
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  crc = ~crc;
  for (; left >= 8; left -= 8, at += 8) {
    const std::uint32_t low = detail::load_le32(at) ^ crc;
    const std::uint32_t high = detail::load_le32(at + 4);
    crc = t[7][low & 0xff] ^ t[6][(low >> 8) & 0xff] ^ t[5][(low >> 16) & 0xff] ^ t[4][low >> 24] ^
          t[3][high & 0xff] ^ t[2][(high >> 8) & 0xff] ^ t[1][(high >> 16) & 0xff] ^
          t[0][high >> 24];
  }
  for (; left > 0; --left, ++at) {
    crc = (crc >> 8) ^ t[0][(crc ^ std::to_integer<std::uint32_t>(*at)) & 0xff];
  }
  return ~crc;
}

}  // namespace tamis
