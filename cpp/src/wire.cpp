#include <tamis/wire.hpp>

namespace tamis {
namespace {

// 0x89, "TMS", CR, LF, 0x1a, LF.
constexpr std::uint64_t kMagic = 0x0a1a0a0d534d5489;

// Offsets of the header's fields.
constexpr std::size_t kVersionAt = 8, kTypeAt = 10, kHashAt = 11, kReservedAt = 12, kSeedAt = 16,
                      kKeyIdAt = 24, kCapacityAt = 32, kCountAt = 40, kPayloadBytesAt = 48,
                      kPayloadCrcAt = 56, kHeaderCrcAt = 60;

}  // namespace

Result<Header> read_header(std::span<const std::byte> bytes, const FilterType* expected,
                           std::uint64_t max_bytes) noexcept {
  const auto byte = [&](std::size_t at) { return std::to_integer<std::uint8_t>(bytes[at]); };
  const auto u64 = [&](std::size_t at) { return detail::load_le64(bytes.data() + at); };

  if (bytes.size() < kMagicBytes || u64(0) != kMagic) {
    return Status::kNotTamis;
  }
  if (bytes.size() < kTypeAt) return Status::kTruncated;
  if ((byte(kVersionAt) | byte(kVersionAt + 1) << 8) != kFormatVersion) {
    return Status::kUnsupportedVersion;
  }
  if (bytes.size() < kHeaderBytes) return Status::kTruncated;
  if (detail::load_le32(bytes.data() + kHeaderCrcAt) != crc32c(bytes.first(kHeaderCrcAt))) {
    return Status::kCorrupt;
  }

  const FilterType type{byte(kTypeAt)};
  const Hashing hashing = info_of(type).hashing;
  if (hashing == Hashing::kUnknownType) return Status::kUnknownType;
  if (expected != nullptr && type != *expected) return Status::kWrongType;
  // A file with an unknown hash may be from a later version.
  if (byte(kHashAt) >= kHashIds) return Status::kUnsupportedVersion;
  const HashId hash{byte(kHashAt)};
  if (!allows(hashing, hash)) return Status::kCorrupt;
  if (detail::load_le32(bytes.data() + kReservedAt) != 0) return Status::kCorrupt;

  const Header header{type,
                      hash,
                      u64(kSeedAt),
                      u64(kKeyIdAt),
                      u64(kCapacityAt),
                      u64(kCountAt),
                      u64(kPayloadBytesAt)};
  // In a url-delta, the seed field identifies the list to which the delta applies.
  const bool may_have_seed = is_seeded(header.hash) || header.type == FilterType::kUrlDelta;
  if (header.seed != 0 && !may_have_seed) return Status::kCorrupt;
  if (header.key_id != 0 && header.hash != HashId::kSipHash) return Status::kCorrupt;
  if (header.capacity > sizing::kMaxCount || header.count > sizing::kMaxCount) {
    return Status::kTooLarge;
  }
  if (max_bytes < kHeaderBytes || header.payload_bytes > max_bytes - kHeaderBytes) {
    return Status::kTooLarge;
  }
  return header;
}

Status Container::open(std::span<const std::byte> bytes, FilterType expected,
                       std::uint64_t max_bytes) noexcept {
  TAMIS_TRY(read, read_header(bytes, &expected, max_bytes));
  header = *read;
  payload_crc = detail::load_le32(bytes.data() + kPayloadCrcAt);
  return Status::kOk;
}

Status Container::take(std::span<const std::byte> rest, const DecodeOptions& options) noexcept {
  if (rest.size() < header.payload_bytes) return Status::kTruncated;
  if (rest.size() > header.payload_bytes) return Status::kCorrupt;
  if (payload_crc != crc32c(rest)) return Status::kCorrupt;
  payload = ByteReader(rest);

  if (header.hash != HashId::kSipHash) {
    hasher = Hasher(header.hash, header.seed);
    if (options.key != nullptr) return Status::kWrongKey;
    const bool is_taken = !is_bloom_scheme(header.hash) || options.scheme == nullptr ||
                          header.hash == *options.scheme;
    return is_taken ? Status::kOk : Status::kUnsupported;
  }
  if (options.key == nullptr) return Status::kKeyRequired;
  hasher = Hasher(*options.key, header.seed);
  return hasher.key_id() == header.key_id ? Status::kOk : Status::kWrongKey;
}

void write_header(std::span<std::byte> bytes, const Header& header) noexcept {
  std::byte* const at = bytes.data();
  detail::store_le64(at, kMagic);
  detail::store_le32(at + kVersionAt,
                     kFormatVersion);  // the high half is overwritten by the type and the hash
  at[kTypeAt] = static_cast<std::byte>(header.type);
  at[kHashAt] = static_cast<std::byte>(header.hash);
  detail::store_le32(at + kReservedAt, 0);
  detail::store_le64(at + kSeedAt, header.seed);
  detail::store_le64(at + kKeyIdAt, header.key_id);
  detail::store_le64(at + kCapacityAt, header.capacity);
  detail::store_le64(at + kCountAt, header.count);
  detail::store_le64(at + kPayloadBytesAt, header.payload_bytes);
  detail::store_le32(at + kPayloadCrcAt, crc32c(bytes.subspan(kHeaderBytes)));
  detail::store_le32(at + kHeaderCrcAt, crc32c(bytes.first(kHeaderCrcAt)));
}

}  // namespace tamis
