// tamis/url/list_image.hpp - a URL list as it is in memory, to be stored and opened often.
//
// Choose it for a copy that a program keeps for itself. An image is not a file format: a version of
// this library reads only its own images, on machines of the same byte order. To send a list, use
// the bytes of encode().
//
//   memory     the same as the list
//   image      the list's memory without its directories: 2.05 bytes an entry at 190,000 entries
//   build      makes a copy
//   open       makes one pass without decoding or hashing: about ten times as fast as decode()
//   never      accepts bytes that are not a list. But an image only claims which list it is. If you
//              cannot trust the bytes, call validate(), and compare identity() with a trusted one
//   undefined  no call has undefined behaviour
//   threads    the same as the list
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

// Reads a list, and writes its entries, one after the other, to `entries`, which must have exactly
// their total size. The list's checksum is the one that the image claims: call validate(), or
// compare it with the SHA-256 of the entries. Returns kCorrupt if the bytes are not an image of
// this version, kInvalidOption or kTooLarge if its header claims something that no list can have,
// or kOutOfMemory.
[[nodiscard]] Result<UrlList> read_image(std::span<const std::byte> bytes,
                                         std::span<std::byte> entries) noexcept;

}  // namespace tamis::url
