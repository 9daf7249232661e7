// The allocator of the wasm, on a memory of 4 GiB of which only the pages that are written are there.
#include "../../../bindings/linear_heap.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

namespace tamis::bindings {
namespace {

constexpr std::uint64_t kAll = std::uint64_t{1} << 32;
constexpr std::uint32_t kPage = 1 << 16;

std::byte* memory = nullptr;
std::uint32_t pages = 0;
std::uint32_t most_pages = 0;
std::uint32_t largest_growth = 0;

struct TestMemory {
  static std::byte* at(std::uint32_t address) { return memory + address; }
  static std::uint32_t pages() { return bindings::pages; }
  static bool grow(std::uint32_t more) {
    if (more > largest_growth || bindings::pages + more > most_pages) return false;
    bindings::pages += more;
    return true;
  }
};

class LinearHeapTest : public testing::Test {
 protected:
  void SetUp() override {
    void* const all = mmap(nullptr, kAll, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ASSERT_NE(all, MAP_FAILED);
    memory = static_cast<std::byte*>(all);
    pages = 4;
    most_pages = 0x10000;
    largest_growth = 0x10000;
    heap.start(1000);
  }
  void TearDown() override { munmap(memory, kAll); }

  // The largest size that can be allocated at once.
  std::uint32_t largest() {
    std::uint32_t size = 0;
    for (std::uint32_t bit = 1u << 31; bit != 0; bit >>= 1) {
      const std::uint32_t address = heap.allocate(size + bit);
      if (address != 0) size += bit;
      heap.release(address);
    }
    return size;
  }

  LinearHeap<TestMemory> heap;
};

TEST_F(LinearHeapTest, SizesAtTheEndAreRefusedOrFit) {
  const std::uint32_t low = heap.allocate(1 << 20);
  const std::uint32_t wall = heap.allocate(1);
  heap.release(low);  // a free place at a low address, which a size must not lead past the end
  for (std::uint64_t size = kAll - (std::uint64_t{3} << 20); size < kAll; size += 997) {
    const std::uint32_t address = heap.allocate(static_cast<std::uint32_t>(size));
    if (address == 0) continue;
    EXPECT_GT(address, wall);
    EXPECT_LE(address + size, std::uint64_t{pages} * kPage);
    heap.release(address);
  }
  for (const std::uint32_t size : {~0u, ~0u - 3, ~0u - 4, ~0u - 7, ~0u - 8, 0xffff0000u}) {
    EXPECT_EQ(heap.allocate(size), 0u) << size;
  }
  EXPECT_LT(pages, 0x10000u) << "the end of the memory is no address";
}

TEST_F(LinearHeapTest, EverythingCanBeHadAgain) {
  const std::uint32_t all = largest();
  EXPECT_GT(all, 0xffff0000u - 3 * kPage);
  std::vector<std::uint32_t> blocks;
  while (const std::uint32_t address = heap.allocate(100 << 20)) blocks.push_back(address);
  EXPECT_EQ(blocks.size(), 40u);
  EXPECT_EQ(heap.allocate(100 << 20), 0u);
  std::shuffle(blocks.begin(), blocks.end(), std::mt19937(1));
  for (const std::uint32_t block : blocks) heap.release(block);
  EXPECT_EQ(largest(), all);
}

// One place has exactly the size. It is behind many of its class that are too small.
TEST_F(LinearHeapTest, TheLastPlaceIsFound) {
  std::vector<std::uint32_t> blocks;
  const std::uint32_t fitting = heap.allocate(1200);
  blocks.push_back(heap.allocate(1));
  for (int i = 0; i < 100; ++i) {
    blocks.push_back(heap.allocate(1100));
    blocks.push_back(heap.allocate(1));
  }
  heap.release(fitting);
  for (std::size_t i = 1; i < blocks.size(); i += 2) heap.release(blocks[i]);
  most_pages = pages;
  const std::uint32_t rest = heap.allocate(largest());
  EXPECT_NE(rest, 0u);
  EXPECT_EQ(heap.allocate(1205), 0u);
  EXPECT_EQ(heap.allocate(1200), fitting);
}

// An engine may refuse to grow by much, and grow by less.
TEST_F(LinearHeapTest, GrowsByAsMuchAsItMust) {
  most_pages = 40;
  EXPECT_NE(heap.allocate(36 * kPage), 0u);
  EXPECT_EQ(heap.allocate(36 * kPage), 0u);
  EXPECT_EQ(pages, 37u);
  largest_growth = 1;
  most_pages = 0x10000;
  EXPECT_NE(heap.allocate(kPage), 0u);
  EXPECT_EQ(pages, 38u);
  EXPECT_EQ(heap.allocate(9 * kPage), 0u);
}

// The memory that the model says is in use, and what was written there.
template <class Heap>
class Model {
 public:
  Model(Heap& heap, std::uint32_t seed) : heap_(heap), random_(seed) {}

  void step(std::uint32_t most) {
    if (blocks_.empty() || random_() % 5 < 3) {
      const std::uint32_t size = some_size(most);
      // No large ones, of which every page would be written to.
      const bool is_zeroed = size < 1 << 20 && random_() % 2 == 0;
      add(is_zeroed ? heap_.allocate_zeroed(size) : heap_.allocate(size), size, is_zeroed);
    } else {
      auto at = std::next(blocks_.begin(), static_cast<long>(random_() % blocks_.size()));
      check(*at);
      heap_.release(at->first);
      blocks_.erase(at);
    }
  }
  void clear() {
    for (const auto& block : blocks_) {
      check(block);
      heap_.release(block.first);
    }
    blocks_.clear();
  }
  std::size_t refused() const { return refused_; }

 private:
  struct Content {
    std::uint32_t size;
    std::uint8_t mark;
  };
  using Block = std::pair<const std::uint32_t, Content>;

  // Most are small, so that classes of all sizes meet.
  std::uint32_t some_size(std::uint32_t most) {
    const auto shift = random_() % static_cast<std::uint32_t>(std::bit_width(most));
    return 1 + random_() % (most >> shift);
  }

  // Only the first and the last bytes of a block are checked, since the memory is large.
  template <class Act>
  static void for_ends(const Block& block, Act act) {
    const auto& [address, content] = block;
    for (std::uint32_t i = 0; i < std::min(content.size, 64u); ++i) {
      act(memory[address + i]);
      act(memory[address + content.size - 1 - i]);
    }
  }

  void add(std::uint32_t address, std::uint32_t size, bool is_zeroed) {
    if (address == 0) {
      ++refused_;
      return;
    }
    ASSERT_EQ(address % 8, 0u);
    ASSERT_LE(std::uint64_t{address} + size, std::uint64_t{pages} * kPage);
    const Content content{size, static_cast<std::uint8_t>(random_())};
    const auto at = blocks_.emplace(address, content).first;
    ASSERT_EQ(at->second.size, size);
    if (at != blocks_.begin()) {
      const auto& [before, its] = *std::prev(at);
      ASSERT_LE(std::uint64_t{before} + its.size, address);
    }
    if (std::next(at) != blocks_.end()) {
      ASSERT_LE(std::uint64_t{address} + size, std::next(at)->first);
    }
    if (is_zeroed) {
      ASSERT_TRUE(std::all_of(memory + address, memory + address + size,
                              [](std::byte byte) { return byte == std::byte{0}; }));
    }
    for_ends(*at, [&](std::byte& byte) { byte = std::byte{content.mark}; });
  }
  void check(const Block& block) {
    for_ends(block, [&](std::byte& byte) { ASSERT_EQ(byte, std::byte{block.second.mark}); });
  }

  Heap& heap_;
  std::mt19937 random_;
  std::map<std::uint32_t, Content> blocks_;
  std::size_t refused_ = 0;
};

TEST_F(LinearHeapTest, BlocksOfAllSizesNeverMeet) {
  const std::uint32_t all = largest();
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    // The blocks are small at first, and at last fill 4 GiB.
    Model model(heap, seed);
    const std::uint32_t most = 1u << (10 + seed);
    for (int i = 0; i < 3000 && !HasFatalFailure(); ++i) model.step(most);
    model.clear();
    EXPECT_EQ(largest(), all) << "free blocks were not joined";
    if (seed == 19) {
      EXPECT_GT(model.refused(), 0u);
    }
  }
}

TEST_F(LinearHeapTest, SmallMemoryIsUsedToTheEnd) {
  most_pages = 16;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    Model model(heap, seed);
    for (int i = 0; i < 5000 && !HasFatalFailure(); ++i) model.step(1 << 16);
    EXPECT_GT(model.refused(), 0u);
    model.clear();
    EXPECT_GT(largest(), 15 * kPage - 2000);
  }
}

}  // namespace
}  // namespace tamis::bindings
