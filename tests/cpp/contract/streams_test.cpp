// Streams of commands whose bytes are the same natively and in wasm: tests/vectors/streams.json
// holds the CRC-32C of the encoded filter after each 50 steps of each stream. tests/js runs the
// same.
//
// A line is {"type", "options", "seed", "crcs"}. The filter is made with the options and the seed.
// A stream of 1000 steps takes its numbers from SplitMix64: number i (0, 1, 2, ...) is
//     x = splitmix64(seed + i * 0x9e3779b97f4a7c15 mod 2^64),
// and below(n) is floor((x >> 32) * n / 2^32) of the next number. Each step draws
//     c = below(1000), then n = below(2 * capacity);
// key(i) is the text "k" and i in decimal. An operation that a type lacks (erase, rotate, merge) is no
// command and changes nothing; an insert or erase that is refused (full, tombstoned, not deletable)
// changes nothing either. A probably present key is erased whether it was inserted or not.
//     c <  600   insert key(n)
//     c <  850   erase key(n)
//     c <  860   rotate
//     c <  870   merge with an empty copy of the filter, into which key(n), ..., key(n + 9) were
//     inserted c <  875   replace the filter by what its bytes hold c <  877   clear else insert
//     key(n mod 16)
//
// UPDATE_STREAMS=1 in the environment writes the file anew.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "support/golden.hpp"
#include "support/samples.hpp"

namespace tamis::test {
namespace {

constexpr std::uint64_t kSteps = 1'000, kStepsPerCrc = 50;

class Stream {
 public:
  explicit Stream(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t below(std::uint64_t n) {
    const std::uint64_t x = splitmix64(seed_ + number_++ * 0x9e3779b97f4a7c15);
    return ((x >> 32) * n) >> 32;
  }

 private:
  std::uint64_t seed_;
  std::uint64_t number_ = 0;
};

std::string text_of(std::uint64_t number) { return "k" + std::to_string(number); }

template <class F>
void step(F& filter, Stream& stream) {
  const std::uint64_t command = stream.below(1'000);
  const std::uint64_t n = stream.below(2 * filter.capacity());
  const std::string text = text_of(n);
  if (command < 600) {
    (void)filter.insert(bytes_of(text));
  } else if (command < 850) {
    if constexpr (DeletableFilter<F>) (void)filter.erase(bytes_of(text));
  } else if (command < 860) {
    if constexpr (Rotating<F>) filter.rotate();
  } else if (command < 870) {
    if constexpr (Mergeable<F>) {
      auto other = filter.empty_copy();
      ASSERT_TRUE(other.ok());
      for (std::uint64_t i = n; i < n + 10; ++i) (void)other->insert(bytes_of(text_of(i)));
      ASSERT_EQ(filter.merge(*other), Status::kOk);
    }
  } else if (command < 875) {
    auto again = decode<F>(wire_bytes(filter));
    ASSERT_TRUE(again.ok());
    filter = std::move(*again);
  } else if (command < 877) {
    filter.clear();
  } else {
    (void)filter.insert(bytes_of(text_of(n % 16)));
  }
}

template <class F>
std::string line_of(const char* slug, typename F::Config config, std::uint64_t seed) {
  config.hasher = Hasher(HashId::kXxh3, seed);
  auto filter = F::create(config);
  EXPECT_TRUE(filter.ok()) << slug << ": " << code(filter.status());
  if (!filter.ok()) return "";
  typename F::Config none;
  std::apply([](auto&... all) { ((all = 0), ...); }, none.fields());
  std::string line = "{\"type\":\"" + std::string(slug) + "\",\"options\":{" +
                     json_of(config, none) + "}" + ",\"seed\":\"" + std::to_string(seed) +
                     "\",\"crcs\":[";
  Stream stream(seed);
  for (std::uint64_t i = 1; i <= kSteps; ++i) {
    step(*filter, stream);
    if (i % kStepsPerCrc != 0) continue;
    EXPECT_EQ(filter->validate(), Status::kOk) << slug << ", step " << i;
    char digits[16];
    // A header with its checksum has the same checksum as any other, so that is left out.
    Bytes bytes = wire_bytes(*filter);
    bytes.erase(bytes.begin() + 60, bytes.begin() + kHeaderBytes);
    std::snprintf(digits, sizeof digits, "\"%08x\"", crc32c(bytes));
    line += (i == kStepsPerCrc ? "" : ",") + std::string(digits);
  }
  return line + "]}";
}

// Two streams of each type: with common options, and with other values for the rest.
template <class F>
void put_lines(const char* slug, std::vector<std::string>& lines) {
  if constexpr (MutableFilter<F>) {
    typename F::Config config;
    config.capacity = 200;
    config.fpr = 0.01;
    lines.push_back(line_of<F>(slug, config, 1));
    config.capacity = 120;
    config.fpr = 0.125;
    vary_options(config, [](std::uint64_t n) { return static_cast<std::uint32_t>(n / 2); });
    lines.push_back(line_of<F>(slug, config, 0xfedcba9876543210));
  }
}

TEST(Streams, GiveTheBytesThatTheFileStates) {
  std::vector<std::string> lines;
  for_each_type([&]<class F>() { put_lines<F>(info_of(F::kType).slug, lines); });
  expect_stated(lines, "streams.json", "UPDATE_STREAMS");
}

}  // namespace
}  // namespace tamis::test
