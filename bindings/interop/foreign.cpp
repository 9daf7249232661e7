// bindings/interop/foreign.cpp - look-ups in filters of other libraries.

#include <tamis/interop/foreign_filter.hpp>

#include "../part.hpp"
#include "prepared.hpp"

namespace tamis::bindings {

using interop::ForeignFilter;

// Of the operations on a key, a ForeignFilter supports only kHas.
template <>
inline constexpr Ops kOps<ForeignFilter> = [] {
  Ops ops = ops_of<ForeignFilter>();
  put<ForeignFilter>(ops.of_key[KeyOperation::kHas], [](auto& filter, Key key) {
    if (!filter.takes(key)) return negative(Status::kInvalidKey);
    return static_cast<std::int32_t>(filter.may_contain(key));
  });
  return ops;
}();

namespace {

// The record at `from`, as js/src/interop/foreign-filter.ts writes it. The layers follow it.
struct ForeignRecord {
  interop::ForeignShape shape;
  std::uint64_t bytes;
  std::uint64_t layers;
};
static_assert(sizeof(ForeignRecord) == 40 && sizeof(interop::ForeignLayer) == 16);

}  // namespace
}  // namespace tamis::bindings

using namespace tamis::bindings;

TAMIS_EXPORT("foreign", "_tamis_foreign")
Handle tamis_foreign(Address from, Address at, Address status) {
  const auto& record = *reinterpret_cast<const ForeignRecord*>(from);
  const auto* layers = reinterpret_cast<const tamis::interop::ForeignLayer*>(&record + 1);
  return hand_over_at(
      ForeignFilter::create(record.shape, {layers, static_cast<std::size_t>(record.layers)},
                            record.bytes),
      at, status);
}

// The slots are at `at`: `size` bytes, padded to a whole word.
TAMIS_EXPORT("foreign", "_tamis_unpack")
std::int32_t tamis_unpack(Address at, std::size_t size, std::size_t packed, Address map,
                          std::uint32_t width) {
  return negative(tamis::interop::unpack_slots({reinterpret_cast<std::byte*>(at), (size + 7) & ~7u},
                                               packed, reinterpret_cast<const std::byte*>(map),
                                               width));
}
