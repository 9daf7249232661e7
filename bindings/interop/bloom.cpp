// bindings/interop/bloom.cpp - makes Bloom filters from arrays that other libraries wrote.

#include <tamis/interop/foreign_bits.hpp>

#include "../config_reader.hpp"
#include "../part.hpp"
#include "prepared.hpp"

using namespace tamis::bindings;

TAMIS_EXPORT("interop-bloom", "_tamis_prepare_bits")
Handle tamis_prepare_bits(std::size_t size, double bits, std::uint32_t hashes,
                          std::uint32_t hash_id, std::uint32_t seed_low, std::uint32_t seed_high,
                          Address at, Address status) {
  const tamis::Hasher hasher(tamis::HashId{to_id(hash_id)},
                             std::uint64_t{seed_high} << 32 | seed_low);
  return hand_over_at(tamis::prepare_bits(size, static_cast<std::uint64_t>(bits), hashes, hasher),
                      at, status);
}

TAMIS_EXPORT("interop-bloom", "_tamis_adopt_bits")
std::int32_t tamis_adopt_bits(Handle handle, std::uint32_t order, double count) {
  return with_a<tamis::BloomFilter>(handle, [=](tamis::BloomFilter& filter) {
    return negative(tamis::adopt_bits(filter, tamis::BitOrder{order}, count_of(count)));
  });
}
