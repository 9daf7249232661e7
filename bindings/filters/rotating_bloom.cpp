// bindings/filters/rotating_bloom.cpp - functions that only rotating Bloom filters have.

#include <tamis/filters/rotating_bloom.hpp>

#include "../handles.hpp"
#include "../publish.hpp"

namespace tamis::bindings {
namespace {

std::int32_t rotate(Handle handle) {
  return with_a<RotatingBloomFilter>(handle, [](auto& rotating) {
    rotating.rotate();
    return 0;
  });
}

// Writes the number of periods that passed to `out`, as a double.
std::int32_t advance(Handle handle, double now_ms, Address out) {
  return with_a<RotatingBloomFilter>(handle, [=](auto& rotating) {
    const auto periods = rotating.advance(static_cast<std::int64_t>(now_ms));
    if (periods.ok()) *reinterpret_cast<double*>(out) = static_cast<double>(*periods);
    return negative(periods.status());
  });
}

}  // namespace
}  // namespace tamis::bindings

TAMIS_PART("rotating-bloom", load_rotating_bloom) {
  using namespace tamis::bindings;
  publish("rotatingBloomFilterRotate", &rotate);
  publish("rotatingBloomFilterAdvance", &advance);
}
