#include <tamis/hash.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <tamis/hash/siphash.hpp>

namespace tamis {

std::uint64_t xxh3_64_long(Key key, const std::uint8_t* secret) noexcept;  // xxh3.cpp

// Flattened: then the compiler sees that no key here is long, and omits the code for long keys.
[[gnu::flatten]] std::uint64_t xxh3_64(Key key) noexcept {
  if (key.size() > XXH3_MIDSIZE_MAX) return xxh3_64_long(key, XXH3_kSecret);
  return XXH3_64bits(key.data(), key.size());
}

std::uint64_t sip_key_id(const SipKey& key) noexcept {
  static constexpr char kName[] = "tamis-key-id";
  return detail::siphash_2_4(std::as_bytes(std::span(kName, sizeof(kName) - 1)), key);
}

Hash Hasher::operator()(Key key) const noexcept {
  return Hash{id_ == HashId::kSipHash ? detail::siphash_2_4(key, key_) : xxh3_64(key)};
}

Hasher::~Hasher() {
  // The pointer is volatile, because the compiler would drop a store that is never read.
  volatile std::byte* bytes = key_.data();
  for (std::size_t i = 0; i < key_.size(); ++i) bytes[i] = std::byte{0};
}

}  // namespace tamis
