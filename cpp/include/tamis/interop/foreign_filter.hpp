// tamis/interop/foreign_filter.hpp - look-ups in a filter that another library made.
//
// Choose it for filters that no filter of tamis can be: Bloom filters in layers, and the cuckoo and
// fuse filters of others. Their tables hold other fingerprints than ours. A foreign Bloom filter of
// one layer is a BloomFilter with a scheme.
//
//   memory     takes the foreign bytes once, and 16 bytes a layer
//   build      none: the parser of the container says where its layers lie, and writes the bytes
//   query      makes one or two hashes of the key, then reads k bits or two buckets a layer, or
//              three slots
//   never      reads outside the bytes, for any layers
//   undefined  nothing. Damaged bytes give unpredictable answers
//   threads    const members may run concurrently; others need exclusion
//   wire       none: the bytes stay as they came
//
// RedisBloom's Bloom and cuckoo filters; seiflotfy/cuckoofilter; FastFilter/xor_singleheader and
// FastFilter/xorfilter (Graf and Lemire, ACM J. Exp. Algorithmics 27, 2022).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <tamis/detail/buffer.hpp>
#include <tamis/hash.hpp>
#include <tamis/status.hpp>

namespace tamis::interop {

// The rule that turns a key into places and a fingerprint.
enum class ForeignRule : std::uint32_t {
  kBloom,         // RedisBloom: MurmurHash64A, k bits a layer
  kRedisCuckoo,   // RedisBloom: MurmurHash64A
  kGoCuckoo,      // seiflotfy since 2020-10: MetroHash64
  kGoCuckoo2018,  // the same library from 2018-01 on: two hashes of the key
  kFuse,          // binary fuse filters of three segments
  kXor,           // xor filters
};

struct ForeignShape {
  ForeignRule rule = ForeignRule::kBloom;
  // The bytes of a fingerprint in a fuse or xor filter: 1, 2 or 4.
  std::uint32_t width = 1;
  // The seed of a fuse or xor filter.
  std::uint64_t seed = 0;
  // 1 if a fuse or xor filter holds XXH64 of its keys. Otherwise a key is a number of 8 bytes, the
  // least significant first.
  std::uint32_t hashes_keys = 0;
};

struct ForeignLayer {
  // The bits of a Bloom filter, the buckets of a cuckoo filter, or a third of the slots of a xor
  // filter. For a fuse filter it is the slots of all but its last two segments.
  std::uint64_t size;
  // The beginning of the layer in the foreign bytes.
  std::uint32_t offset;
  // The positions of a key in a Bloom filter, the slots of a bucket, or the slots of a segment. A
  // xor filter has none.
  std::uint32_t step;
};

// Moves slots of `width` bytes, 1, 2 or 4, to their places. The file leaves out slots that are 0.
// The others come at the beginning of `slots`, in `packed` bytes. The map has a bit for each slot,
// which is 1 if the file has it. `slots` is whole words of 8 bytes. Returns kCorrupt if the map has
// more or fewer bits.
[[nodiscard]] Status unpack_slots(std::span<std::byte> slots, std::size_t packed,
                                  const std::byte* map, std::uint32_t width) noexcept;

class ForeignFilter {
 public:
  // A filter with bytes 0, for the caller to fill in. Returns kCorrupt if a layer is impossible or
  // reaches past the bytes, kTooLarge or kOutOfMemory. It checks everything before it allocates.
  [[nodiscard]] static Result<ForeignFilter> create(const ForeignShape& shape,
                                                    std::span<const ForeignLayer> layers,
                                                    std::uint64_t bytes) noexcept;

  // True if the key has the size of the filter's keys. Others cannot be in it.
  [[nodiscard]] bool takes(Key key) const noexcept {
    return shape_.rule < ForeignRule::kFuse || shape_.hashes_keys != 0 || key.size() == 8;
  }
  // True if the bytes say that the key is in one of the layers. It needs takes(key).
  [[nodiscard]] bool may_contain(Key key) const noexcept;

  // The foreign bytes with their header. They never move. The rest of the last word is there too.
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
  // The bytes of the layer. Four bytes can be loaded from the beginning of any slot.
  [[nodiscard]] const std::byte* slots(const ForeignLayer& layer) const noexcept {
    return reinterpret_cast<const std::byte*>(memory_.data() + layer_count_) + layer.offset;
  }

  ForeignShape shape_;
  std::size_t size_ = 0;
  std::size_t layer_count_ = 0;
  // The memory has the layers, then the bytes, and at least seven more.
  detail::Buffer<ForeignLayer> memory_;
};

}  // namespace tamis::interop
