// bindings/filters/counting_bloom.cpp - functions that only counting Bloom filters have.

#include <tamis/filters/counting_bloom.hpp>

#include "../handles.hpp"
#include "../publish.hpp"

namespace tamis::bindings {
namespace {

Handle to_bloom(Handle handle, Address status) {
  const auto* counting = find_a<CountingBloomFilter>(handle);
  if (counting == nullptr) return hand_over(Status::kUnsupported, status);
  return hand_over(adopt(counting->to_bloom()), status);
}

}  // namespace
}  // namespace tamis::bindings

TAMIS_PART("counting-bloom", load_counting_bloom) {
  using namespace tamis::bindings;
  publish("countingBloomFilterToBloom", &to_bloom);
}
