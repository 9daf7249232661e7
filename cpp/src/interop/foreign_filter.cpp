#include <tamis/interop/foreign_filter.hpp>

#include <algorithm>
#include <bit>
#include <utility>

namespace tamis::interop {
namespace {

constexpr std::uint64_t kMaxBytes = 0xffffffff;
// Above what kMaxBytes can hold, and so small that no product below overflows.
constexpr std::uint64_t kMaxSize = std::uint64_t{1} << 35;
constexpr std::uint32_t kMaxStep = 1 << 20;

bool is_valid(const ForeignShape& shape, const ForeignLayer& layer, std::uint64_t bytes) noexcept {
  const std::uint64_t size = layer.size, step = layer.step;
  if (size == 0 || size > kMaxSize || step == 0 || step > kMaxStep) return false;
  std::uint64_t needed;
  if (shape.rule == ForeignRule::kBloom) {
    needed = (size + 7) / 8;
  } else if (shape.rule < ForeignRule::kFuse) {
    // The other bucket is an exclusive or away.
    if (!std::has_single_bit(size)) return false;
    needed = size * step;
  } else if (shape.rule == ForeignRule::kFuse) {
    // A slot changes places within its segment by an exclusive or.
    if (!std::has_single_bit(step) || size % step != 0) return false;
    needed = (size + 2 * step) * shape.width;
  } else {
    needed = 3 * size * shape.width;
  }
  return layer.offset + needed <= bytes;
}

}  // namespace

Result<ForeignFilter> ForeignFilter::create(const ForeignShape& shape,
                                            std::span<const ForeignLayer> layers,
                                            std::uint64_t bytes) noexcept {
  if (bytes > kMaxBytes) return Status::kTooLarge;
  // Of a fuse or xor filter one layer is looked up in.
  if (layers.empty() || (layers.size() > 1 && shape.rule >= ForeignRule::kFuse)) {
    return Status::kCorrupt;
  }
  if (shape.width == 0 || shape.width > 4) return Status::kCorrupt;
  for (const ForeignLayer& layer : layers) {
    if (!is_valid(shape, layer, bytes)) return Status::kCorrupt;
  }
  ForeignFilter filter;
  const std::uint64_t behind = (bytes + 7) / sizeof(ForeignLayer) + 1;
  TAMIS_TRY(memory, detail::Buffer<ForeignLayer>::zeroed(layers.size() + behind));
  std::copy(layers.begin(), layers.end(), memory->data());
  filter.shape_ = shape;
  filter.size_ = static_cast<std::size_t>(bytes);
  filter.layer_count_ = layers.size();
  filter.memory_ = std::move(*memory);
  return filter;
}

}  // namespace tamis::interop
