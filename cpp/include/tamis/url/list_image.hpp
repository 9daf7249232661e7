// tamis/url/list_image.hpp - a list as it lies in memory, for who stores it and opens it often.
//
// Choose it for a copy that a program keeps for itself. It is no wire format: each version of this
// library reads its own images alone, on machines of the same byte order. What travels are the bytes of
// encode().
//
//   memory     as the list
//   image      the list's memory without its directories: 2.05 bytes an entry at 190,000 entries
//   build      a copy
//   open       one pass over the entries, which decodes and hashes nothing: some ten times as fast
//              as decode()
//   never      takes bytes that are no list. But which list it is, an image merely says: who cannot
//              trust the bytes calls validate(), and compares identity() with one that he trusts
//   undefined  nothing
//   threads    the list's
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <tamis/status.hpp>
#include <tamis/url/url_list.hpp>

namespace tamis::url {

[[nodiscard]] std::uint64_t image_bytes(const UrlList& list) noexcept;

// kInvalidOption unless `out` has image_bytes().
[[nodiscard]] Status write_image(const UrlList& list, std::span<std::byte> out) noexcept;

// The list, whose checksum is what the image says. validate() proves that, or a SHA-256 of the entries:
// they go to `entries`, one after the other, which must be as long as they are. kCorrupt where the bytes
// are no list's image of this version; kInvalidOption and kTooLarge where its header says what no list
// has; kOutOfMemory.
[[nodiscard]] Result<UrlList> read_image(std::span<const std::byte> bytes,
                                         std::span<std::byte> entries) noexcept;

}  // namespace tamis::url
