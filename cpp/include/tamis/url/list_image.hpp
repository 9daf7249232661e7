// tamis/url/list_image.hpp - a list as it is in memory, for a program that stores it and opens it
// often.
//
// Choose it for a copy that a program keeps for itself. It is no file format: each version of this
// library reads only its own images, on machines of the same byte order. To send a list, use the
// bytes of encode().
//
//   memory     as the list
//   image      the list's memory without its directories: 2.05 bytes an entry at 190,000 entries
//   build      makes a copy
//   open       makes one pass over the entries, and decodes and hashes nothing: about ten times as
//              fast as decode()
//   never      accepts bytes that are no list. But an image only claims which list it is. A caller
//              who cannot trust the bytes calls validate(), and compares identity() with a trusted one
//   undefined  nothing
//   threads    as the list
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <tamis/status.hpp>
#include <tamis/url/url_list.hpp>

namespace tamis::url {

[[nodiscard]] std::uint64_t image_bytes(const UrlList& list) noexcept;

// Returns kInvalidOption unless `out` has image_bytes().
[[nodiscard]] Status write_image(const UrlList& list, std::span<std::byte> out) noexcept;

// Reads a list. Its checksum is the one that the image claims: validate() proves it, or a SHA-256
// of the entries. They are written to `entries`, one after the other, which must have their length.
// Returns kCorrupt if the bytes are not an image of this version, kInvalidOption and kTooLarge if
// its header claims what no list has, or kOutOfMemory.
[[nodiscard]] Result<UrlList> read_image(std::span<const std::byte> bytes,
                                         std::span<std::byte> entries) noexcept;

}  // namespace tamis::url
