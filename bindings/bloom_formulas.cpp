// bindings/bloom_formulas.cpp - the arithmetic of Bloom filters, without a filter.

#include <emscripten/bind.h>

#include <cstdint>

#include <tamis/sizing/bloom.hpp>

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

EMSCRIPTEN_BINDINGS(tamis_bloom_formulas) {
  using namespace tamis::bindings;
  emscripten::function("bloomBits", &bloom_bits);
  emscripten::function("bloomSizeHashes", &bloom_size_hashes);
  emscripten::function("bloomHashes", &bloom_hashes);
  emscripten::function("bloomFpr", &bloom_fpr);
}
