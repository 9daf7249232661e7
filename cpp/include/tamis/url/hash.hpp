// tamis/url/hash.hpp - SHA-256 of expressions: its first bytes are what a list of URLs holds.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include <tamis/detail/sha2.hpp>

namespace tamis::url {

using ExpressionHash = detail::Sha256Digest;

[[nodiscard]] ExpressionHash hash_expression(std::string_view expression) noexcept;

// hashes[i] of expressions[i]; short ones, as most are, four at a time.
void hash_expressions(std::span<const std::string_view> expressions,
                      ExpressionHash* hashes) noexcept;

}  // namespace tamis::url
