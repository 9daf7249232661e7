// tamis/interop/foreign_filter.hpp - a filter that another library made, to be looked up in.
//
// Choose it for what no filter of tamis can be. Such are Bloom filters in layers, and the cuckoo and
// fuse filters of others, whose tables hold other fingerprints than ours. A foreign Bloom filter of one
// layer is a BloomFilter with a scheme.
//
//   memory     the foreign bytes, once, and 16 bytes a layer
//   build      none: whoever parsed the container says where its layers lie, and puts the bytes in
//   query      one or two hashes of the key, then k bits or two buckets a layer, or three slots
//   never      reads outside the bytes, whatever was said of them
//   undefined  nothing. Bytes that are damaged give answers that nobody can foresee
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

// How a key becomes places and a fingerprint.
enum class ForeignRule : std::uint32_t {
  kBloom,         // RedisBloom: MurmurHash64A, k bits a layer
  kRedisCuckoo,   // RedisBloom: MurmurHash64A
  kGoCuckoo,      // seiflotfy since 2020-10: MetroHash64
  kGoCuckoo2018,  // the same from 2018-01 on: two hashes of the key
  kFuse,          // binary fuse filters of three segments
  kXor,           // xor filters
};

struct ForeignShape {
  ForeignRule rule = ForeignRule::kBloom;
  // Bytes of a fingerprint in a fuse or xor filter: 1, 2 or 4.
  std::uint32_t width = 1;
  // Of a fuse or xor filter.
  std::uint64_t seed = 0;
  // Whether a fuse or xor filter holds XXH64 of its keys. Without it a key is a number of 8 bytes,
  // the least significant first.
  std::uint32_t hashes_keys = 0;
};

struct ForeignLayer {
  // Bits of a Bloom filter, buckets of a cuckoo filter, a third of the slots of a xor filter. Of a
  // fuse filter the slots of all but its last two segments.
  std::uint64_t size;
  // Where the layer begins in the foreign bytes.
  std::uint32_t offset;
  // Positions a key in a Bloom filter, slots a bucket, slots a segment; nothing in a xor filter.
  std::uint32_t step;
};

// Puts slots of `width` bytes, 1, 2 or 4, in their places, of a file that leaves out those that are 0.
// They come at the beginning of `slots`, in `packed` bytes. The map has a bit for each slot: 1 where
// one came. `slots` is whole words of 8 bytes. kCorrupt where the map has more or fewer bits.
[[nodiscard]] Status unpack_slots(std::span<std::byte> slots, std::size_t packed,
                                  const std::byte* map, std::uint32_t width) noexcept;

class ForeignFilter {
 public:
  // A filter whose bytes are 0, for the caller to fill in. kCorrupt where a layer is impossible or
  // reaches past the bytes; kTooLarge, kOutOfMemory. Nothing is allocated before all is checked.
  [[nodiscard]] static Result<ForeignFilter> create(const ForeignShape& shape,
                                                    std::span<const ForeignLayer> layers,
                                                    std::uint64_t bytes) noexcept;

  // Whether the key is of the size that the filter's keys have. Others are no keys of it.
  [[nodiscard]] bool takes(Key key) const noexcept {
    return shape_.rule < ForeignRule::kFuse || shape_.hashes_keys != 0 || key.size() == 8;
  }
  // Whether the bytes say that the key is in one of the layers. Only where takes(key).
  [[nodiscard]] bool may_contain(Key key) const noexcept;

  // The foreign bytes, header and all. They never move. The rest of a word behind them is there too.
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
  // The layer's bytes, of which four can be loaded wherever a slot begins.
  [[nodiscard]] const std::byte* slots(const ForeignLayer& layer) const noexcept {
    return reinterpret_cast<const std::byte*>(memory_.data() + layer_count_) + layer.offset;
  }

  ForeignShape shape_;
  std::size_t size_ = 0;
  std::size_t layer_count_ = 0;
  // The layers; behind them the bytes, and at least seven more.
  detail::Buffer<ForeignLayer> memory_;
};

}  // namespace tamis::interop
