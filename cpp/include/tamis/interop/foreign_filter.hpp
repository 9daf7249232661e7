// tamis/interop/foreign_filter.hpp - look-ups in a filter that another library made.
//
// Choose it for filters of other libraries that tamis has no type for: Bloom filters with layers,
// and cuckoo and fuse filters, whose tables contain other fingerprints than those of tamis. A
// foreign Bloom filter of one layer is a BloomFilter with a scheme instead.
//
//   memory     the foreign bytes once, plus 16 bytes a layer
//   build      none: the parser of the container finds the layers, and writes the bytes
//   query      computes one or two hashes, and reads k bits or two buckets a layer, or three slots
//   never      reads outside the bytes, whatever the layers claim
//   undefined  no call; with damaged bytes the answers are unpredictable
//   threads    const members may run concurrently; others need exclusion
//   wire       none: the bytes are kept as they came
//
// Supported: RedisBloom's Bloom and cuckoo filters; seiflotfy/cuckoofilter;
// FastFilter/xor_singleheader and FastFilter/xorfilter (Graf and Lemire, ACM J. Exp. Algorithmics
// 27, 2022).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <tamis/detail/buffer.hpp>
#include <tamis/hash.hpp>
#include <tamis/status.hpp>

namespace tamis::interop {

// How a key is turned into its places and its fingerprint.
enum class ForeignRule : std::uint32_t {
  kBloom,         // RedisBloom: MurmurHash64A, k bits a layer
  kRedisCuckoo,   // RedisBloom: MurmurHash64A
  kGoCuckoo,      // seiflotfy since 2020-10: MetroHash64
  kGoCuckoo2018,  // seiflotfy from 2018-01 on, with two hashes of the key
  kFuse,          // binary fuse filters of three segments
  kXor,           // xor filters
};

struct ForeignShape {
  ForeignRule rule = ForeignRule::kBloom;
  // The size in bytes of a fingerprint in a fuse or xor filter: 1, 2 or 4.
  std::uint32_t width = 1;
  // The seed of a fuse or xor filter.
  std::uint64_t seed = 0;
  // 1 if a fuse or xor filter contains the XXH64 of its keys. If it is 0, a key is an 8-byte
  // number, least significant byte first.
  std::uint32_t hashes_keys = 0;
};

struct ForeignLayer {
  // The number of bits of a Bloom filter, or of buckets of a cuckoo filter. For a xor filter, a
  // third of the slots; for a fuse filter, the slots of all segments but the last two.
  std::uint64_t size;
  // Where the layer begins in the foreign bytes.
  std::uint32_t offset;
  // The number of positions of a key in a Bloom filter, of slots in a bucket of a cuckoo filter, or
  // of slots in a segment of a fuse filter. A xor filter does not use it.
  std::uint32_t step;
};

// Expands packed slots of `width` bytes (1, 2 or 4) in place. The file omits slots that are 0; the
// others are at the front of `slots`, in `packed` bytes. The map has a bit for each slot, which is
// 1 if the file contains the slot. `slots` must be whole words of 8 bytes. Returns kCorrupt if the
// map and `packed` do not agree.
[[nodiscard]] Status unpack_slots(std::span<std::byte> slots, std::size_t packed,
                                  const std::byte* map, std::uint32_t width) noexcept;

class ForeignFilter {
 public:
  // A filter whose bytes are 0, for the caller to fill in. Returns kCorrupt if a layer is
  // impossible or passes the end. It can also return kTooLarge or kOutOfMemory. It checks all
  // layers before it allocates.
  [[nodiscard]] static Result<ForeignFilter> create(const ForeignShape& shape,
                                                    std::span<const ForeignLayer> layers,
                                                    std::uint64_t bytes) noexcept;

  // True if the key has the size of the filter's keys. Keys of other sizes cannot be in the filter.
  [[nodiscard]] bool takes(Key key) const noexcept {
    return shape_.rule < ForeignRule::kFuse || shape_.hashes_keys != 0 || key.size() == 8;
  }
  // True if the key is probably in one of the layers. It needs takes(key).
  [[nodiscard]] bool may_contain(Key key) const noexcept;

  // The foreign bytes, with their header and padding up to a whole word. They never move.
  [[nodiscard]] std::span<std::byte> bytes() noexcept {
    return {reinterpret_cast<std::byte*>(memory_.data() + layer_count_), size_};
  }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return size_; }

 private:
  ForeignFilter() noexcept = default;

  [[nodiscard]] bool is_in_bloom(Key key) const noexcept;
  [[nodiscard]] bool is_in_cuckoo(Key key) const noexcept;
  [[nodiscard]] bool is_in_fuse(Key key) const noexcept;

  [[nodiscard]] std::span<const ForeignLayer> layers() const noexcept {
    return memory_.span().first(layer_count_);
  }
  // The bytes of the layer. At the beginning of any slot, four bytes can be read.
  [[nodiscard]] const std::byte* slots(const ForeignLayer& layer) const noexcept {
    return reinterpret_cast<const std::byte*>(memory_.data() + layer_count_) + layer.offset;
  }

  ForeignShape shape_;
  std::size_t size_ = 0;
  std::size_t layer_count_ = 0;
  // The layers, then the foreign bytes, and at least seven more bytes.
  detail::Buffer<ForeignLayer> memory_;
};

}  // namespace tamis::interop
