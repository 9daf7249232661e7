// Hostile bytes into every type's decode. What is accepted must be valid, canonical, and survive
// use.
//
// The first byte says what is done to the rest before it is decoded: 0 nothing; 1 the checksums are
// made right, so that the checks behind them are reached; 2 also the magic, the version and the
// payload's length. Modulo 3, and the quotient chooses the type.

#include <algorithm>
#include <cstring>
#include <memory>

#include "fuzz.hpp"

namespace tamis::fuzz {
namespace {

constexpr std::size_t kVersionAt = 8, kHashAt = 11, kPayloadBytesAt = 48, kPayloadCrcAt = 56,
                      kHeaderCrcAt = 60;

void repair(std::span<std::byte> bytes, bool is_thorough) {
  if (bytes.size() < kHeaderBytes) return;
  if (is_thorough) {
    constexpr unsigned char kStart[] = {0x89, 'T', 'M', 'S', '\r', '\n', 0x1a, '\n', 1, 0};
    static_assert(sizeof(kStart) == kVersionAt + 2);
    std::memcpy(bytes.data(), kStart, sizeof(kStart));
    detail::store_le64(bytes.data() + kPayloadBytesAt, bytes.size() - kHeaderBytes);
  }
  detail::store_le32(bytes.data() + kPayloadCrcAt, crc32c(bytes.subspan(kHeaderBytes)));
  detail::store_le32(bytes.data() + kHeaderCrcAt, crc32c(bytes.first(kHeaderCrcAt)));
}

template <class F>
void use(F& structure) {
  auto copy = structure.clone();
  FUZZ_CHECK(copy.ok());
  std::array<std::byte, 8> key;
  const auto key_number = [&key](std::uint64_t i) {
    detail::store_le64(key.data(), fmix64(i));
    return Key(key);
  };
  if constexpr (Filter<F>) {
    for (std::uint64_t i = 0; i < 64; ++i) (void)structure.may_contain(Hash{fmix64(i)});
    for (std::uint64_t i = 0; i < 16; ++i) (void)structure.may_contain(key_number(i).first(i % 9));
    const double fpr = structure.fpr(), estimated = structure.estimated_fpr();
    FUZZ_CHECK(fpr >= 0 && fpr <= 1 && estimated >= 0 && estimated <= 1);
  }
  if constexpr (MutableFilter<F>) {
    for (std::uint64_t i = 0; i < 4; ++i) {
      const bool was = structure.may_contain(key_number(i));
      const auto added = structure.insert(key_number(i));
      FUZZ_CHECK(!added.ok() || *added == !was);
      FUZZ_CHECK(!added.ok() || structure.may_contain(key_number(i)));
      (void)structure.insert(Hash{fmix64(i)});
    }
    FUZZ_CHECK(structure.empty_copy().ok());
  }
  if constexpr (requires { structure.toggle(0); }) {
    for (const std::uint64_t i : {std::uint64_t{0}, structure.length() / 2, structure.length() - 1,
                                  structure.length(), ~std::uint64_t{0}}) {
      FUZZ_CHECK(structure.toggle(i).ok() == (i < structure.length()));
      FUZZ_CHECK(structure.set(i).ok() == (i < structure.length()));
    }
  }
  FUZZ_CHECK(structure.validate() == Status::kOk);
  if constexpr (Mergeable<F>) FUZZ_CHECK(structure.merge(*copy) == Status::kOk);
  FUZZ_CHECK(structure.validate() == Status::kOk);
  if constexpr (Intersectable<F>) FUZZ_CHECK(structure.intersect(*copy) == Status::kOk);
  FUZZ_CHECK(structure.validate() == Status::kOk);
  (void)encoded(structure);
  if constexpr (MutableFilter<F>) structure.clear();
  FUZZ_CHECK(structure.validate() == Status::kOk);
}

template <class F>
void decode_and_use(std::span<const std::byte> bytes) {
  const SipKey key = sip_key();
  const bool is_keyed =
      bytes.size() > kHashAt && bytes[kHashAt] == static_cast<std::byte>(HashId::kSipHash);
  auto decoded = decode<F>(bytes, {.key = is_keyed ? &key : nullptr});
  if (!decoded.ok()) return;
  FUZZ_CHECK(decoded->validate() == Status::kOk);
  FUZZ_CHECK(decoded->size_bytes() <= bytes.size());
  FUZZ_CHECK(std::ranges::equal(encoded(*decoded), bytes));
  use(*decoded);
}

}  // namespace
}  // namespace tamis::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tamis::fuzz;
  if (size == 0) return 0;
  // A copy of exactly the size, so that AddressSanitizer sees a read past the end.
  const std::unique_ptr<std::byte[]> copy(new std::byte[size - 1]);
  const std::span bytes(copy.get(), size - 1);
  if (size > 1) std::memcpy(copy.get(), data + 1, size - 1);
  if (data[0] % 3 != 0) repair(bytes, data[0] % 3 == 2);
  with_type(data[0] / 3u, [bytes]<class F>() { decode_and_use<F>(bytes); });
  return 0;
}
