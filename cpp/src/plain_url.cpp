#include <tamis/url/plain_url.hpp>

#include <array>
#include <cstdint>
#include <string_view>

#include <tamis/detail/ascii.hpp>

namespace tamis::url {
namespace {

enum Part : std::uint8_t { kLabel = 1, kPath = 2, kQuery = 4 };

// The parts that a byte may stand in as it is.
constexpr auto kParts = [] {
  std::array<std::uint8_t, 256> parts{};
  const auto allow = [&](std::string_view letters, std::uint8_t part) {
    for (const char letter : letters) parts[static_cast<unsigned char>(letter)] |= part;
  };
  for (char letter = 'a'; letter <= 'z'; ++letter) allow({&letter, 1}, kLabel | kPath | kQuery);
  for (char letter = 'A'; letter <= 'Z'; ++letter) allow({&letter, 1}, kPath | kQuery);
  for (char letter = '0'; letter <= '9'; ++letter) allow({&letter, 1}, kLabel | kPath | kQuery);
  allow("-_", kLabel | kPath | kQuery);
  allow(".~!$&()*+,;=:@", kPath | kQuery);
  allow("'", kPath);
  allow("/?%", kQuery);
  return parts;
}();

bool may_stand(char letter, Part part) noexcept {
  return (kParts[static_cast<unsigned char>(letter)] & part) != 0;
}

std::size_t span_of(std::string_view text, Part part) noexcept {
  std::size_t size = 0;
  while (size < text.size() && may_stand(text[size], part)) ++size;
  return size;
}

}  // namespace

bool is_plain(std::span<const std::byte> url) noexcept {
  std::string_view rest(reinterpret_cast<const char*>(url.data()), url.size());
  if (!rest.starts_with("http")) return false;
  rest.remove_prefix(rest.starts_with("https") ? 5 : 4);
  if (!rest.starts_with("://")) return false;
  rest.remove_prefix(3);

  for (;;) {
    const std::string_view label = rest.substr(0, span_of(rest, kLabel));
    if (label.empty() || label.starts_with("xn--")) return false;
    rest.remove_prefix(label.size());
    if (rest.starts_with('.')) {
      rest.remove_prefix(1);
      continue;
    }
    // A last label with a digit may end an IPv4 address.
    for (const char letter : label) {
      if (!detail::is_letter(letter)) return false;
    }
    break;
  }

  while (rest.starts_with('/')) {
    rest.remove_prefix(1);
    if (rest.starts_with('.')) return false;
    rest.remove_prefix(span_of(rest, kPath));
    if (rest.starts_with('?')) return span_of(rest, kQuery) == rest.size();
  }
  return rest.empty();
}

}  // namespace tamis::url
