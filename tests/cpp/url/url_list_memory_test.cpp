// The memory that loading a list takes beside its bytes. FORMAT.md names the bound, and the
// allocations themselves show it.
#include <gtest/gtest.h>
#include <sanitizer/allocator_interface.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>

#include <tamis/url/url_delta.hpp>
#include <tamis/url/url_list.hpp>
#include "support/support.hpp"

namespace tamis::test {
namespace {

using url::PrefixSet, url::UrlList;

bool is_counting = false;
std::size_t in_use = 0;
std::size_t most_in_use = 0;

void count_malloc(const volatile void*, std::size_t size) {
  if (!is_counting) return;
  in_use += size;
  most_in_use = std::max(most_in_use, in_use);
}
void count_free(const volatile void* memory) {
  if (is_counting && memory != nullptr) in_use -= __sanitizer_get_allocated_size(memory);
}

const int hooks = __sanitizer_install_malloc_and_free_hooks(count_malloc, count_free);

// The most bytes that were in use at once while `bytes` were loaded, the list itself included.
template <class F = UrlList>
std::size_t bytes_to_load(std::span<const std::byte> bytes) {
  EXPECT_NE(hooks, 0);
  in_use = most_in_use = 0;
  is_counting = true;
  const auto loaded = decode<F>(bytes);
  is_counting = false;
  EXPECT_TRUE(loaded.ok());
  return most_in_use;
}

Bytes file_of(const Bytes& prefixes, std::uint32_t width) {
  auto set = PrefixSet::build(prefixes, width);
  const auto list = UrlList::of(std::move(*set), "labels5");
  const auto encoded = encode(*list);
  return Bytes(encoded->span().begin(), encoded->span().end());
}

// These are neighbours, with differences of the fewest bits.
Bytes neighbours(std::size_t count, std::uint32_t width) {
  Bytes prefixes(count * width);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t byte = 0; byte < 4; ++byte) {
      prefixes[(i + 1) * width - 1 - byte] = static_cast<std::byte>(i >> (8 * byte) & 0xff);
    }
  }
  return prefixes;
}

// The values are spread evenly, as those of hashes are.
Bytes hashes(std::size_t count, std::uint32_t width) {
  std::mt19937_64 random(count);
  Bytes prefixes(count * width);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t least = (std::uint64_t{i} << 32) / count;
    const std::uint64_t room = (std::uint64_t{i + 1} << 32) / count - least;
    const std::uint64_t head = least + random() % room;
    for (std::size_t byte = 0; byte < 4; ++byte) {
      prefixes[i * width + byte] = static_cast<std::byte>(head >> (24 - 8 * byte) & 0xff);
    }
    for (std::size_t byte = 4; byte < width; ++byte) {
      prefixes[i * width + byte] = static_cast<std::byte>(random() & 0xff);
    }
  }
  return prefixes;
}

// Sizes below, at and above powers of two, at which there are up to twice as many buckets as
// entries.
constexpr std::size_t kCounts[] = {0,     1,     2,     33,    129,   1'025,
                                   2'049, 3'000, 4'096, 4'097, 8'193, 65'537};

class UrlListMemory : public testing::TestWithParam<std::uint32_t> {};

TEST_P(UrlListMemory, AnyFileTakesLessThanSixTimesItsBytes) {
  double most = 0;
  for (const std::size_t count : kCounts) {
    const Bytes file = file_of(neighbours(count, GetParam()), GetParam());
    const std::size_t peak = bytes_to_load(file);
    EXPECT_LT(peak, 6 * file.size()) << count;
    most = std::max(most, static_cast<double>(peak) / static_cast<double>(file.size()));
  }
  // Only prefixes of four bytes come near.
  EXPECT_GT(most, GetParam() == 4 ? 5.5 : 1.0);
}

TEST_P(UrlListMemory, AListOfHashesTakesAtMostAQuarterMoreThanItsBytes) {
  for (const std::size_t count : {1u, 300u, 1'025u, 4'097u, 65'537u, 190'000u, 262'145u}) {
    if (count > 100'000 && GetParam() > 8) continue;
    const Bytes file = file_of(hashes(count, GetParam()), GetParam());
    EXPECT_LT(bytes_to_load(file), file.size() * 5 / 4) << count;
  }
}

TEST_P(UrlListMemory, ADeltaTakesAtMostEightTimesItsBytes) {
  const auto list_of = [](const Bytes& prefixes) {
    auto set = PrefixSet::build(prefixes, GetParam());
    return std::move(*UrlList::of(std::move(*set), "labels5"));
  };
  const UrlList nothing = list_of({});
  for (const std::size_t count : {0u, 1u, 100u, 65'537u}) {
    const UrlList all = list_of(neighbours(count, GetParam()));
    for (const auto& [from, to] : {std::pair(&nothing, &all), std::pair(&all, &nothing)}) {
      const auto delta = url::diff(*from, *to);
      const auto file = encode(*delta);
      EXPECT_LE(bytes_to_load<url::UrlDelta>(file->span()), 8 * file->size()) << count;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Widths, UrlListMemory, testing::Values(4u, 8u, 16u, 32u));

}  // namespace
}  // namespace tamis::test
