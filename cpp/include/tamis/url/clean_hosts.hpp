// tamis/url/clean_hosts.hpp - remembers hosts that were looked up in URL lists and not found,
// because most hosts are looked up again and again.
//
// Hosts are compared byte by byte. If only hashes were compared, an attacker could find a host with
// the hash of a listed host, and the listed host would be taken for a clean one.
//
//   memory     64 KiB from the first put() on; hosts longer than kMostBytes are not remembered
//   cost       has() and put() read one place in a table; put() replaces the host in that place
//   never      has() returns true for a host that put() did not get with the same list number
//   undefined  the answers if two lists share a number, or a list keeps its number after a change
//   threads    one CleanHosts per thread
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tamis/detail/buffer.hpp>
#include <tamis/detail/endian.hpp>

namespace tamis::url {

class CleanHosts {
 public:
  static constexpr std::size_t kMostBytes = 55;

  // `list` is a number other than 0 that no other list has.
  [[nodiscard]] bool has(std::uint64_t list, std::string_view host) const noexcept {
    if (places_.size() == 0) return false;
    const Place& place = places_[number_of(list, host)];
    return place.list == list && host == std::string_view(place.host, place.bytes);
  }

  // If there is no memory, does nothing.
  void put(std::uint64_t list, std::string_view host) noexcept {
    if (host.size() > kMostBytes) return;
    if (places_.size() == 0) {
      auto made = detail::Buffer<Place>::zeroed(kPlaces);
      if (!made.ok()) return;
      places_ = std::move(*made);
    }
    Place& place = places_[number_of(list, host)];
    place.list = list;
    place.bytes = static_cast<std::uint8_t>(host.size());
    host.copy(place.host, host.size());
  }

 private:
  static constexpr std::size_t kPlaces = 1024;

  struct Place {
    std::uint64_t list;  // 0 for an empty place
    std::uint8_t bytes;
    char host[kMostBytes];
  };

  // Reads eight letters at a time. The last eight may overlap the eight before.
  [[nodiscard]] static std::size_t number_of(std::uint64_t list, std::string_view host) noexcept {
    const auto* const bytes = reinterpret_cast<const std::byte*>(host.data());
    std::uint64_t mixed = list;
    const auto mix = [&mixed](std::uint64_t word) {
      mixed = (mixed ^ word) * 0x9e3779b97f4a7c15;  // odd, and 2^64 divided by the golden ratio
      mixed ^= mixed >> 32;
    };
    for (std::size_t at = 0; at + 8 <= host.size(); at += 8) mix(detail::load_le64(bytes + at));
    if (host.size() >= 8) {
      mix(detail::load_le64(bytes + host.size() - 8));
    } else {
      for (const char letter : host) mix(static_cast<unsigned char>(letter));
    }
    return static_cast<std::size_t>(mixed % kPlaces);
  }

  detail::Buffer<Place> places_;
};

}  // namespace tamis::url
