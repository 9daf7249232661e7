#include <tamis/url/canonicalize.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include <tamis/detail/ascii.hpp>
#include <tamis/detail/ip_address.hpp>

namespace tamis::url {
namespace {

using std::string_view_literals::operator""sv;  // avoids strlen at run time

using detail::hex_value;
using detail::is_digit;
using detail::is_letter;
using detail::kNoDigit;
using detail::to_lower;

constexpr std::string_view kDefaultScheme = "http", kEmptyPath = "/";

// A buffer up to this size is kept for later URLs; a larger one is freed at the next shorter URL.
constexpr std::size_t kKeptBytes = 64 * 1024;

// Makes the buffer a power of two, so that URLs of rising lengths rarely allocate.
Status make_room(detail::Buffer<char>& buffer, std::size_t bytes) noexcept {
  const bool is_kept = buffer.size() <= kKeptBytes || bytes > kKeptBytes;
  if (buffer.size() >= bytes && is_kept) return Status::kOk;
  buffer = {};
  TAMIS_TRY(larger, detail::Buffer<char>::zeroed(std::bit_ceil(bytes)));
  buffer = std::move(*larger);
  return Status::kOk;
}

bool is_high(char letter) noexcept { return static_cast<unsigned char>(letter) >= 0x80; }

bool is_space(char letter) noexcept { return static_cast<unsigned char>(letter) <= 0x20; }

enum Place : std::uint8_t { kLabel = 1, kPath = 2, kQuery = 4, kEscaped = 8 };

// Which places in a plain URL a byte can have. A byte with kEscaped is escaped in a canonical URL.
constexpr auto kPlaces = [] {
  std::array<std::uint8_t, 256> places{};
  const auto allow = [&](std::string_view letters, std::uint8_t place) {
    for (const char letter : letters) places[static_cast<unsigned char>(letter)] |= place;
  };
  for (char letter = 'a'; letter <= 'z'; ++letter) allow({&letter, 1}, kLabel | kPath | kQuery);
  for (char letter = 'A'; letter <= 'Z'; ++letter) allow({&letter, 1}, kPath | kQuery);
  for (char letter = '0'; letter <= '9'; ++letter) allow({&letter, 1}, kLabel | kPath | kQuery);
  allow("-_", kLabel | kPath | kQuery);
  allow(".~!$&()*+,;=:@", kPath | kQuery);
  allow("'", kPath);
  allow("/?%", kQuery);
  for (std::size_t byte = 0; byte < places.size(); ++byte) {
    if (byte <= 0x20 || byte >= 0x7f || byte == '#' || byte == '%') places[byte] |= kEscaped;
  }
  return places;
}();

bool is_in(char letter, Place place) noexcept {
  return (kPlaces[static_cast<unsigned char>(letter)] & place) != 0;
}

bool is_escaped(char letter) noexcept { return is_in(letter, kEscaped); }

std::string_view trim(std::string_view text, bool (*is_dropped)(char)) noexcept {
  while (!text.empty() && is_dropped(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_dropped(text.back())) text.remove_suffix(1);
  return text;
}

// Removes tabs and line breaks, and decodes %XX repeatedly until none is left. One pass is enough:
// an escape is complete when its last byte is written, and escapes never overlap, so their order
// does not matter. `out` has room for the size of `url`.
std::string_view unescape(std::string_view url, char* out) noexcept {
  std::size_t size = 0;
  for (const char letter : url) {
    if (letter == '\t' || letter == '\r' || letter == '\n') continue;
    out[size++] = letter;
    while (size >= 3 && out[size - 3] == '%') {
      const std::uint32_t high = hex_value(out[size - 2]), low = hex_value(out[size - 1]);
      if (high == kNoDigit || low == kNoDigit) break;
      out[size - 3] = static_cast<char>(high << 4 | low);
      size -= 2;
    }
  }
  return {out, size};
}

// The number of bytes before the colon, or 0 if there is no scheme.
std::size_t scheme_bytes(std::string_view url) noexcept {
  if (url.empty() || !is_letter(url[0])) return 0;
  std::size_t size = 1;
  while (size < url.size() && (is_letter(url[size]) || is_digit(url[size]) || url[size] == '+' ||
                               url[size] == '-' || url[size] == '.')) {
    ++size;
  }
  return size < url.size() && url[size] == ':' ? size : 0;
}

std::string_view host_of(std::string_view authority) noexcept {
  if (const std::size_t at = authority.rfind('@'); at != authority.npos) {
    authority.remove_prefix(at + 1);
  }
  std::size_t port = authority.size();
  while (port > 0 && is_digit(authority[port - 1])) --port;
  const bool has_port = port > 0 && authority[port - 1] == ':';
  return has_port ? authority.substr(0, port - 1) : authority;
}

// True if the text begins with an ideographic dot: U+3002, U+FF0E or U+FF61.
bool begins_with_dot(std::string_view text) noexcept {
  if (text.size() < 3) return false;
  std::uint32_t utf8 = 0;
  for (std::size_t i = 0; i < 3; ++i) utf8 = utf8 << 8 | static_cast<unsigned char>(text[i]);
  return utf8 == 0xe38082 || utf8 == 0xefbc8e || utf8 == 0xefbda1;
}

// Normalizes ASCII in place: makes letters lower case, replaces ideographic dots, merges repeated
// dots, and removes dots at both ends. So the platform's IDNA would not change the canonical form.
// Returns the size.
std::size_t normalize_host(char* host, std::size_t size) noexcept {
  std::size_t kept = 0;
  for (std::size_t at = 0; at < size;) {
    const bool is_ideographic = is_high(host[at]) && begins_with_dot({host + at, size - at});
    const char letter = is_ideographic ? '.' : to_lower(host[at]);
    at += is_ideographic ? 3 : 1;
    if (letter != '.' || (kept > 0 && host[kept - 1] != '.')) host[kept++] = letter;
  }
  return kept > 0 && host[kept - 1] == '.' ? kept - 1 : kept;
}

// Resolves dot segments, and then merges repeated slashes, in place. The path must begin with a
// slash. Returns the size.
std::size_t normalize_path(char* path, std::size_t size) noexcept {
  std::size_t resolved = 0;
  for (std::size_t at = 0; at < size;) {
    const std::string_view rest(path + at + 1, size - at - 1);
    const std::string_view segment = rest.substr(0, rest.find('/'));
    const std::size_t next = at + 1 + segment.size();
    const bool is_parent = segment == "..";
    if (is_parent || segment == ".") {
      while (is_parent && resolved > 0 && path[--resolved] != '/') {
      }
      if (next == size) path[resolved++] = '/';
    } else {
      std::memmove(path + resolved, path + at, next - at);
      resolved += next - at;
    }
    at = next;
  }
  const auto is_run = [](char a, char b) { return a == '/' && b == '/'; };
  return static_cast<std::size_t>(std::unique(path, path + resolved, is_run) - path);
}

std::string_view between(const char* begin, const char* end) noexcept {
  return {begin, static_cast<std::size_t>(end - begin)};
}

char* write(std::string_view text, char* out) noexcept {
  return std::copy(text.begin(), text.end(), out);
}

// Writes the text with escapes. If there is nothing to escape, `out` may be the text itself.
char* write_escaped(std::string_view text, char* out) noexcept {
  for (const char letter : text) {
    if (is_escaped(letter)) {
      const auto byte = static_cast<unsigned char>(letter);
      *out++ = '%';
      *out++ = "0123456789ABCDEF"[byte >> 4];
      *out++ = "0123456789ABCDEF"[byte & 15];
    } else {
      *out++ = letter;
    }
  }
  return out;
}

std::size_t span_of(std::string_view text, Place place) noexcept {
  std::size_t size = 0;
  while (size < text.size() && is_in(text[size], place)) ++size;
  return size;
}

}  // namespace

void CanonicalUrl::forget_text() noexcept {
  text_ = host_ = path_ = query_ = {};
  is_ip_ = false;
}

Status CanonicalUrl::parse(std::span<const std::byte> url) noexcept {
  forget_text();
  decoded_scheme_ = decoded_host_ = decoded_path_ = {};
  decoded_query_.reset();
  needs_idna_ = false;
  std::string_view raw = trim({reinterpret_cast<const char*>(url.data()), url.size()}, is_space);
  raw = raw.substr(0, raw.find('#'));
  if (raw.size() > kMaxBytes) return Status::kInvalidUrl;
  TAMIS_NEED(make_room(decoded_, raw.size()));

  char* const base = decoded_.data();
  std::string_view rest = unescape(raw, base);
  const auto place_of = [base](std::string_view part) { return base + (part.data() - base); };

  std::string_view scheme = kDefaultScheme;
  if (const std::size_t size = scheme_bytes(rest); size != 0) {
    scheme = rest.substr(0, size);
    rest.remove_prefix(size + 1);
    if (!rest.starts_with("//"sv)) return Status::kInvalidUrl;
  }
  if (rest.starts_with("//"sv)) rest.remove_prefix(2);

  std::size_t authority_bytes = 0;
  while (authority_bytes < rest.size() && rest[authority_bytes] != '/' &&
         rest[authority_bytes] != '?') {
    ++authority_bytes;
  }
  const std::string_view authority = rest.substr(0, authority_bytes);
  rest.remove_prefix(authority.size());
  std::string_view path = rest.substr(0, rest.find('?'));
  rest.remove_prefix(path.size());
  path = path.empty() ? kEmptyPath
                      : std::string_view(path.data(), normalize_path(place_of(path), path.size()));

  std::string_view host = host_of(authority);
  if (!host.empty()) host = {host.data(), normalize_host(place_of(host), host.size())};
  if (host.empty()) return Status::kInvalidUrl;

  needs_idna_ = std::any_of(host.begin(), host.end(), is_high);
  decoded_scheme_ = scheme;
  decoded_host_ = host;
  decoded_path_ = path;
  if (!rest.empty()) decoded_query_ = rest.substr(1);
  return Status::kOk;
}

Status CanonicalUrl::finish(std::optional<std::string_view> ascii_host) noexcept {
  forget_text();
  if (decoded_host_.empty()) return Status::kInvalidUrl;
  if (ascii_host && (ascii_host->size() > kMaxBytes ||
                     std::any_of(ascii_host->begin(), ascii_host->end(), is_escaped))) {
    return Status::kInvalidUrl;
  }
  std::string_view host = ascii_host.value_or(decoded_host_);
  const std::string_view query = decoded_query_.value_or("");
  // At most three bytes for each byte, plus an IP address and the characters between the parts.
  const std::size_t most =
      3 * (decoded_scheme_.size() + host.size() + decoded_path_.size() + query.size()) +
      detail::kMaxIpBytes + 4;
  TAMIS_NEED(make_room(canonical_, most));

  char* const base = canonical_.data();
  char* out = std::transform(decoded_scheme_.begin(), decoded_scheme_.end(), base, to_lower);
  out = write("://", out);
  char* const host_at = out;
  // IDNA may produce dots and capital letters, so the host is normalized again.
  if (ascii_host)
    host = {out, normalize_host(out, static_cast<std::size_t>(write(host, out) - out))};
  out = write_host(host, out);
  if (out == host_at) return Status::kInvalidUrl;
  char* const path_at = out;
  out = write_escaped(decoded_path_, out);
  char* const path_end = out;
  if (has_query()) {
    *out++ = '?';
    out = write_escaped(query, out);
    query_ = between(path_end + 1, out);
  }
  host_ = between(host_at, path_at);
  path_ = between(path_at, path_end);
  text_ = between(base, out);
  return Status::kOk;
}

// Writes nothing if `host` is not valid. The host may already be at `out`.
char* CanonicalUrl::write_host(std::string_view host, char* out) noexcept {
  if (host.starts_with('[') && host.ends_with(']')) {
    const auto ipv6 = detail::parse_ipv6(host.substr(1, host.size() - 2));
    is_ip_ = ipv6.has_value();
    if (!is_ip_) return out;
    const auto ipv4 = detail::embedded_ipv4(*ipv6);
    return ipv4 ? detail::write_ipv4(*ipv4, out) : detail::write_ipv6(*ipv6, out);
  }
  if (const auto ipv4 = detail::parse_ipv4(host)) {
    is_ip_ = true;
    return detail::write_ipv4(*ipv4, out);
  }
  // These characters would end the host in the text. The decoded host contains none of them except
  // colons, but an `ascii_host` may contain all.
  const auto is_refused = [](char letter) {
    return letter == ':' || letter == '/' || letter == '?' || letter == '@';
  };
  if (host.starts_with('[') || std::any_of(host.begin(), host.end(), is_refused)) return out;
  return write_escaped(host, out);
}

std::string_view find_plain_host(std::span<const std::byte> url) noexcept {
  std::string_view rest(reinterpret_cast<const char*>(url.data()), url.size());
  if (!rest.starts_with("http"sv)) return {};
  rest.remove_prefix(rest.starts_with("https"sv) ? 5 : 4);
  if (!rest.starts_with("://"sv)) return {};
  rest.remove_prefix(3);

  const char* const begin = rest.data();
  for (;;) {
    const std::string_view label = rest.substr(0, span_of(rest, kLabel));
    if (label.empty() || label.starts_with("xn--"sv)) return {};
    rest.remove_prefix(label.size());
    if (rest.starts_with('.')) {
      rest.remove_prefix(1);
      continue;
    }
    // A last label with a digit could be the end of an IPv4 address.
    for (const char letter : label) {
      if (!is_letter(letter)) return {};
    }
    break;
  }
  const std::string_view host = between(begin, rest.data());

  while (rest.starts_with('/')) {
    rest.remove_prefix(1);
    if (rest.starts_with('.')) return {};
    rest.remove_prefix(span_of(rest, kPath));
    if (rest.starts_with('?')) {
      return span_of(rest, kQuery) == rest.size() ? host : std::string_view();
    }
  }
  return rest.empty() ? host : std::string_view();
}

}  // namespace tamis::url
