// bindings/filters/dynamic.cpp - what single types of the filters that change have beyond the common set.

#include <tamis/filters/counting_bloom.hpp>
#include <tamis/filters/iblt.hpp>
#include <tamis/filters/rotating_bloom.hpp>

#include <algorithm>

#include "../bind_filter.hpp"

namespace tamis::bindings {
namespace {

AnyFilter* to_bloom(const AnyFilter& counting, Address status) {
  return hand_over(adopt(as<CountingBloomFilter>(counting).to_bloom()), status);
}

void rotate(AnyFilter& rotating) { as<RotatingBloomFilter>(rotating).rotate(); }

// A whole number of at most 53 bits.
double advance(AnyFilter& rotating, double now_ms, Address status) {
  const auto periods = as<RotatingBloomFilter>(rotating).advance(static_cast<std::int64_t>(now_ms));
  put_status(status, periods.status());
  return periods.ok() ? static_cast<double>(*periods) : 0;
}

AnyFilter* subtract(const AnyFilter& table, const AnyFilter& other, Address status) {
  return hand_over(adopt(as<InvertibleBloomTable>(table).subtract(as<InvertibleBloomTable>(other))), status);
}

// Puts the keys added and then the keys removed at `keys`, which has room for one a cell, and their two
// numbers at `counts`, as doubles. Whether these are all.
std::int32_t decode_difference(const AnyFilter& table, Address keys, Address counts, Address status) {
  const auto difference = as<InvertibleBloomTable>(table).decode();
  put_status(status, difference.status());
  if (!difference.ok()) return 0;
  const std::size_t width = as<InvertibleBloomTable>(table).key_bytes();
  const auto added = static_cast<std::size_t>(difference->added_count) * width;
  const auto removed = static_cast<std::size_t>(difference->removed_count) * width;
  auto* to = reinterpret_cast<std::byte*>(keys);
  std::copy_n(difference->added.data(), added, to);
  std::copy_n(difference->removed.data(), removed, to + added);
  auto* numbers = reinterpret_cast<double*>(counts);
  numbers[0] = static_cast<double>(difference->added_count);
  numbers[1] = static_cast<double>(difference->removed_count);
  return difference->complete ? 1 : 0;
}

}  // namespace
}  // namespace tamis::bindings

EMSCRIPTEN_BINDINGS(tamis_dynamic) {
  using namespace tamis::bindings;
  emscripten::function("countingBloomFilterToBloom", &to_bloom, emscripten::allow_raw_pointers());
  emscripten::function("invertibleBloomTableSubtract", &subtract, emscripten::allow_raw_pointers());
  emscripten::function("invertibleBloomTableDecode", &decode_difference);
  emscripten::function("rotatingBloomFilterRotate", &rotate);
  emscripten::function("rotatingBloomFilterAdvance", &advance);
}
