// bindings/filters/bloom.cpp - what a Bloom filter has beyond the common set.

#include <tamis/filters/bloom.hpp>

#include "../bind_filter.hpp"

namespace tamis::bindings {
namespace {

void fill(AnyFilter& bloom) { as<BloomFilter>(bloom).fill(); }

// Puts hashes() doubles at `out`.
void positions(const AnyFilter& bloom, Address key, std::size_t size, Address out) {
  const auto& filter = as<BloomFilter>(bloom);
  BloomFilter::Positions positions;
  filter.positions({reinterpret_cast<const std::byte*>(key), size}, positions);
  auto* to = reinterpret_cast<double*>(out);
  for (std::uint32_t i = 0; i < filter.hashes(); ++i) to[i] = static_cast<double>(positions[i]);
}

double estimate_union(const AnyFilter& bloom, const AnyFilter& other, Address status) {
  const auto estimate = as<BloomFilter>(bloom).estimate_union(as<BloomFilter>(other));
  put_status(status, estimate.status());
  return estimate.ok() ? *estimate : 0;
}

}  // namespace
}  // namespace tamis::bindings

EMSCRIPTEN_BINDINGS(tamis_bloom) {
  using namespace tamis::bindings;
  emscripten::function("bloomFilterEstimateUnion", &estimate_union);
  emscripten::function("bloomFilterFill", &fill);
  emscripten::function("bloomFilterPositions", &positions);
}
