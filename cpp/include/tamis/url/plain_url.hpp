// tamis/url/plain_url.hpp - URLs that a browser takes as they stand.
#pragma once

#include <cstddef>
#include <span>

namespace tamis::url {

// Whether the URL parser of the web platform surely gives this URL back as it is, or with a slash
// behind its host: what CanonicalUrl makes of it needs no parser then. Most URLs are like that.
// True for http and https in lower case, a host of lower-case letters, digits, '-' and '_' in
// labels divided by single dots, the last of letters alone (so no IPv4 address) and none of IDNA's;
// a path without escapes and dot segments; a query of letters, digits and the usual signs. One
// pass. Source: WHATWG URL, 3.5 (hosts) and 4.4 (the parser's states and their percent-encode
// sets).
[[nodiscard]] bool is_plain(std::span<const std::byte> url) noexcept;

}  // namespace tamis::url
