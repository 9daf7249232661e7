// Compiled twice (CMakeLists.txt), as TAMIS_ISA_USER.

#include "detail/isa_user.hpp"

#include <cstring>

#include <tamis/filters/blocked_bloom.hpp>

namespace tamis::test {

// A pointer to a member begins with the function's address.
template <class Member>
const void* address_of(Member member) {
  const void* address;
  std::memcpy(&address, &member, sizeof(address));
  return address;
}

IsaUser TAMIS_ISA_USER() {
  auto filter = BlockedBloomFilter::create({.capacity = 1'000});
  for (std::uint64_t i = 0; i < 1'000; ++i) filter->insert(Hash{fmix64(i)});
  std::size_t answers = 0;
  for (std::uint64_t i = 0; i < 2'000; ++i)
    answers += filter->may_contain(Hash{fmix64(i)}) ? 1u : 0u;
  using LookUp = bool (BlockedBloomFilter::*)(Hash) const noexcept;
  using Insert = bool (BlockedBloomFilter::*)(Hash) noexcept;
  return {wire_bytes(*filter),
          answers,
          {address_of<LookUp>(&BlockedBloomFilter::may_contain),
           address_of<Insert>(&BlockedBloomFilter::insert)}};
}

}  // namespace tamis::test
