// Small samples for the tests of the container, and decoding from heap blocks of exact size.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "support/samples.hpp"

namespace tamis::test {

template <class F>
class ContainerTest : public ::testing::Test {
 protected:
  // Samples that are small enough for sweeps: empty, one element per scheme, and a partly used last
  // word.
  static std::vector<Bytes> samples() {
    const auto hashers = hashers_of<F>();
    std::vector<Bytes> all = {wire_bytes(make_empty<F>(1, hashers.front())),
                              wire_bytes(make_filled<F>(37, hashers.front()))};
    for (const Hasher& hasher : hashers) all.push_back(wire_bytes(make_filled<F>(1, hasher)));
    return all;
  }

  static Result<F> decode_copy(const Bytes& bytes) {
    const HeapCopy copy(bytes);
    return decode<F>(copy.span(), {.key = key_for(bytes)});
  }

  // The bytes must be rejected, or give a structure that writes the same bytes and can be used.
  static Status decode_and_use(const Bytes& bytes) {
    auto decoded = decode_copy(bytes);
    if (!decoded.ok()) return decoded.status();
    EXPECT_EQ(wire_bytes(*decoded), bytes) << "not the one encoding";
    use_everything(*decoded);
    return Status::kOk;
  }

  // If the header or the checksums are wrong, no memory may be allocated.
  static void expect_rejected(const Bytes& bytes, Status expected, const char* what,
                              std::size_t at) {
    tamis_fail_allocation(0);
    const Status status = decode_copy(bytes).status();
    ASSERT_EQ(status, expected) << what << " at " << at << " of " << bytes.size() << ": "
                                << code(status) << ", not " << code(expected);
    ASSERT_EQ(tamis_allocations(), 0u) << what << " at " << at;
  }

  // The status after a change in the byte `at`, without repaired checksums.
  static Status code_of_damage(std::size_t at) {
    if (at < 8) return Status::kNotTamis;
    return at < 10 ? Status::kUnsupportedVersion : Status::kCorrupt;
  }
};

}  // namespace tamis::test
