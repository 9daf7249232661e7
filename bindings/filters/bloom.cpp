// bindings/filters/bloom.cpp - functions that only Bloom filters have.

#include <tamis/filters/bloom.hpp>

#include "../handles.hpp"
#include "../publish.hpp"

namespace tamis::bindings {
namespace {

std::int32_t fill(Handle handle) {
  return with_a<BloomFilter>(handle, [](auto& bloom) {
    bloom.fill();
    return 0;
  });
}

// Writes hashes() doubles to `out` and returns their number, or 0 if the scheme drops the key.
std::int32_t positions(Handle handle, Address key, std::size_t size, Address out) {
  return with_a<BloomFilter>(handle, [=](auto& bloom) {
    BloomFilter::Positions positions;
    if (!bloom.find_positions({reinterpret_cast<const std::byte*>(key), size}, positions)) return 0;
    auto* to = reinterpret_cast<double*>(out);
    for (std::uint32_t i = 0; i < bloom.hashes(); ++i) to[i] = static_cast<double>(positions[i]);
    return static_cast<std::int32_t>(bloom.hashes());
  });
}

// Writes the estimated number of keys in the union to `out`.
std::int32_t estimate_union(Handle handle, Handle other, Address out) {
  return with_a<BloomFilter>(handle, [=](auto& left) {
    return with_a<BloomFilter>(other, [&](auto& right) {
      const auto estimate = left.estimate_union(right);
      if (estimate.ok()) *reinterpret_cast<double*>(out) = *estimate;
      return negative(estimate.status());
    });
  });
}

}  // namespace
}  // namespace tamis::bindings

TAMIS_PART("bloom", load_bloom) {
  using namespace tamis::bindings;
  publish("bloomFilterEstimateUnion", &estimate_union);
  publish("bloomFilterFill", &fill);
  publish("bloomFilterPositions", &positions);
}
