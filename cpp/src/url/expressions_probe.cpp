#include <algorithm>
#include <array>

#include <tamis/url/expressions.hpp>

namespace tamis::url {
namespace {

constexpr std::size_t kAtOnce = 32;  // a multiple of the messages that sha256() takes at once

detail::Sha256Message message_of(std::string_view expression) noexcept {
  return {std::as_bytes(std::span(expression.data(), expression.size())), {}};
}

}  // namespace

ExpressionHash hash_expression(std::string_view expression) noexcept {
  return detail::sha256(message_of(expression));
}

void hash_expressions(std::span<const std::string_view> expressions,
                      ExpressionHash* hashes) noexcept {
  std::array<detail::Sha256Message, kAtOnce> messages;
  while (!expressions.empty()) {
    const std::size_t count = std::min(expressions.size(), messages.size());
    for (std::size_t i = 0; i < count; ++i) messages[i] = message_of(expressions[i]);
    detail::sha256(std::span(messages).first(count), hashes);
    expressions = expressions.subspan(count);
    hashes += count;
  }
}

}  // namespace tamis::url
