// Hostile records over hostile bytes: a foreign filter never reads outside them, and answers as its
// specification says.
//
// The first byte chooses the rule, the second the width and if keys are hashed. The third chooses
// the number of layers, and if the sizes stay as they are or are made possible. Then come the seed,
// 8 bytes, and 16 bytes a layer. The rest are the filter's bytes, and pieces of them are keys.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fuzz/fuzz.hpp"
#include "interop/foreign_model.hpp"

namespace {

// Takes the same bytes as packed slots and their map.
void unpack(std::span<const std::byte> bytes, std::size_t size, std::uint32_t choice) {
  using namespace tamis;
  const std::uint32_t width = 1u << choice % 3;
  const std::size_t words = bytes.size() / 9;
  const auto map = bytes.last(words);
  test::PackedSlots model{{bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(8 * words)},
                          size,
                          {map.begin(), map.end()},
                          width};
  if (choice >= 128) {
    // Takes the size from the map, so that all of it is read.
    model.packed = 0;
    for (std::size_t i = 0; i < 8 * words / width; ++i) {
      if ((map[i / 8] >> i % 8 & std::byte{1}) != std::byte{0}) model.packed += width;
    }
  }
  const auto expected = model.unpacked();
  const test::HeapCopy exact(map.first((8 * words / width + 7) / 8));
  const Status status =
      interop::unpack_slots(model.slots, model.packed, exact.span().data(), width);
  MUST(status == (expected.has_value() ? Status::kOk : Status::kCorrupt));
  if (expected.has_value()) MUST(model.slots == *expected);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tamis;
  constexpr std::size_t kHead = 11, kLayer = 16;
  const std::size_t layers = size < 3 ? 0 : data[2] % 5u;
  if (size < kHead + layers * kLayer) return 0;
  const auto all = std::as_bytes(std::span(data, size));
  test::ForeignModel model;
  // One rule more than there are.
  model.shape.rule = interop::ForeignRule{data[0] % 7u};
  model.shape.width = data[1] & 7;
  model.shape.hashes_keys = data[1] >> 3 & 1;
  model.shape.seed = detail::load_le64(all.data() + 3);
  const auto rest = all.subspan(kHead + layers * kLayer);
  for (std::size_t i = 0; i < layers; ++i) {
    const std::byte* at = all.data() + kHead + i * kLayer;
    interop::ForeignLayer layer{detail::load_le64(at), detail::load_le32(at + 8),
                                detail::load_le32(at + 12)};
    if ((data[2] & 128) == 0) {
      layer.size %= 8 * rest.size() + 2;
      layer.offset %= static_cast<std::uint32_t>(rest.size() + 2);
      layer.step %= 65;
    }
    model.layers.push_back(layer);
  }
  model.bytes.assign(rest.begin(), rest.end());
  unpack(rest, data[0], data[1]);
  auto filter = interop::ForeignFilter::create(model.shape, model.layers, model.bytes.size());
  if (!filter.ok()) {
    MUST(filter.status() == Status::kCorrupt);
    return 0;
  }
  MUST(filter->size_bytes() == model.bytes.size());
  MUST(std::ranges::all_of(filter->bytes(), [](std::byte byte) { return byte == std::byte{}; }));
  std::ranges::copy(model.bytes, filter->bytes().data());
  // A rule that is not known is taken for the last.
  model.shape.rule = std::min(model.shape.rule, interop::ForeignRule::kXor);
  for (std::size_t length = 0; length <= std::min<std::size_t>(rest.size(), 72); ++length) {
    const test::HeapCopy key(rest.first(length));
    if (filter->takes(key.span())) {
      MUST(filter->may_contain(key.span()) == model.contains(key.span()));
    }
  }
  for (std::size_t at = 0; at + 8 <= std::min<std::size_t>(rest.size(), 64); at += 8) {
    const test::HeapCopy key(rest.subspan(at, 8));
    MUST(filter->takes(key.span()));
    MUST(filter->may_contain(key.span()) == model.contains(key.span()));
  }
  return 0;
}
