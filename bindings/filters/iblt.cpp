// bindings/filters/iblt.cpp - functions that only invertible Bloom lookup tables have.

#include <algorithm>

#include <tamis/filters/iblt.hpp>

#include "../handles.hpp"
#include "../publish.hpp"

namespace tamis::bindings {
namespace {

Handle subtract(Handle handle, Handle other, Address status) {
  return derive_of_two<InvertibleBloomTable, InvertibleBloomTable>(
      handle, other, status, [](auto& left, auto& right) { return left.subtract(right); });
}

// Writes the added keys, and then the removed keys, to `keys`, which must have room for one key per
// cell (otherwise kInvalidOption). Writes the numbers of added and of removed keys to `counts`, as
// doubles. Returns 1 if the difference is complete.
std::int32_t decode_difference(Handle handle, Address keys, double size, Address counts) {
  return with_a<InvertibleBloomTable>(handle, [=](auto& table) {
    const std::size_t width = table.key_bytes();
    if (size < static_cast<double>(table.cells()) * static_cast<double>(width)) {
      return negative(Status::kInvalidOption);
    }
    const auto difference = table.decode();
    if (!difference.ok()) return negative(difference.status());
    const auto added = static_cast<std::size_t>(difference->added_count) * width;
    const auto removed = static_cast<std::size_t>(difference->removed_count) * width;
    auto* to = reinterpret_cast<std::byte*>(keys);
    std::copy_n(difference->added.data(), added, to);
    std::copy_n(difference->removed.data(), removed, to + added);
    auto* numbers = reinterpret_cast<double*>(counts);
    numbers[0] = static_cast<double>(difference->added_count);
    numbers[1] = static_cast<double>(difference->removed_count);
    return difference->complete ? 1 : 0;
  });
}

}  // namespace
}  // namespace tamis::bindings

TAMIS_PART("iblt", load_iblt) {
  using namespace tamis::bindings;
  publish("invertibleBloomTableSubtract", &subtract);
  publish("invertibleBloomTableDecode", &decode_difference);
}
