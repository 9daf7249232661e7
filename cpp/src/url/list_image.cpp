#include <tamis/url/list_image.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <tamis/wire.hpp>

namespace tamis::url {
namespace {

// Any change of the header or of a PrefixSet's image needs a new version. Numbers have the
// machine's byte order, so an image from a machine with the other order has another magic number.
constexpr std::uint64_t kMagic = 0x676d'6973'696d'6174;  // "tamisimg"
constexpr std::uint32_t kVersion = 1;

struct ImageHeader {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t prefix_bytes;
  std::uint32_t count;
  std::uint32_t shapes;
  std::uint32_t rule_bytes;
  std::array<char, ListRule::kMaxBytes> rule;  // padded with zeros
  detail::Sha256Digest checksum;
  std::uint32_t crc;  // CRC-32C of all fields above
};
// The place of the set's image.
constexpr std::size_t kSetAt = sizeof(ImageHeader);
static_assert(kSetAt == 128 && PrefixSet::kMaxSize < std::uint64_t{1} << 32);

[[nodiscard]] std::uint32_t crc_of(const ImageHeader& header) noexcept {
  return crc32c(std::as_bytes(std::span(&header, 1)).first(offsetof(ImageHeader, crc)));
}

}  // namespace

std::uint64_t image_bytes(const UrlList& list) noexcept {
  return kSetAt + list.prefixes().image_bytes();
}

Status write_image(const UrlList& list, std::span<std::byte> out) noexcept {
  if (out.size() != image_bytes(list)) return Status::kInvalidOption;
  const auto rule = list.rule();
  ImageHeader header{};
  header.magic = kMagic;
  header.version = kVersion;
  header.prefix_bytes = list.prefix_bytes();
  header.count = static_cast<std::uint32_t>(list.count());
  header.shapes = list.shapes();
  header.rule_bytes = static_cast<std::uint32_t>(rule.size());
  std::copy_n(rule.data(), rule.size(), header.rule.data());
  header.checksum = list.checksum();
  header.crc = crc_of(header);
  std::memcpy(out.data(), &header, kSetAt);
  list.prefixes().write_image(out.data() + kSetAt);
  return Status::kOk;
}

Result<UrlList> read_image(std::span<const std::byte> bytes,
                           std::span<std::byte> entries) noexcept {
  if (bytes.size() < kSetAt) return Status::kCorrupt;
  ImageHeader header;
  std::memcpy(&header, bytes.data(), kSetAt);
  // Checks the claims before it allocates a set of about the size of `entries`.
  if (header.magic != kMagic || header.version != kVersion || header.crc != crc_of(header) ||
      entries.size() != std::uint64_t{header.count} * header.prefix_bytes) {
    return Status::kCorrupt;
  }
  TAMIS_TRY(builder, PrefixSet::Builder::create(header.count, header.prefix_bytes));
  if (!builder->take_image(bytes.subspan(kSetAt), entries.data())) return Status::kCorrupt;
  // UrlList::of() refuses a rule that is too long, before it reads the text.
  return UrlList::of(std::move(*builder).finish(), {header.rule.data(), header.rule_bytes},
                     header.shapes, header.checksum);
}

}  // namespace tamis::url
