// Lists of URLs for the tests of url/ and of their containers.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string_view>
#include <utility>

#include <tamis/url/url_list.hpp>

#include "url/url_samples.hpp"

namespace tamis::test {

inline url::UrlList list_of(const PrefixModel& model, std::size_t width,
                            std::string_view rule = "labels5",
                            url::Shapes shapes = url::kAllShapes) {
  auto set = url::PrefixSet::build(joined(model), static_cast<std::uint32_t>(width));
  EXPECT_TRUE(set.ok());
  auto list = url::UrlList::of(std::move(*set), rule, shapes);
  EXPECT_TRUE(list.ok());
  return std::move(*list);
}

// Decodes from a heap block of exactly the size.
template <class F>
Result<F> decode_copy(const Bytes& bytes, const DecodeOptions& options = {}) {
  return decode<F>(HeapCopy(bytes).span(), options);
}

// Checks that bytes of any other size are refused, even if the header agrees with the size.
template <class F>
void expect_other_sizes_refused(const Bytes& bytes) {
  for (std::size_t size = 0; size <= bytes.size() + 40; ++size) {
    if (size == bytes.size()) continue;
    for (const std::byte filler : {std::byte{0}, std::byte{0xff}}) {
      Bytes other = bytes;
      other.resize(size, filler);
      ASSERT_EQ(decode_copy<F>(other).status(), size < 8              ? Status::kNotTamis
                                                : size < bytes.size() ? Status::kTruncated
                                                                      : Status::kCorrupt);
      if (size < kHeaderBytes) continue;
      set64(other, kPayloadBytesAt, size - kHeaderBytes);
      repair_crcs(other);
      ASSERT_EQ(decode_copy<F>(other).status(), Status::kCorrupt) << size;
    }
  }
}

// A container with these header fields and this payload, and right checksums.
inline Bytes container_with(Header header, const Bytes& payload) {
  header.payload_bytes = payload.size();
  Bytes bytes(kHeaderBytes);
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  write_header(bytes, header);
  return bytes;
}

inline void put32(Bytes& bytes, std::uint32_t value) {
  bytes.resize(bytes.size() + 4);
  set32(bytes, bytes.size() - 4, value);
}

inline void put(Bytes& bytes, std::span<const std::byte> more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

}  // namespace tamis::test
