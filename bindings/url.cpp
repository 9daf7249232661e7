// bindings/url.cpp - the data plane of URLs: raw exports, as in keys.cpp.
//
// One URL at a time is canonical, "the URL" of the functions below. Their results are ranges of
// addresses in the scratch's starts and ends. They are valid until the next call.

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

// The last URL and the last result of Rice coding. They are never destroyed, since the module has
// no end.
[[clang::no_destroy]] url::CanonicalUrl canonical;
[[clang::no_destroy]] Bytes made;
[[clang::no_destroy]] url::CleanHosts clean_hosts;

// The value for rule `labels5` in the place of the registrable domain's length.
constexpr std::uint32_t kLabels5 = 0xffffffff;

// The answers of js/src/url/url-list.ts.
enum Answer : std::uint8_t { kAbsent, kListed, kInvalid, kNeedsParser };

void put_range(std::size_t i, const void* data, std::size_t size) noexcept {
  scratch.starts[i] = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(data));
  scratch.ends[i] = scratch.starts[i] + static_cast<std::uint32_t>(size);
}
void put_range(std::size_t i, std::string_view text) noexcept {
  put_range(i, text.data(), text.size());
}

Result<Expressions> expressions(std::uint32_t registrable_bytes, url::Shapes shapes) noexcept {
  if (canonical.text().empty()) return Status::kInvalidUrl;
  if (registrable_bytes == kLabels5) return Expressions::labels5(canonical, shapes);
  return Expressions::public_suffix(canonical, registrable_bytes, shapes);
}

// Calls act(i, hash) for each expression that the list may hold.
template <class Act>
void for_each_hit(const UrlList& list, const Expressions& all, Act act) noexcept {
  ExpressionHash hashes[Expressions::kMaxCount];
  url::hash_expressions({all.begin(), all.size()}, hashes);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (list.contains(hashes[i].data())) act(i, hashes[i]);
  }
}

// A look-up in one list, or in several at once. It has a number that nothing else has, and the
// shapes of the expressions. Lists never change, and no two ever have one handle.
struct Asked {
  std::uint64_t number;
  url::Shapes shapes;

  // True if the first expression of a URL is its host and a slash.
  [[nodiscard]] bool are_hosts() const noexcept { return shapes == url::kHostShape; }
  [[nodiscard]] bool is_clean(std::string_view host) const noexcept {
    return are_hosts() && clean_hosts.has(number, host);
  }
  // Remembers that no list has these expressions.
  void remember_clean(std::string_view first) const noexcept {
    if (are_hosts()) clean_hosts.put(number, first.substr(0, first.size() - 1));
  }
};

Asked asked_of(Handle handle, const UrlList& list) noexcept {
  return {static_cast<std::uint64_t>(handle), list.shapes()};
}

// Returns an Answer for a URL by the rule labels5, as somebody typed it, or a negative status. It
// is kNeedsParser if only the platform's parser can tell which page a browser would open. It calls
// act(expressions) if these decide. They are in one piece of text, which begins with the first.
template <class Act>
std::int32_t answer_url(const Asked& asked, Key url, Act act) noexcept {
  const std::string_view host = url::find_plain_host(url);
  if (host.empty()) return kNeedsParser;
  const auto* const end = reinterpret_cast<const char*>(url.data()) + url.size();
  // A host with a slash behind it needs no canonical form.
  if (asked.are_hosts() && host.data() + host.size() != end &&
      url.size() <= url::CanonicalUrl::kMaxBytes) {
    return asked.is_clean(host) ? kAbsent : act(Expressions::labels5_of_name(host));
  }
  Status status = canonical.parse(url);
  if (status == Status::kOk) status = canonical.finish();
  if (status == Status::kInvalidUrl) return kInvalid;
  if (status != Status::kOk) return negative(status);
  return act(Expressions::labels5(canonical, asked.shapes));
}

// Returns kListed if the list may hold one of them, or kAbsent.
std::int32_t ask_list(const Asked& asked, const UrlList& list, const Expressions& all) noexcept {
  std::int32_t answer = kAbsent;
  for_each_hit(list, all, [&](std::size_t, const ExpressionHash&) { answer = kListed; });
  if (answer == kAbsent) asked.remember_clean(all[0]);
  return answer;
}

// Expressions of several URLs of a batch, so that the last of one and the first of the next are
// hashed together.
struct Pending {
  char text[16 << 10];
  std::size_t text_bytes = 0;
  std::string_view expressions[256];
  std::uint32_t urls[256];  // the URL of each
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
      asked.remember_clean(pending.expressions[i]);
    }
  }
  pending.size = pending.text_bytes = 0;
}

// Takes the expressions of URL i of the batch, and returns its answer so far.
std::int32_t add_pending(const Asked& asked, const UrlList& list, const Expressions& all,
                         std::uint32_t i) noexcept {
  if (all.size() == 0) return kAbsent;
  const char* const from = all[0].data();
  std::size_t bytes = 0;
  for (const std::string_view expression : all) {
    bytes = std::max(bytes, static_cast<std::size_t>(expression.data() - from) + expression.size());
  }
  if (bytes > sizeof(pending.text)) return ask_list(asked, list, all);
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

// Keeps a result of Rice coding as range 0, until the release.
std::int32_t give(Bytes&& result) noexcept {
  made = std::move(result);
  put_range(0, made.data(), made.size());
  return 0;
}

// Calls `decode` with the first value and the data behind it.
std::int32_t decode_by(decltype(&url::rice_decode) decode, std::span<const std::byte> bytes,
                       std::uint32_t value_bytes, std::uint32_t parameter,
                       std::uint32_t entries_count) noexcept {
  if (value_bytes > bytes.size()) return negative(Status::kInvalidOption);
  auto decoded =
      decode({bytes.first(value_bytes), parameter, entries_count, bytes.subspan(value_bytes)});
  return decoded.ok() ? give(std::move(*decoded)) : negative(decoded.status());
}

// The shape of an expression, as its bit.
url::Shapes shape_of(std::string_view expression) noexcept {
  if (expression.find('?') != expression.npos) return 1u << url::kQueryShape;
  const auto depth = std::count(expression.begin(), expression.end(), '/') - 1;
  const bool is_folder = expression.ends_with('/') && depth < std::int64_t{url::kFolderShapes};
  return 1u << (is_folder ? static_cast<std::uint32_t>(depth) : url::kPageShape);
}

}  // namespace

// Makes the first step. Returns 1 if finish needs the platform's IDNA form of the host, which is
// range 0, and else 0. Returns kInvalidUrl or kOutOfMemory.
TAMIS_EXPORT("url-text", "_tamis_url_parse")
std::int32_t tamis_url_parse(const std::byte* url, std::uint32_t size) {
  const Status status = canonical.parse({url, size});
  if (status != Status::kOk) return negative(status);
  put_range(0, canonical.decoded_host());
  return canonical.needs_idna() ? 1 : 0;
}

// Makes the second step. The URL's text is range 0, and its host range 1. Returns 1 if the host is
// an IP address, kInvalidUrl or kOutOfMemory. A null host is none.
TAMIS_EXPORT("url-text", "_tamis_url_finish")
std::int32_t tamis_url_finish(const char* ascii_host, std::uint32_t size) {
  const Status status = canonical.finish(
      ascii_host == nullptr ? std::nullopt : std::optional(std::string_view(ascii_host, size)));
  if (status != Status::kOk) return negative(status);
  put_range(0, canonical.text());
  put_range(1, canonical.host());
  return canonical.is_ip() ? 1 : 0;
}

// Returns the number of the URL's expressions, which are the ranges from 0 on.
TAMIS_EXPORT("url-text", "_tamis_url_expressions")
std::int32_t tamis_url_expressions(std::uint32_t registrable_bytes) {
  const auto all = expressions(registrable_bytes, url::kAllShapes);
  if (!all.ok()) return negative(all.status());
  for (std::size_t i = 0; i < all->size(); ++i) put_range(i, (*all)[i]);
  return static_cast<std::int32_t>(all->size());
}

// Returns the number of the URL's expressions of these shapes that the list may hold. Their hashes
// are in the scratch, one after the other.
TAMIS_EXPORT("url", "_tamis_url_hits")
std::int32_t tamis_url_hits(Handle handle, std::uint32_t registrable_bytes, url::Shapes shapes) {
  return with_a<UrlList>(handle, [&](const UrlList& list) {
    const auto all = expressions(registrable_bytes, shapes & list.shapes());
    if (!all.ok()) return negative(all.status());
    std::size_t hits = 0;
    for_each_hit(list, *all, [&](std::size_t i, const ExpressionHash& hash) {
      put_range(hits, (*all)[i]);
      std::memcpy(reinterpret_cast<std::byte*>(scratch.hashes) + hits * hash.size(), hash.data(),
                  hash.size());
      ++hits;
    });
    return static_cast<std::int32_t>(hits);
  });
}

// Returns an Answer for one URL by the rule labels5, or a negative status.
TAMIS_EXPORT("url", "_tamis_url_check")
std::int32_t tamis_url_check(Handle handle, const std::byte* url, std::uint32_t size) {
  return with_a<UrlList>(handle, [&](const UrlList& list) {
    const Asked asked = asked_of(handle, list);
    return answer_url(asked, {url, size},
                      [&](const Expressions& all) { return ask_list(asked, list, all); });
  });
}

// Does the same for a batch. The answers are in the scratch.
TAMIS_EXPORT("url", "_tamis_url_check_many")
std::int32_t tamis_url_check_many(Handle handle, std::uint32_t offset, std::uint32_t size,
                                  std::uint32_t count) {
  scratch.counts.done = 0;
  return with_a<UrlList>(handle, [&](const UrlList& list) {
    const Asked asked = asked_of(handle, list);
    const std::int32_t result = for_each_key(offset, size, count, [&](std::uint32_t i, Key url) {
      scratch.answers[i] = kAbsent;
      const std::int32_t answer = answer_url(
          asked, url, [&](const Expressions& all) { return add_pending(asked, list, all, i); });
      if (answer != kAbsent) scratch.answers[i] = static_cast<std::uint8_t>(answer);
      return answer;
    });
    answer_pending(asked, list);
    return result;
  });
}

// Returns an Answer for one URL and up to 32 lists by the rule labels5. The scratch's hashes have
// the handles of the lists. The lists that may hold it are bits of the scratch's first value. Each
// list is compared only with expressions of its own shapes, since others may meet one of its
// prefixes. `set` is a number that no handle and no other such set of lists has.
TAMIS_EXPORT("url-lists", "_tamis_url_check_lists")
std::int32_t tamis_url_check_lists(Handle set, std::uint32_t count, const std::byte* url,
                                   std::uint32_t size) {
  const UrlList* lists[32];
  if (count > std::size(lists)) return negative(Status::kInvalidOption);
  url::Shapes shapes = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    Handle handle;
    std::memcpy(&handle, scratch.hashes + i, sizeof(handle));
    lists[i] = find_a<UrlList>(handle);
    if (lists[i] == nullptr) return negative(Status::kUnsupported);
    shapes |= lists[i]->shapes();
  }
  std::uint32_t mask = 0;
  const Asked asked{static_cast<std::uint64_t>(set), shapes};
  const std::int32_t answer = answer_url(asked, {url, size}, [&](const Expressions& all) {
    ExpressionHash hashes[Expressions::kMaxCount];
    url::hash_expressions({all.begin(), all.size()}, hashes);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const url::Shapes shape = shape_of(all[i]);
      for (std::uint32_t at = 0; at < count; ++at) {
        const bool is_its = (lists[at]->shapes() & shape) != 0;
        if (is_its && lists[at]->contains(hashes[i].data())) mask |= 1u << at;
      }
    }
    if (mask != 0) return kListed;
    asked.remember_clean(all[0]);
    return kAbsent;
  });
  scratch.values[0] = mask;
  return answer;
}

// Writes the SHA-256 into the scratch's hashes.
TAMIS_EXPORT("url-text", "_tamis_sha256")
void tamis_sha256(const char* bytes, std::uint32_t size) {
  const ExpressionHash hash = url::hash_expression({bytes, size});
  std::memcpy(scratch.hashes, hash.data(), hash.size());
}

// The data are range 0. The parameter and the number of deltas are in the scratch's values. A
// release must follow.
TAMIS_EXPORT("rice-more", "_tamis_rice_encode")
std::int32_t tamis_rice_encode(const std::byte* values, std::uint32_t size,
                               std::uint32_t value_bytes) {
  auto encoded = url::rice_encode({values, size}, value_bytes);
  if (!encoded.ok()) return negative(encoded.status());
  scratch.values[0] = encoded->parameter;
  scratch.values[1] = encoded->entries_count;
  return give(std::move(encoded->data));
}

// Reads the first value, of `value_bytes`, and the data behind it. The integers are range 0. A
// release must follow.
TAMIS_EXPORT("rice", "_tamis_rice_decode")
std::int32_t tamis_rice_decode(const std::byte* bytes, std::uint32_t size,
                               std::uint32_t value_bytes, std::uint32_t parameter,
                               std::uint32_t entries_count) {
  return decode_by(url::rice_decode, {bytes, size}, value_bytes, parameter, entries_count);
}

// Does the same for version 4, with prefixes or integers.
TAMIS_EXPORT("rice-more", "_tamis_rice_decode_v4")
std::int32_t tamis_rice_decode_v4(const std::byte* bytes, std::uint32_t size,
                                  std::uint32_t value_bytes, std::uint32_t parameter,
                                  std::uint32_t entries_count, bool are_prefixes) {
  const auto decode = are_prefixes ? url::rice_decode_v4_prefixes : url::rice_decode_v4;
  return decode_by(decode, {bytes, size}, value_bytes, parameter, entries_count);
}

TAMIS_EXPORT("rice", "_tamis_rice_release")
void tamis_rice_release() { made = {}; }
