// bindings/interop/blocked_bloom.cpp - split-block filters from other libraries' blocks.

#include <tamis/interop/foreign_bits.hpp>

#include "../config_reader.hpp"
#include "../part.hpp"
#include "prepared.hpp"

using namespace tamis::bindings;

TAMIS_EXPORT("interop-blocked-bloom", "_tamis_prepare_blocks")
Handle tamis_prepare_blocks(std::size_t size, std::uint32_t hash_id, Address at, Address status) {
  return hand_over_at(tamis::prepare_blocks(size, tamis::Hasher(tamis::HashId{to_id(hash_id)})), at,
                      status);
}

TAMIS_EXPORT("interop-blocked-bloom", "_tamis_adopt_blocks")
std::int32_t tamis_adopt_blocks(Handle handle, double count) {
  return with_a<tamis::BlockedBloomFilter>(handle, [=](tamis::BlockedBloomFilter& filter) {
    return negative(tamis::adopt_blocks(filter, count_of(count)));
  });
}
