// bindings/url.cpp - the data plane of URLs: raw exports, as in keys.cpp.
//
// One URL at a time is canonical, "the URL" of the functions below. What they say of it are ranges
// of addresses in the scratch's starts and ends, good until the next call.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <tamis/url/canonicalize.hpp>
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

// Never destroyed, since the module has no end; nor is what Rice coding made last.
[[clang::no_destroy]] url::CanonicalUrl canonical;
[[clang::no_destroy]] detail::Buffer<std::byte> made;

// In the place of the registrable domain's length: rule `labels5`.
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

// Makes a URL canonical: kAbsent where its expressions say the rest, another Answer, or a negative
// status. The URL is as somebody typed it: kNeedsParser where only the platform's parser can tell
// what page a browser would open.
std::int32_t make_canonical(Key url) noexcept {
  if (!url::is_plain(url)) return kNeedsParser;
  Status status = canonical.parse(url);
  if (status == Status::kOk) status = canonical.finish();
  return status == Status::kInvalidUrl ? kInvalid : negative(status);
}

// Expressions of several URLs of a batch, so that the last of one and the first of the next are
// hashed at once.
struct Pending {
  char text[16 << 10];
  std::size_t text_bytes = 0;
  std::string_view expressions[256];
  std::uint32_t urls[256];  // whose they are
  std::size_t size = 0;
} pending;

void answer_pending(const UrlList& list) noexcept {
  auto* const hashes = reinterpret_cast<ExpressionHash*>(scratch.hashes);
  static_assert(sizeof(scratch.hashes) >=
                std::extent_v<decltype(Pending::expressions)> * sizeof(ExpressionHash));
  url::hash_expressions({pending.expressions, pending.size}, hashes);
  for (std::size_t i = 0; i < pending.size; ++i) {
    if (list.contains(hashes[i].data())) scratch.answers[pending.urls[i]] = kListed;
  }
  pending.size = pending.text_bytes = 0;
}

// Takes the expressions of the URL, number i of the batch.
void add_pending(const UrlList& list, std::uint32_t i) noexcept {
  const Expressions all = Expressions::labels5(canonical, list.shapes());
  const char* const from = canonical.host().data();
  std::size_t bytes = 0;
  for (const std::string_view expression : all) {
    bytes = std::max(bytes, static_cast<std::size_t>(expression.data() - from) + expression.size());
  }
  if (bytes > sizeof(pending.text)) {
    for_each_hit(list, all,
                 [i](std::size_t, const ExpressionHash&) { scratch.answers[i] = kListed; });
    return;
  }
  if (pending.text_bytes + bytes > sizeof(pending.text) ||
      pending.size + all.size() > std::size(pending.expressions)) {
    answer_pending(list);
  }
  char* const to = pending.text + pending.text_bytes;
  std::memcpy(to, from, bytes);
  pending.text_bytes += bytes;
  for (const std::string_view expression : all) {
    pending.expressions[pending.size] = {to + (expression.data() - from), expression.size()};
    pending.urls[pending.size++] = i;
  }
}

}  // namespace

extern "C" {

// The first step: 1 where finish should be given what the platform's IDNA makes of the host, which
// is range 0; else 0. kInvalidUrl, kOutOfMemory.
TAMIS_EXPORT("url-text", "_tamis_url_parse")
std::int32_t tamis_url_parse(const std::byte* url, std::uint32_t size) {
  const Status status = canonical.parse({url, size});
  if (status != Status::kOk) return negative(status);
  put_range(0, canonical.decoded_host());
  return canonical.needs_idna() ? 1 : 0;
}

// The second: the URL's text is range 0, and its host range 1. 1 where that is an IP address. A
// null host is none. kInvalidUrl, kOutOfMemory.
TAMIS_EXPORT("url-text", "_tamis_url_finish")
std::int32_t tamis_url_finish(const char* ascii_host, std::uint32_t size) {
  const Status status = canonical.finish(
      ascii_host == nullptr ? std::nullopt : std::optional(std::string_view(ascii_host, size)));
  if (status != Status::kOk) return negative(status);
  put_range(0, canonical.text());
  put_range(1, canonical.host());
  return canonical.is_ip() ? 1 : 0;
}

// The URL's expressions are the ranges from 0 on: how many.
TAMIS_EXPORT("url-text", "_tamis_url_expressions")
std::int32_t tamis_url_expressions(std::uint32_t registrable_bytes) {
  const auto all = expressions(registrable_bytes, url::kAllShapes);
  if (!all.ok()) return negative(all.status());
  for (std::size_t i = 0; i < all->size(); ++i) put_range(i, (*all)[i]);
  return static_cast<std::int32_t>(all->size());
}

// The expressions of the URL, of these shapes, that the list may hold, and their hashes in the
// scratch's, one after the other: how many.
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

// An Answer for one URL by the rule labels5, or a negative status.
TAMIS_EXPORT("url", "_tamis_url_check")
std::int32_t tamis_url_check(Handle handle, const std::byte* url, std::uint32_t size) {
  return with_a<UrlList>(handle, [&](const UrlList& list) {
    std::int32_t answer = make_canonical({url, size});
    if (answer == kAbsent) {
      for_each_hit(list, Expressions::labels5(canonical, list.shapes()),
                   [&](std::size_t, const ExpressionHash&) { answer = kListed; });
    }
    return answer;
  });
}

// The same of a batch, whose answers stand in the scratch's.
TAMIS_EXPORT("url", "_tamis_url_check_many")
std::int32_t tamis_url_check_many(Handle handle, std::uint32_t offset, std::uint32_t size,
                                  std::uint32_t count) {
  scratch.counts.done = 0;
  return with_a<UrlList>(handle, [&](const UrlList& list) {
    const std::int32_t result = for_each_key(offset, size, count, [&](std::uint32_t i, Key url) {
      const std::int32_t answer = make_canonical(url);
      scratch.answers[i] = static_cast<std::uint8_t>(answer);
      if (answer == kAbsent) add_pending(list, i);
      return answer;
    });
    answer_pending(list);
    return result;
  });
}

// SHA-256 into the scratch's hashes.
TAMIS_EXPORT("url-text", "_tamis_sha256")
void tamis_sha256(const char* bytes, std::uint32_t size) {
  const ExpressionHash hash = url::hash_expression({bytes, size});
  std::memcpy(scratch.hashes, hash.data(), hash.size());
}

// The data are range 0; the parameter and the number of deltas stand in the scratch's values.
// Release belongs behind it.
TAMIS_EXPORT("rice", "_tamis_rice_encode")
std::int32_t tamis_rice_encode(const std::byte* values, std::uint32_t size,
                               std::uint32_t value_bytes) {
  auto encoded = url::rice_encode({values, size}, value_bytes);
  if (!encoded.ok()) return negative(encoded.status());
  made = std::move(encoded->data);
  put_range(0, made.data(), made.size());
  scratch.values[0] = encoded->parameter;
  scratch.values[1] = encoded->entries_count;
  return 0;
}

// The first value, of `value_bytes`, and the data behind it: the integers are range 0. `kind`: v5,
// integers of v4, prefixes of v4. Release belongs behind it.
TAMIS_EXPORT("rice", "_tamis_rice_decode")
std::int32_t tamis_rice_decode(const std::byte* bytes, std::uint32_t size,
                               std::uint32_t value_bytes, std::uint32_t parameter,
                               std::uint32_t entries_count, std::uint32_t kind) {
  if (value_bytes > size) return negative(Status::kInvalidOption);
  constexpr decltype(&url::rice_decode) kDecoders[] = {url::rice_decode, url::rice_decode_v4,
                                                       url::rice_decode_v4_prefixes};
  if (kind >= std::size(kDecoders)) return negative(Status::kInvalidOption);
  const std::span all(bytes, size);
  auto decoded =
      kDecoders[kind]({all.first(value_bytes), parameter, entries_count, all.subspan(value_bytes)});
  if (!decoded.ok()) return negative(decoded.status());
  made = std::move(*decoded);
  put_range(0, made.data(), made.size());
  return 0;
}

TAMIS_EXPORT("rice", "_tamis_rice_release")
void tamis_rice_release() { made = {}; }

}  // extern "C"
