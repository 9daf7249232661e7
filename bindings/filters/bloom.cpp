// bindings/filters/bloom.cpp - what a Bloom filter has beyond the common set.

#include <tamis/filters/bloom.hpp>

#include "../bind_filter.hpp"

namespace tamis::bindings {
namespace {

using Bloom = FilterAdapter<BloomFilter>;

double bits(const Bloom& bloom) { return static_cast<double>(bloom.filter().bits()); }
double hashes(const Bloom& bloom) { return bloom.filter().hashes(); }
double fill_ratio(const Bloom& bloom) { return bloom.filter().fill_ratio(); }
double estimate_count(const Bloom& bloom) { return bloom.filter().estimate_count(); }
void fill(Bloom& bloom) { bloom.filter().fill(); }

// Puts hashes() doubles at `out`.
void positions(const Bloom& bloom, Address key, std::size_t size, Address out) {
  BloomFilter::Positions positions;
  bloom.filter().positions({reinterpret_cast<const std::byte*>(key), size}, positions);
  auto* to = reinterpret_cast<double*>(out);
  for (std::uint32_t i = 0; i < bloom.filter().hashes(); ++i) to[i] = static_cast<double>(positions[i]);
}

double estimate_union(const Bloom& bloom, const Bloom& other, Address status) {
  const auto estimate = bloom.filter().estimate_union(other.filter());
  put_status(status, estimate.status());
  return estimate.ok() ? *estimate : 0;
}

}  // namespace
}  // namespace tamis::bindings

EMSCRIPTEN_BINDINGS(tamis_bloom) {
  using namespace tamis::bindings;
  emscripten::function("bloomFilterBits", &bits);
  emscripten::function("bloomFilterHashes", &hashes);
  emscripten::function("bloomFilterFillRatio", &fill_ratio);
  emscripten::function("bloomFilterEstimateCount", &estimate_count);
  emscripten::function("bloomFilterEstimateUnion", &estimate_union);
  emscripten::function("bloomFilterFill", &fill);
  emscripten::function("bloomFilterPositions", &positions);
}
