// A type that is built once has the same bytes natively and in wasm: tests/vectors/builds.json holds the
// CRC-32C of the encoded structure for each of these builds. tests/js runs the same.
//
// A line is {"type", "options", "seed", "keys", "crc"}. The i-th key is the text "k" and i in
// decimal, i = 0 to keys - 1. An exact filter excludes "x0", "x1" and so on, three for each key. In
// a map the value of key i is splitmix64(i) >> (64 - valueBits).
//
// UPDATE_BUILDS=1 in the environment writes the file anew.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "support/golden.hpp"
#include "support/samples.hpp"

namespace tamis::test {
namespace {

constexpr std::uint64_t kSizes[] = {0,     1,     2,     10,     63,     64,     300,
                                    1'000, 4'095, 4'096, 11'500, 40'000, 120'000};
constexpr std::uint64_t kLarge = 20'000;  // from here on, two of the configs will do
constexpr std::uint64_t kSeed = 0xfedcba9876543210;

std::vector<std::uint64_t> hashes_of(const Hasher& hasher, const char* prefix,
                                     std::uint64_t count) {
  std::vector<std::uint64_t> hashes;
  for (std::uint64_t i = 0; i < count; ++i) {
    hashes.push_back(static_cast<std::uint64_t>(hasher(bytes_of(prefix + std::to_string(i)))));
  }
  return hashes;
}

template <class F>
Result<F> build(const typename F::Config& config, std::uint64_t keys) {
  auto hashes = hashes_of(config.hasher, "k", keys);
  if constexpr (std::is_same_v<F, ExactFilter>) {
    auto excluded = hashes_of(config.hasher, "x", 3 * keys);
    std::uint64_t conflicts = 0;
    return F::build(config, hashes, excluded, conflicts);
  } else if constexpr (std::is_same_v<F, BloomierMap>) {
    std::vector<std::uint32_t> values;
    for (std::uint64_t i = 0; i < keys; ++i) {
      values.push_back(static_cast<std::uint32_t>(splitmix64(i) >> (64 - config.value_bits)));
    }
    std::uint64_t conflicts = 0;
    return F::build(config, hashes, values, conflicts);
  } else {
    return F::build(config, hashes);
  }
}

template <class F>
void put_lines(const char* slug, std::vector<typename F::Config> configs,
               std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < configs.size(); ++i) {
    auto& config = configs[i];
    config.hasher = Hasher(HashId::kXxh3, i % 2 == 0 ? 0 : kSeed);
    for (const std::uint64_t keys : kSizes) {
      if (keys >= kLarge && i >= 2) continue;
      const auto built = build<F>(config, keys);
      ASSERT_TRUE(built.ok()) << slug << ", " << keys << " keys: " << code(built.status());
      char crc[16];
      std::snprintf(crc, sizeof crc, "%08x", crc32c(wire_bytes(*built)));
      lines.push_back("{\"type\":\"" + std::string(slug) + "\",\"options\":" + "{" +
                      json_of(config, {}) + "}" + ",\"seed\":\"" +
                      std::to_string(config.hasher.seed()) + "\",\"keys\":" + std::to_string(keys) +
                      ",\"crc\":\"" + crc + "\"}");
    }
  }
}

TEST(Builds, GiveTheBytesThatTheFileStates) {
  using Fuse = BinaryFuseFilter::Config;
  using Ribbon = RibbonFilter::Config;
  using Map = BloomierMap::Config;
  std::vector<std::string> lines;
  put_lines<BinaryFuseFilter>(
      "binary-fuse",
      {Fuse{.fingerprint_bits = 8}, Fuse{.fpr = 0.01}, Fuse{.fingerprint_bits = 13, .arity = 3},
       Fuse{.fingerprint_bits = 16, .arity = 4}, Fuse{.fingerprint_bits = 32}},
      lines);
  put_lines<RibbonFilter>(
      "ribbon",
      {Ribbon{.fingerprint_bits = 8}, Ribbon{.fpr = 0.01}, Ribbon{.fingerprint_bits = 1},
       Ribbon{.fingerprint_bits = 13}, Ribbon{.fingerprint_bits = 32}},
      lines);
  put_lines<ExactFilter>("exact", {ExactFilter::Config{}, ExactFilter::Config{.fpr = 0.001}},
                         lines);
  put_lines<BloomierMap>(
      "bloomier",
      {Map{.value_bits = 8, .check_bits = 8}, Map{.value_bits = 12, .check_bits = 1},
       Map{.value_bits = 1, .check_bits = 0}, Map{.value_bits = 32, .check_bits = 32}},
      lines);
  expect_stated(lines, "builds.json", "UPDATE_BUILDS");
}

}  // namespace
}  // namespace tamis::test
