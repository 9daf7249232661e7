// Any bytes as a URL. A canonical form has itself as its canonical form, for any answer of the
// platform about its host. It has at most 30 expressions, or by the rule `parents` in one step, and
// all are pieces of it.
//
// The first byte chooses the platform's answer: 0 is none, else it is an ASCII host of this length,
// which are the next bytes.

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <tamis/url/expressions.hpp>
#include "fuzz/fuzz.hpp"
#include "support/container.hpp"

namespace tamis::fuzz {
namespace {

using url::CanonicalUrl;
using url::Expressions;

void check_expressions(const Expressions& expressions, std::string_view text) {
  std::set<std::string_view> all;
  for (const std::string_view expression : expressions) {
    MUST(text.find(expression) != text.npos);
    MUST(all.insert(expression).second);
  }
  MUST(all.size() <= Expressions::kMaxCount);
}

// The longer suffixes by the rule `parents` are others. There are some exactly if there is a mark.
void check_parents(const CanonicalUrl& url, const Expressions& first) {
  Expressions all = Expressions::labels5(url, url::kAllShapes, true);
  MUST(std::ranges::equal(all, first));
  const bool has_mark = !all.mark().empty();
  std::size_t steps = 0;
  for (std::size_t longest = 0; all.advance(); ++steps) {
    check_expressions(all, url.text());
    MUST(all[0].size() > longest && all[0].size() < first[0].size());
    MUST(std::ranges::find(first, all[0]) == first.end());
    longest = all[0].size();
  }
  MUST(has_mark == (steps > 0) && steps <= 25);
}

// The host of a plain URL is the host of its canonical form.
void check_host(std::string_view host, const CanonicalUrl& url) {
  MUST(host == url.host() && !url.is_ip());
  const std::string text = std::string(host) + "/";
  Expressions some = Expressions::labels5_of_name({text.data(), host.size()}, true);
  Expressions same = Expressions::labels5(url, url::kHostShape, true);
  do {
    MUST(std::ranges::equal(some.with_mark(), same.with_mark()));
    MUST(some.advance() == same.advance());
  } while (some.size() > 0);
}

void check(std::span<const std::byte> bytes, std::optional<std::string_view> ascii_host) {
  CanonicalUrl url;
  if (url.parse(bytes) != Status::kOk) return;
  // The platform refuses some hosts. Their length tells which.
  const auto host_for = [&ascii_host](const CanonicalUrl& parsed) {
    const bool is_known = parsed.needs_idna() && parsed.decoded_host().size() % 3 != 0;
    return is_known ? ascii_host : std::nullopt;
  };
  if (url.finish(host_for(url)) != Status::kOk) {
    MUST(url.text().empty());
    return;
  }
  const std::string text(url.text());
  MUST(std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f && c != '#'; }));

  const std::string_view host = url::find_plain_host(bytes);
  if (!host.empty()) check_host(host, url);
  const Expressions expressions = Expressions::labels5(url);
  MUST(expressions.size() > 0);
  check_expressions(expressions, text);
  // Some shapes alone give the expressions of those shapes, and each expression has one shape.
  std::size_t of_one = 0;
  for (url::Shapes shape = 1; shape <= url::kAllShapes; shape <<= 1) {
    const Expressions some = Expressions::labels5(url, shape);
    check_expressions(some, text);
    of_one += some.size();
    for (const std::string_view expression : some) {
      MUST(std::ranges::find(expressions, expression) != expressions.end());
    }
  }
  MUST(of_one == expressions.size());
  check_parents(url, expressions);
  MUST(expressions[0].size() <= text.size());
  for (std::size_t bytes_of_domain = 0; bytes_of_domain <= url.host().size(); ++bytes_of_domain) {
    const auto by_suffix = Expressions::public_suffix(url, bytes_of_domain);
    if (by_suffix.ok()) check_expressions(*by_suffix, text);
  }

  if (text.size() > CanonicalUrl::kMaxBytes) return;
  CanonicalUrl again;
  MUST(again.parse(std::as_bytes(std::span(text))) == Status::kOk);
  MUST(again.finish(host_for(again)) == Status::kOk);
  MUST(again.text() == text);
  MUST(again.is_ip() == url.is_ip());
}

}  // namespace
}  // namespace tamis::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t host_bytes = std::min<std::size_t>(data[0], size - 1);
  const std::string host(reinterpret_cast<const char*>(data + 1), host_bytes);
  const tamis::test::HeapCopy url(std::as_bytes(std::span(data, size).subspan(1 + host_bytes)));
  tamis::fuzz::check(url.span(),
                     host.empty() ? std::nullopt : std::optional<std::string_view>(host));
  return 0;
}
