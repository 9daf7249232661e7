// bindings/filters/bit_array.cpp - functions that only bit arrays have.

#include <tamis/filters/bit_array.hpp>

#include "../handles.hpp"
#include "../publish.hpp"

namespace tamis::bindings {
namespace {

// Returns a double, because an index may need more than 31 bits.
double next(Handle handle, double from) {
  const auto* bits = find_a<BitArray>(handle);
  if (bits == nullptr) return negative(Status::kUnsupported);
  return static_cast<double>(bits->next(static_cast<std::uint64_t>(from)));
}

}  // namespace
}  // namespace tamis::bindings

TAMIS_PART("bit-array", load_bit_array) {
  using namespace tamis::bindings;
  publish("bitArrayNext", &next);
}
