// Hostile Rice-Golomb streams, and what they are used for: an update of a list. What is accepted
// must be strictly increasing and survive its own encoding.
//
// The first byte chooses the width, by its lowest two bits, and v4, by the third; the second is
// added to the least parameter of that width, the third is the number of deltas.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tamis/url/rice.hpp>
#include <tamis/url/url_delta.hpp>

#include "fuzz/fuzz.hpp"
#include "support/container.hpp"

namespace tamis::fuzz {
namespace {

void check(std::span<const std::byte> values, std::uint32_t width) {
  for (std::size_t at = width; at < values.size(); at += width) {
    MUST(std::memcmp(values.data() + at - width, values.data() + at, width) < 0);
  }
  const auto encoded = url::rice_encode(values, width);
  MUST(encoded.ok());
  const auto decoded = url::rice_decode(
      {values.first(width), encoded->parameter, encoded->entries_count, encoded->data.span()});
  MUST(decoded.ok() && std::ranges::equal(decoded->span(), values));

  const auto set = url::PrefixSet::build(values, width);
  MUST(set.ok() && set->size() == values.size() / width);
  for (std::size_t i = 0; i < set->size(); ++i) {
    std::byte entry[url::kHashBytes];
    set->copy_to(i, 1, entry);
    MUST(std::memcmp(entry, values.data() + i * width, width) == 0);
    MUST(set->index_of(values.data() + i * width) == i);
  }
  // Half of the list becomes all of it, and the other way round.
  const auto half_entries = static_cast<std::size_t>(set->size() / 2);
  const auto half = url::PrefixSet::build(values.first(half_entries * width), width);
  MUST(half.ok());
  for (const auto* old : {&*half, &*set}) {
    const auto& next = old == &*half ? *set : *half;
    const auto delta = url::diff(*old, next);
    MUST(delta.ok());
    const auto made = url::apply_delta(*old, delta->removals.span(), delta->additions.span());
    MUST(made.ok() && made->checksum() == next.checksum());
  }
}

}  // namespace
}  // namespace tamis::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tamis;
  const std::uint32_t width = 4u << (size == 0 ? 0 : data[0] % 4);
  if (size < 3 + width) return 0;
  const bool is_v4 = width == 4 && (data[0] & 4) != 0;
  const test::HeapCopy copy(std::as_bytes(std::span(data, size).subspan(3)));
  const auto bytes = copy.span();
  const url::RiceDeltas deltas{bytes.first(width), 8 * width - 30 + data[1] % 32, data[2],
                               bytes.subspan(width)};
  const auto decoded = is_v4 ? url::rice_decode_v4_prefixes(deltas) : url::rice_decode(deltas);
  if (decoded.ok()) {
    fuzz::check(decoded->span(), width);
    // Takes the integers as indices and as additions of an update, for a list that it was not made
    // for.
    const auto old = url::PrefixSet::build(decoded->span().first(width), width);
    MUST(old.ok());
    if (width == 4) MUST(!url::apply_delta(*old, decoded->span(), {}).ok() || old->size() == 1);
    MUST(url::apply_delta(*old, {}, decoded->span()).status() == Status::kCorrupt);
  } else {
    MUST(decoded.status() == Status::kCorrupt);
  }
  return 0;
}
