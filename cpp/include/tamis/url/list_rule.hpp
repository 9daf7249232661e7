// tamis/url/list_rule.hpp - the rule by which a list's expressions are made, as text: "labels5", or
// a name of a public suffix list and its version. Who asks a list by another rule than it was made
// by misses entries, so the rule goes where the list goes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include <tamis/status.hpp>
#include <tamis/wire.hpp>

namespace tamis::url {

class ListRule {
 public:
  static constexpr std::size_t kMaxBytes = 64;

  // 1 to kMaxBytes bytes of printable ASCII, spaces too; else kInvalidOption.
  [[nodiscard]] static Result<ListRule> of(std::string_view text) noexcept {
    const auto is_printable = [](char c) { return c >= ' ' && c <= '~'; };
    if (text.empty() || text.size() > kMaxBytes) return Status::kInvalidOption;
    if (!std::all_of(text.begin(), text.end(), is_printable)) return Status::kInvalidOption;
    ListRule rule;
    std::copy_n(text.data(), text.size(), rule.bytes_.data());
    rule.size_ = text.size();
    return rule;
  }

  [[nodiscard]] std::string_view text() const noexcept { return {bytes_.data(), size_}; }

 private:
  ListRule() noexcept = default;

  std::array<char, kMaxBytes> bytes_{};
  std::size_t size_ = 0;
};

}  // namespace tamis::url
