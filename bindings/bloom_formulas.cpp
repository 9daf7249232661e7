// bindings/bloom_formulas.cpp - formulas of Bloom filters that need no filter.

#include <cstdint>

#include <tamis/sizing/bloom.hpp>

#include "publish.hpp"

namespace tamis::bindings {
namespace {

double bloom_bits(double capacity, double fpr) {
  return static_cast<double>(sizing::bloom_size(static_cast<std::uint64_t>(capacity), fpr).bits);
}
double bloom_hashes(double bits, double capacity) {
  return sizing::bloom_hashes(static_cast<std::uint64_t>(bits),
                              static_cast<std::uint64_t>(capacity));
}
double bloom_size_hashes(double capacity, double fpr) {
  return sizing::bloom_size(static_cast<std::uint64_t>(capacity), fpr).hashes;
}
double bloom_fpr(double bits, double hashes, double keys) {
  return sizing::bloom_fpr(bits, static_cast<std::uint32_t>(hashes), keys);
}

}  // namespace
}  // namespace tamis::bindings

TAMIS_PART("bloom-formulas", load_bloom_formulas) {
  using namespace tamis::bindings;
  publish("bloomBits", &bloom_bits);
  publish("bloomSizeHashes", &bloom_size_hashes);
  publish("bloomHashes", &bloom_hashes);
  publish("bloomFpr", &bloom_fpr);
}
