// Hostile bytes into every type's decode. What is accepted must be valid, canonical, and survive
// use.
//
// The first byte says what is done to the rest before it is decoded: 0 nothing; 1 the checksums are
// made right, so that the checks behind them are reached; 2 also the magic, the version and the
// payload's length. Modulo 3, and the quotient chooses the type.

#include <algorithm>
#include <cstring>

#include "contract/use_everything.hpp"
#include "fuzz/fuzz.hpp"

namespace tamis::fuzz {
namespace {

void repair(std::span<std::byte> bytes, bool is_thorough) {
  if (is_thorough && bytes.size() >= kHeaderBytes) {
    constexpr unsigned char kStart[] = {0x89, 'T', 'M', 'S', '\r', '\n', 0x1a, '\n', 1, 0};
    static_assert(sizeof(kStart) == test::kVersionAt + 2);
    std::memcpy(bytes.data(), kStart, sizeof(kStart));
    test::set64(bytes, test::kPayloadBytesAt, bytes.size() - kHeaderBytes);
  }
  test::repair_crcs(bytes);
}

template <class F>
void decode_and_use(std::span<const std::byte> bytes) {
  auto decoded = decode<F>(bytes, {.key = test::key_for(bytes)});
  if (!decoded.ok()) return;
  MUST(decoded->size_bytes() <= bytes.size());
  MUST(std::ranges::equal(test::wire_bytes(*decoded), bytes));
  test::use_everything(*decoded);
}

}  // namespace
}  // namespace tamis::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tamis::fuzz;
  if (size == 0) return 0;
  tamis::test::HeapCopy copy(std::as_bytes(std::span(data, size).subspan(1)));
  if (data[0] % 3 != 0) repair(copy.span(), data[0] % 3 == 2);
  with_type_at(data[0] / 3u, [&]<class F>() { decode_and_use<F>(copy.span()); });
  return 0;
}
