// Hostile bytes in the place of a list's image. What is accepted is the image of a list that answers for
// each of its entries, and goes to the wire and back.
//
// The first byte: bit 0 leaves the header as it is. Else its magic, version and checksum are made right.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <tamis/url/list_image.hpp>
#include <tamis/url/url_delta.hpp>

#include "fuzz/fuzz.hpp"
#include "support/container.hpp"

namespace tamis::fuzz {
namespace {

constexpr std::size_t kVersionAt = 8, kWidthAt = 12, kSizeAt = 16, kCrcAt = 124;

void dress(std::span<std::byte> bytes) {
  if (bytes.size() < kCrcAt + 4) return;
  constexpr std::string_view kMagic = "tamisimg";
  std::ranges::copy(std::as_bytes(std::span(kMagic)), bytes.begin());
  test::set32(bytes, kVersionAt, 1);
  test::set32(bytes, kCrcAt, crc32c(bytes.first(kCrcAt)));
}

void use(std::span<const std::byte> bytes) {
  std::uint64_t room = 0;
  if (bytes.size() > kCrcAt) {
    room = std::uint64_t{detail::load_le32(bytes.data() + kWidthAt)} *
           detail::load_le32(bytes.data() + kSizeAt);
  }
  const test::Bytes none(room <= 64 * bytes.size() ? static_cast<std::size_t>(room) : 0);
  test::HeapCopy entries(none);
  const auto list = url::read_image(bytes, entries.span());
  if (!list.ok()) {
    MUST(list.status() != Status::kOutOfMemory);
    return;
  }
  MUST(list->count() <= 8 * bytes.size());
  test::Bytes image(static_cast<std::size_t>(url::image_bytes(*list)));
  MUST(url::write_image(*list, image) == Status::kOk && image.size() == bytes.size());
  // Only the bytes behind the rule may differ.
  const auto same = url::read_image(image, entries.span());
  MUST(same.ok() && same->identity() == list->identity());
  const auto& prefixes = list->prefixes();
  std::byte hash[url::kHashBytes] = {};
  for (std::uint64_t i = 0; i < list->count(); ++i) {
    prefixes.copy_to(i, 1, hash);
    MUST(prefixes.index_of(hash) == i);
    MUST(std::memcmp(hash, entries.span().data() + i * list->prefix_bytes(),
                     list->prefix_bytes()) == 0);
  }
  const auto decoded = decode<url::UrlList>(encode(*list)->span());
  MUST(decoded.ok() && decoded->checksum() == prefixes.checksum());
  // The checksum is what the image says.
  const bool is_valid = list->validate() == Status::kOk;
  MUST(is_valid == (decoded->identity() == list->identity()));
  const auto delta = url::diff(*list, *decoded);
  MUST(delta.ok() && delta->removals() == 0 && delta->additions() == 0);
}

}  // namespace
}  // namespace tamis::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tamis;
  if (size == 0) return 0;
  test::HeapCopy copy(std::as_bytes(std::span(data, size).subspan(1)));
  if ((data[0] & 1) == 0) fuzz::dress(copy.span());
  fuzz::use(copy.span());
  return 0;
}
