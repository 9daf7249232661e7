// Hostile bytes into the containers of url/, a list and a delta. What is accepted must be valid,
// canonical, and survive use.
//
// The first byte: bit 0 chooses the delta, bit 1 leaves the checksums as they are. The bytes behind
// it are a container; its magic, version, type, hash id and payload length are made right.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <tamis/url/url_delta.hpp>
#include <tamis/url/url_list.hpp>

#include "fuzz/fuzz.hpp"
#include "support/container.hpp"

namespace tamis::fuzz {
namespace {

void dress(std::span<std::byte> bytes, FilterType type) {
  if (bytes.size() < kHeaderBytes) return;
  const auto u64 = [&](std::size_t at) { return detail::load_le64(bytes.data() + at); };
  write_header(bytes, {type, HashId::kSha256Prefix, type == FilterType::kUrlDelta ? u64(16) : 0, 0,
                       u64(32), u64(40), bytes.size() - kHeaderBytes});
}

template <class F>
Result<F> decode_canonical(std::span<const std::byte> bytes) {
  auto decoded = decode<F>(bytes);
  if (!decoded.ok()) return decoded;
  MUST(decoded->validate() == Status::kOk);
  const auto again = encode(*decoded);
  MUST(again.ok() && std::ranges::equal(again->span(), bytes));
  const auto copy = decoded->clone();
  MUST(copy.ok() && encoded_bytes(*copy) == bytes.size());
  return decoded;
}

void use_list(std::span<const std::byte> bytes) {
  const auto list = decode_canonical<url::UrlList>(bytes);
  if (!list.ok()) return;
  MUST(list->count() <= 8 * bytes.size());
  std::byte hash[url::kHashBytes] = {};
  for (std::uint64_t i = 0; i < list->count(); ++i) {
    list->prefixes().copy_to(i, 1, hash);
    MUST(list->contains(hash));
  }
  // Away, and back.
  auto nothing = url::PrefixSet::build({}, list->prefix_bytes());
  MUST(nothing.ok());
  const auto empty = url::UrlList::of(std::move(*nothing), list->rule(), list->shapes());
  MUST(empty.ok());
  const auto away = url::diff(*list, *empty), back = url::diff(*empty, *list);
  MUST(away.ok() && back.ok());
  const auto none = url::apply(*list, *away), all = url::apply(*empty, *back);
  MUST(none.ok() && none->count() == 0 && none->identity() == empty->identity());
  MUST(all.ok() && all->identity() == list->identity());
  MUST(url::apply(*list, *back).status() ==
       (list->count() == 0 ? Status::kOk : Status::kIncompatible));
}

void use_delta(std::span<const std::byte> bytes) {
  const auto delta = decode_canonical<url::UrlDelta>(bytes);
  if (!delta.ok()) return;
  MUST(delta->count() <= 8 * bytes.size());
  auto nothing = url::PrefixSet::build({}, delta->prefix_bytes());
  MUST(nothing.ok());
  const auto empty = url::UrlList::of(std::move(*nothing), "labels5");
  MUST(empty.ok());
  const auto made = url::apply(*empty, *delta);
  MUST(made.ok() ? made->count() == delta->additions()
                 : made.status() == Status::kIncompatible || made.status() == Status::kCorrupt);
}

}  // namespace
}  // namespace tamis::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tamis;
  if (size == 0) return 0;
  test::HeapCopy copy(std::as_bytes(std::span(data, size).subspan(1)));
  const auto bytes = copy.span();
  const bool is_delta = (data[0] & 1) != 0;
  if ((data[0] & 2) == 0) {
    fuzz::dress(bytes, is_delta ? FilterType::kUrlDelta : FilterType::kUrlList);
  }
  is_delta ? fuzz::use_delta(bytes) : fuzz::use_list(bytes);
  return 0;
}
