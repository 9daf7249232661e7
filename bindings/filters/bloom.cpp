// bindings/filters/bloom.cpp - what a Bloom filter has beyond the common set.

#include <tamis/filters/bloom.hpp>

#include "../bind_filter.hpp"

namespace tamis::bindings {
namespace {

std::int32_t fill(Handle bloom) {
  return with_live(bloom, [](auto& object) {
    as<BloomFilter>(object).fill();
    return 0;
  });
}

// Puts hashes() doubles at `out`.
std::int32_t positions(Handle bloom, Address key, std::size_t size, Address out) {
  return with_live(bloom, [=](auto& object) {
    const auto& filter = as<BloomFilter>(object);
    BloomFilter::Positions positions;
    filter.positions({reinterpret_cast<const std::byte*>(key), size}, positions);
    auto* to = reinterpret_cast<double*>(out);
    for (std::uint32_t i = 0; i < filter.hashes(); ++i) to[i] = static_cast<double>(positions[i]);
    return 0;
  });
}

// Puts the estimate at `out`.
std::int32_t estimate_union(Handle bloom, Handle other, Address out) {
  return with_live(bloom, [=](auto& left) {
    return with_live(other, [&](auto& right) {
      const auto estimate = as<BloomFilter>(left).estimate_union(as<BloomFilter>(right));
      if (estimate.ok()) *reinterpret_cast<double*>(out) = *estimate;
      return negative(estimate.status());
    });
  });
}

}  // namespace
}  // namespace tamis::bindings

EMSCRIPTEN_BINDINGS(tamis_bloom) {
  using namespace tamis::bindings;
  emscripten::function("bloomFilterEstimateUnion", &estimate_union);
  emscripten::function("bloomFilterFill", &fill);
  emscripten::function("bloomFilterPositions", &positions);
}
