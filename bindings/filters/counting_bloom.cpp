// bindings/filters/counting_bloom.cpp - what a counting Bloom filter has beyond the common set.

#include <emscripten/bind.h>

#include <tamis/filters/counting_bloom.hpp>

#include "../handles.hpp"

namespace tamis::bindings {
namespace {

Handle to_bloom(Handle handle, Address status) {
  const auto* counting = find_a<CountingBloomFilter>(handle);
  if (counting == nullptr) return hand_over(Status::kUnsupported, status);
  return hand_over(adopt(counting->to_bloom()), status);
}

}  // namespace
}  // namespace tamis::bindings

EMSCRIPTEN_BINDINGS(tamis_counting_bloom) {
  using namespace tamis::bindings;
  emscripten::function("countingBloomFilterToBloom", &to_bloom);
}
