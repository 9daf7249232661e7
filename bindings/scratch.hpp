// bindings/scratch.hpp - scratch memory for keys and answers, at a fixed address.
//
// It never moves. Key i of a batch is the bytes [starts[i], ends[i]) of a text. The scratch
// contains the part [offset, offset + size) of that text.
#pragma once

#include <cstddef>
#include <iterator>

#include "any_structure.hpp"

namespace tamis::bindings {

inline constexpr std::size_t kScratchBytes = 128 << 10;
inline constexpr std::size_t kBatchKeys = 4096;

struct Scratch {
  alignas(16) std::byte bytes[kScratchBytes];
  std::uint32_t starts[kBatchKeys];
  std::uint32_t ends[kBatchKeys];
  std::uint8_t answers[kBatchKeys];
  Hash hashes[kBatchKeys];
  std::uint32_t values[kBatchKeys];
  double number;        // an answer that is not a status
  std::int32_t status;  // the status of a factory
  struct {
    std::uint32_t done;   // how many keys of the last batch were processed
    std::uint32_t fresh;  // how many of these were certainly new
  } counts;
  SipKey sip_key;
};
extern Scratch scratch;

// The address of a part of the scratch, or its size. border.def numbers the parts.
[[nodiscard]] inline std::uintptr_t scratch_part(std::uint32_t part) noexcept {
#define TAMIS_ADDRESS(part) reinterpret_cast<std::uintptr_t>(&scratch.part),
#define TAMIS_NUMBER(limit) limit,
  const std::uintptr_t parts[] = {TAMIS_SCRATCH_PARTS(TAMIS_ADDRESS)
                                      TAMIS_SCRATCH_LIMITS(TAMIS_NUMBER)};
#undef TAMIS_ADDRESS
#undef TAMIS_NUMBER
  return part < std::size(parts) ? parts[part] : 0;
}

// Calls act(i, key) for each key, until act fails with a negative status. A key that is not within
// the scratch is kInvalidKey: the caller's ranges can be in any order, so each is checked here.
template <class Act>
std::int32_t for_each_key(std::uint32_t offset, std::uint32_t size, std::uint32_t count,
                          Act act) noexcept {
  scratch.counts.done = 0;
  if (count > kBatchKeys || size > kScratchBytes) return negative(Status::kInvalidOption);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t start = scratch.starts[i] - offset, end = scratch.ends[i] - offset;
    if (scratch.starts[i] < offset || start > end || end > size)
      return negative(Status::kInvalidKey);
    const std::int32_t result = act(i, Key(scratch.bytes + start, end - start));
    if (result < 0) return result;
    ++scratch.counts.done;
  }
  return 0;
}

}  // namespace tamis::bindings
