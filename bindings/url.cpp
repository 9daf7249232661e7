// bindings/url.cpp - calls for URLs (the data plane): plain exports without embind, as in keys.cpp.
//
// There is one canonical URL at a time, "the URL" of the functions below. Results are ranges: range
// i is the bytes from address starts[i] to ends[i] (in the scratch), valid until the next call.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>

#include <tamis/url/canonicalize.hpp>
#include <tamis/url/clean_hosts.hpp>
#include <tamis/url/expressions.hpp>
#include <tamis/url/rice.hpp>
#include <tamis/url/url_list.hpp>

#include "handles.hpp"
#include "part.hpp"
#include "scratch.hpp"

namespace {

using namespace tamis;
using namespace tamis::bindings;
using url::Expressions, url::ExpressionHash, url::UrlList;

// The URL, a Rice result and the clean hosts. Never destroyed, because the module never ends.
[[clang::no_destroy]] url::CanonicalUrl canonical;
[[clang::no_destroy]] Bytes made;
[[clang::no_destroy]] url::CleanHosts clean_hosts;

// Values that stand for a rule instead of the registrable domain's length: kParents for `parents`,
// and the next number for `labels5`. Both rules begin with the same expressions.
constexpr std::uint32_t kParents = 0xfffffffe;

// The same numbers as in js/src/url/list/url-list.ts.
enum Answer : std::uint8_t { kAbsent, kListed, kInvalid, kNeedsParser, kUndecided };

void put_range(std::size_t i, const void* data, std::size_t size) noexcept {
  scratch.starts[i] = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(data));
  scratch.ends[i] = scratch.starts[i] + static_cast<std::uint32_t>(size);
}
void put_range(std::size_t i, std::string_view text) noexcept {
  put_range(i, text.data(), text.size());
}

Result<Expressions> expressions(std::uint32_t registrable_bytes, url::Shapes shapes) noexcept {
  if (canonical.text().empty()) return Status::kInvalidUrl;
  if (registrable_bytes >= kParents) {
    return Expressions::labels5(canonical, shapes, registrable_bytes == kParents);
  }
  return Expressions::public_suffix(canonical, registrable_bytes, shapes);
}

// True if the list may contain expressions of the URL beyond those in `all`. `mark` is the hash of
// their mark, if they have one. A list with all shapes may lack marks, so it is always asked.
bool goes_on(const UrlList& list, const Expressions& all, const ExpressionHash& mark) noexcept {
  return !all.mark().empty() && (list.shapes() == url::kAllShapes || list.contains(mark.data()));
}

// What is looked up: the number of a list or of a set of lists, and the shapes of its expressions.
// Lists never change. A list's number is its handle, which no other list ever has.
struct Asked {
  std::uint64_t number;
  url::Shapes shapes;
  bool has_parents;

  // True if only hosts are looked up: then a URL's first expression is its host and a slash.
  [[nodiscard]] bool are_hosts() const noexcept { return shapes == url::kHostShape; }
  [[nodiscard]] bool is_clean(std::string_view host) const noexcept {
    return are_hosts() && clean_hosts.has(number, host);
  }
  // Remembers that the list has no expression with this host.
  void remember_clean(std::string_view host) const noexcept {
    if (are_hosts()) clean_hosts.put(number, host);
  }
};

Asked asked_of(Handle handle, const UrlList& list) noexcept {
  return {static_cast<std::uint64_t>(handle), list.shapes(), list.has_parents()};
}

// Returns an Answer for a URL as somebody typed it, or a negative status. The answer is
// kNeedsParser if only the platform's parser can tell which page a browser would open. It is
// kUndecided if expressions must be looked up: those of the host `name`, or of `canonical` if
// `name` is empty.
std::int32_t answer_url(const Asked& asked, Key url, std::string_view& name) noexcept {
  const std::string_view host = url::find_plain_host(url);
  if (host.empty()) return kNeedsParser;
  const auto* const end = reinterpret_cast<const char*>(url.data()) + url.size();
  // If only hosts are looked up, a URL with a slash after its host needs no canonical form.
  if (asked.are_hosts() && host.data() + host.size() != end &&
      url.size() <= url::CanonicalUrl::kMaxBytes) {
    name = host;
    return asked.is_clean(host) ? kAbsent : kUndecided;
  }
  Status status = canonical.parse(url);
  if (status == Status::kOk) status = canonical.finish();
  if (status == Status::kInvalidUrl) return kInvalid;
  return status == Status::kOk ? kUndecided : negative(status);
}

Expressions expressions_of(const Asked& asked, std::string_view name) noexcept {
  return name.empty() ? Expressions::labels5(canonical, asked.shapes, asked.has_parents)
                      : Expressions::labels5_of_name(name, asked.has_parents);
}

// Returns kListed if the list may contain one of the expressions, and kAbsent otherwise.
std::int32_t ask_list(const Asked& asked, const UrlList& list, Expressions&& all) noexcept {
  ExpressionHash hashes[Expressions::kMaxCount + 1];
  do {
    url::hash_expressions(all.with_mark(), hashes);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (list.contains(hashes[i].data())) return kListed;
    }
  } while ((all.mark().empty() || goes_on(list, all, hashes[all.size()])) && all.advance());
  asked.remember_clean(all.host());
  return kAbsent;
}

// Expressions of several URLs of a batch, which will be hashed together.
struct Pending {
  char text[16 << 10];
  std::size_t text_bytes = 0;
  std::string_view expressions[256];
  std::uint32_t urls[256];  // for each expression, the index of its URL
  std::size_t size = 0;
} pending;

void answer_pending(const Asked& asked, const UrlList& list) noexcept {
  auto* const hashes = reinterpret_cast<ExpressionHash*>(scratch.hashes);
  static_assert(sizeof(scratch.hashes) >=
                std::extent_v<decltype(Pending::expressions)> * sizeof(ExpressionHash));
  url::hash_expressions({pending.expressions, pending.size}, hashes);
  for (std::size_t i = 0; i < pending.size; ++i) {
    if (list.contains(hashes[i].data())) scratch.answers[pending.urls[i]] = kListed;
  }
  for (std::size_t i = 0; i < pending.size; ++i) {
    const bool is_first = i == 0 || pending.urls[i] != pending.urls[i - 1];
    if (is_first && scratch.answers[pending.urls[i]] == kAbsent) {
      const std::string_view first = pending.expressions[i];
      asked.remember_clean(first.substr(0, first.size() - 1));
    }
  }
  pending.size = pending.text_bytes = 0;
}

// Adds the expressions of the batch's URL i to `pending`, and returns its answer so far.
std::int32_t add_pending(const Asked& asked, const UrlList& list, Expressions&& all,
                         std::uint32_t i) noexcept {
  if (all.size() == 0) return kAbsent;
  // Few hosts have a mark: only those with so many labels that `all` may not be enough.
  if (!all.mark().empty()) return ask_list(asked, list, std::move(all));
  const char* const from = all[0].data();
  std::size_t bytes = 0;
  for (const std::string_view expression : all) {
    bytes = std::max(bytes, static_cast<std::size_t>(expression.data() - from) + expression.size());
  }
  if (bytes > sizeof(pending.text)) return ask_list(asked, list, std::move(all));
  if (pending.text_bytes + bytes > sizeof(pending.text) ||
      pending.size + all.size() > std::size(pending.expressions)) {
    answer_pending(asked, list);
  }
  char* const to = pending.text + pending.text_bytes;
  std::memcpy(to, from, bytes);
  pending.text_bytes += bytes;
  for (const std::string_view expression : all) {
    pending.expressions[pending.size] = {to + (expression.data() - from), expression.size()};
    pending.urls[pending.size++] = i;
  }
  return kAbsent;
}

// Stores a result of Rice coding, and makes it range 0. JavaScript must call the release function.
std::int32_t give(Bytes&& result) noexcept {
  made = std::move(result);
  put_range(0, made.data(), made.size());
  return 0;
}

// Calls `decode` with the first value, and with the data that follows it in `bytes`.
std::int32_t decode_by(decltype(&url::rice_decode) decode, std::span<const std::byte> bytes,
                       std::uint32_t value_bytes, std::uint32_t parameter,
                       std::uint32_t entries_count) noexcept {
  if (value_bytes > bytes.size()) return negative(Status::kInvalidOption);
  auto decoded =
      decode({bytes.first(value_bytes), parameter, entries_count, bytes.subspan(value_bytes)});
  return decoded.ok() ? give(std::move(*decoded)) : negative(decoded.status());
}

// The shape of an expression, as a mask with one bit.
url::Shapes shape_of(std::string_view expression) noexcept {
  if (expression.find('?') != expression.npos) return 1u << url::kQueryShape;
  const auto depth = std::count(expression.begin(), expression.end(), '/') - 1;
  const bool is_folder = expression.ends_with('/') && depth < std::int64_t{url::kFolderShapes};
  return 1u << (is_folder ? static_cast<std::uint32_t>(depth) : url::kPageShape);
}

}  // namespace

// The first step. Returns 1 if the second step needs the platform's IDNA form of the host, which is
// range 0; otherwise 0, kInvalidUrl or kOutOfMemory.
TAMIS_EXPORT("url-text", "_tamis_url_parse")
std::int32_t tamis_url_parse(const std::byte* url, std::uint32_t size) {
  const Status status = canonical.parse({url, size});
  if (status != Status::kOk) return negative(status);
  put_range(0, canonical.decoded_host());
  return canonical.needs_idna() ? 1 : 0;
}

// The second step. The URL's text is range 0, and its host range 1. Returns 1 if the host is an IP
// address, otherwise 0, kInvalidUrl or kOutOfMemory. `ascii_host` is null without an IDNA form.
TAMIS_EXPORT("url-text", "_tamis_url_finish")
std::int32_t tamis_url_finish(const char* ascii_host, std::uint32_t size) {
  const Status status = canonical.finish(
      ascii_host == nullptr ? std::nullopt : std::optional(std::string_view(ascii_host, size)));
  if (status != Status::kOk) return negative(status);
  put_range(0, canonical.text());
  put_range(1, canonical.host());
  return canonical.is_ip() ? 1 : 0;
}

// Writes the URL's expressions to the ranges 0, 1, ... and returns how many there are.
TAMIS_EXPORT("url-text", "_tamis_url_expressions")
std::int32_t tamis_url_expressions(std::uint32_t registrable_bytes) {
  auto all = expressions(registrable_bytes, url::kAllShapes);
  if (!all.ok()) return negative(all.status());
  std::uint32_t count = 0;
  do {
    for (const std::string_view one : *all) put_range(count++, one);
  } while (all->advance());
  return static_cast<std::int32_t>(count);
}

// Writes those of the URL's expressions with these shapes that the list may contain to the ranges
// 0, 1, ... and their hashes to the scratch. Returns how many there are.
TAMIS_EXPORT("url", "_tamis_url_hits")
std::int32_t tamis_url_hits(Handle handle, std::uint32_t registrable_bytes, url::Shapes shapes) {
  return with_a<UrlList>(handle, [&](const UrlList& list) {
    auto all = expressions(registrable_bytes, shapes & list.shapes());
    if (!all.ok()) return negative(all.status());
    ExpressionHash hashes[Expressions::kMaxCount + 1];
    std::size_t hits = 0;
    do {
      url::hash_expressions(all->with_mark(), hashes);
      for (std::size_t i = 0; i < all->size(); ++i) {
        if (!list.contains(hashes[i].data())) continue;
        put_range(hits, (*all)[i]);
        std::memcpy(reinterpret_cast<ExpressionHash*>(scratch.hashes) + hits, &hashes[i],
                    sizeof(ExpressionHash));
        ++hits;
      }
    } while ((all->mark().empty() || goes_on(list, *all, hashes[all->size()])) && all->advance());
    return static_cast<std::int32_t>(hits);
  });
}

// Returns an Answer for one URL, by the list's own rule (labels5 or parents), or a negative status.
TAMIS_EXPORT("url", "_tamis_url_check")
std::int32_t tamis_url_check(Handle handle, const std::byte* url, std::uint32_t size) {
  return with_a<UrlList>(handle, [&](const UrlList& list) {
    const Asked asked = asked_of(handle, list);
    std::string_view name;
    const std::int32_t answer = answer_url(asked, {url, size}, name);
    return answer == kUndecided ? ask_list(asked, list, expressions_of(asked, name)) : answer;
  });
}

// The same for a batch of URLs. The answers are written to the scratch.
TAMIS_EXPORT("url", "_tamis_url_check_many")
std::int32_t tamis_url_check_many(Handle handle, std::uint32_t offset, std::uint32_t size,
                                  std::uint32_t count) {
  scratch.counts.done = 0;
  return with_a<UrlList>(handle, [&](const UrlList& list) {
    const Asked asked = asked_of(handle, list);
    const std::int32_t result = for_each_key(offset, size, count, [&](std::uint32_t i, Key url) {
      scratch.answers[i] = kAbsent;
      std::string_view name;
      std::int32_t answer = answer_url(asked, url, name);
      if (answer == kUndecided) answer = add_pending(asked, list, expressions_of(asked, name), i);
      if (answer != kAbsent) scratch.answers[i] = static_cast<std::uint8_t>(answer);
      return answer;
    });
    answer_pending(asked, list);
    return result;
  });
}

// Returns an Answer for one URL and up to 32 lists with the rules labels5 or parents. The scratch's
// hashes contain the handles of the lists. In the scratch's first value, bit i is set if list i may
// contain the URL. Each list is compared only with expressions of its own shapes and rule, because
// another expression could by chance have the prefix of an entry. `set` is a number that no handle
// and no other set of lists has.
TAMIS_EXPORT("url-lists", "_tamis_url_check_lists")
std::int32_t tamis_url_check_lists(Handle set, std::uint32_t count, const std::byte* url,
                                   std::uint32_t size) {
  const UrlList* lists[32];
  if (count > std::size(lists)) return negative(Status::kInvalidOption);
  url::Shapes shapes = 0;
  bool has_parents = false;
  for (std::uint32_t i = 0; i < count; ++i) {
    Handle handle;
    std::memcpy(&handle, scratch.hashes + i, sizeof(handle));
    lists[i] = find_a<UrlList>(handle);
    if (lists[i] == nullptr) return negative(Status::kUnsupported);
    shapes |= lists[i]->shapes();
    has_parents = has_parents || lists[i]->has_parents();
  }
  std::uint32_t mask = 0;
  const Asked asked{static_cast<std::uint64_t>(set), shapes, has_parents};
  std::string_view name;
  const std::int32_t answer = answer_url(asked, {url, size}, name);
  if (answer != kUndecided) return answer;
  const Expressions all = expressions_of(asked, name);
  ExpressionHash hashes[Expressions::kMaxCount + 1];
  url::hash_expressions(all.with_mark(), hashes);
  for (std::uint32_t at = 0; at < count; ++at) {
    // Few hosts have so many labels. For such hosts, JavaScript asks each list alone.
    if (goes_on(*lists[at], all, hashes[all.size()])) return kNeedsParser;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const url::Shapes shape = shape_of(all[i]);
    for (std::uint32_t at = 0; at < count; ++at) {
      const bool is_its = (lists[at]->shapes() & shape) != 0;
      if (is_its && lists[at]->contains(hashes[i].data())) mask |= 1u << at;
    }
  }
  if (mask == 0) {
    asked.remember_clean(all.host());
    return kAbsent;
  }
  scratch.values[0] = mask;
  return kListed;
}

// Writes the SHA-256 of the bytes to the scratch's hashes.
TAMIS_EXPORT("url-text", "_tamis_sha256")
void tamis_sha256(const char* bytes, std::uint32_t size) {
  const ExpressionHash hash = url::hash_expression({bytes, size});
  std::memcpy(scratch.hashes, hash.data(), hash.size());
}

// The data becomes range 0; the scratch's values are the parameter and the number of deltas.
// tamis_rice_release must follow.
TAMIS_EXPORT("rice-more", "_tamis_rice_encode")
std::int32_t tamis_rice_encode(const std::byte* values, std::uint32_t size,
                               std::uint32_t value_bytes) {
  auto encoded = url::rice_encode({values, size}, value_bytes);
  if (!encoded.ok()) return negative(encoded.status());
  scratch.values[0] = encoded->parameter;
  scratch.values[1] = encoded->entries_count;
  return give(std::move(encoded->data));
}

// Decodes a value of `value_bytes` and the data after it. The integers become range 0.
// tamis_rice_release must follow.
TAMIS_EXPORT("rice", "_tamis_rice_decode")
std::int32_t tamis_rice_decode(const std::byte* bytes, std::uint32_t size,
                               std::uint32_t value_bytes, std::uint32_t parameter,
                               std::uint32_t entries_count) {
  return decode_by(url::rice_decode, {bytes, size}, value_bytes, parameter, entries_count);
}

// The same for version 4, for prefixes or integers.
TAMIS_EXPORT("rice-more", "_tamis_rice_decode_v4")
std::int32_t tamis_rice_decode_v4(const std::byte* bytes, std::uint32_t size,
                                  std::uint32_t value_bytes, std::uint32_t parameter,
                                  std::uint32_t entries_count, bool are_prefixes) {
  const auto decode = are_prefixes ? url::rice_decode_v4_prefixes : url::rice_decode_v4;
  return decode_by(decode, {bytes, size}, value_bytes, parameter, entries_count);
}

TAMIS_EXPORT("rice", "_tamis_rice_release")
void tamis_rice_release() { made = {}; }
