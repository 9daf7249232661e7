// bindings/filters/dynamic.cpp - what single types of the filters that change have beyond the common set.

#include <algorithm>

#include <tamis/filters/counting_bloom.hpp>
#include <tamis/filters/iblt.hpp>
#include <tamis/filters/rotating_bloom.hpp>

#include "../bind_filter.hpp"

namespace tamis::bindings {
namespace {

Handle to_bloom(Handle counting, Address status) {
  AnyFilter* object = find(counting);
  if (object == nullptr) return hand_over(Status::kDisposed, status);
  return hand_over(adopt(as<CountingBloomFilter>(*object).to_bloom()), status);
}

std::int32_t rotate(Handle rotating) {
  return with_live(rotating, [](auto& object) {
    as<RotatingBloomFilter>(object).rotate();
    return 0;
  });
}

// Puts the periods that passed at `out`, as a double.
std::int32_t advance(Handle rotating, double now_ms, Address out) {
  return with_live(rotating, [=](auto& object) {
    const auto periods = as<RotatingBloomFilter>(object).advance(static_cast<std::int64_t>(now_ms));
    if (periods.ok()) *reinterpret_cast<double*>(out) = static_cast<double>(*periods);
    return negative(periods.status());
  });
}

Handle subtract(Handle table, Handle other, Address status) {
  AnyFilter *left = find(table), *right = find(other);
  if (left == nullptr || right == nullptr) return hand_over(Status::kDisposed, status);
  return hand_over(adopt(as<InvertibleBloomTable>(*left).subtract(as<InvertibleBloomTable>(*right))), status);
}

// Puts the keys added and then the keys removed at `keys`, which has room for one a cell, and their two
// numbers at `counts`, as doubles. 1: these are all.
std::int32_t decode_difference(Handle table, Address keys, Address counts) {
  return with_live(table, [=](auto& object) {
    const auto difference = as<InvertibleBloomTable>(object).decode();
    if (!difference.ok()) return negative(difference.status());
    const std::size_t width = as<InvertibleBloomTable>(object).key_bytes();
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

EMSCRIPTEN_BINDINGS(tamis_dynamic) {
  using namespace tamis::bindings;
  emscripten::function("countingBloomFilterToBloom", &to_bloom);
  emscripten::function("invertibleBloomTableSubtract", &subtract);
  emscripten::function("invertibleBloomTableDecode", &decode_difference);
  emscripten::function("rotatingBloomFilterRotate", &rotate);
  emscripten::function("rotatingBloomFilterAdvance", &advance);
}
