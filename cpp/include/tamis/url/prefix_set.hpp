// tamis/url/prefix_set.hpp - a sorted, packed list of hash prefixes to search and read.
//
// Choose it for a list that small deltas keep up to date. It contains the list itself, in order, so
// it is exact except for prefixes that collide. A filter (filters/) of the same list can have any
// rate, but must be rebuilt for each change.
//
//   memory     Elias-Fano coding of the first 32 bits: about log2(2^32 / n) + 2 bits an entry, plus
//              1.1 to 2.2 for the directories (in all 2.2 bytes at 200,000 entries). The remaining
//              bytes of longer prefixes are stored unchanged
//   build      makes one pass; the bytes must be sorted
//   query      takes a constant number of steps if the prefixes are spread evenly, as hashes are,
//              and O(log n) steps otherwise
//   never      reports a prefix of the list as absent, or any other prefix as present
//   undefined  no call has undefined behaviour
//   threads    const members may run concurrently
//
// Elias, J. ACM 21, 1974; Fano, MIT Project MAC memo 61, 1971; Vigna, WEA 2008 (broadword select).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tamis/detail/buffer.hpp>
#include <tamis/detail/packed_array.hpp>
#include <tamis/hash/sha2.hpp>
#include <tamis/limits.hpp>
#include <tamis/status.hpp>

namespace tamis::url {

class PrefixSet {
 public:
  // The largest number of entries. It keeps every position within 32 bits.
  static constexpr std::uint64_t kMaxSize = std::uint64_t{1} << 30;

  // Builds a set from entries that are passed in order, so that a list can be made from another
  // list without copying its bytes.
  class Builder;

  // Builds the set from `bytes`, which contains prefixes of prefix_bytes (4, 8, 16 or 32) each.
  // Returns kInvalidOption (also if they are not strictly increasing), kTooLarge or kOutOfMemory.
  [[nodiscard]] static Result<PrefixSet> build(std::span<const std::byte> bytes,
                                               std::uint32_t prefix_bytes) noexcept;

  // True if the first prefix_bytes() bytes at `hash` are an entry.
  [[nodiscard]] bool contains(const std::byte* hash) const noexcept {
    return index_of(hash) != kNone;
  }
  // The index of the entry that equals the first bytes of `hash`, or kNone if there is none.
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  [[nodiscard]] std::uint64_t index_of(const std::byte* hash) const noexcept;

  // Writes the entries from..from + count - 1 to `out`, one after the other. All must be below
  // size().
  void copy_to(std::uint64_t from, std::uint64_t count, std::byte* out) const noexcept;

  // The SHA-256 of all entries, one after the other. Safe Browsing calls it the list's checksum.
  [[nodiscard]] detail::Sha256Digest checksum() const noexcept;

  [[nodiscard]] std::uint64_t size() const noexcept { return lows_.size(); }
  [[nodiscard]] std::uint32_t prefix_bytes() const noexcept { return prefix_bytes_; }
  // The size in memory, with the directories (which speed up look-ups).
  [[nodiscard]] std::uint64_t size_bytes() const noexcept;

  [[nodiscard]] Result<PrefixSet> clone() const noexcept;

  // A set's image is its memory without the directories. Each set has exactly one image, and
  // different sets have different images.
  [[nodiscard]] std::uint64_t image_bytes() const noexcept {
    return lows_.size_bytes() + unary_and_tails().size();
  }
  // Writes image_bytes() bytes to `out`.
  void write_image(std::byte* out) const noexcept;

 private:
  // The first 32 bits of an entry are its head. `lows_` has the low bits of all heads. The high
  // bits number a bucket; for each bucket, `unary_` has a one per entry, then a zero.
  static constexpr std::uint32_t kBlockBits = 512;  // bits of unary_ per number in block_zeros_
  static constexpr std::uint32_t kSample = 32;      // zeros per number in samples_
  static constexpr std::uint32_t kNearBits = 512;   // bits that a scan reads at most

  PrefixSet() noexcept = default;
  [[nodiscard]] static Result<PrefixSet> zeroed(std::uint64_t size,
                                                std::uint32_t prefix_bytes) noexcept;

  [[nodiscard]] std::uint32_t low_bits() const noexcept { return lows_.width(); }
  [[nodiscard]] std::uint64_t buckets() const noexcept {
    return std::uint64_t{1} << (32 - low_bits());
  }
  [[nodiscard]] std::uint64_t zeros_before(std::uint64_t block) const noexcept {
    return block_zeros_[static_cast<std::size_t>(block)];
  }
  // The position in unary_ of the zero with index `zero`. The second form uses no samples: the zero
  // must be between `start` and `end`.
  [[nodiscard]] std::uint64_t select_zero(std::uint64_t zero) const noexcept;
  [[nodiscard]] std::uint64_t select_zero(std::uint64_t zero, std::uint64_t start,
                                          std::uint64_t end) const noexcept;
  // The position in unary_ of the one with index `one`.
  [[nodiscard]] std::uint64_t select_one(std::uint64_t one) const noexcept;
  // The number of ones from `start` to the zero with index `zero`.
  [[nodiscard]] std::uint64_t run_from(std::uint64_t start, std::uint64_t zero) const noexcept;
  // Computes the directories of unary_: block_zeros_ and samples_. It needs at least one entry.
  void make_directories() noexcept;
  // The unary bits and the tails, which are adjacent in memory.
  [[nodiscard]] std::span<std::byte> unary_and_tails() const noexcept {
    return {reinterpret_cast<std::byte*>(unary_.data()), unary_.size_bytes() + tails_.size()};
  }
  // Writes all entries, as copy_to() does, from memory that may not be a valid set. Returns false
  // if unary_ does not have a one for each entry or has a one after the last bucket, if an entry is
  // not above the entry before it, or if lows_ is not valid.
  [[nodiscard]] bool copy_checked(std::byte* out) const noexcept;

  detail::PackedArray lows_;
  detail::Buffer<std::uint64_t> memory_;  // owns the memory of the spans below
  std::span<std::uint64_t> unary_;        // whole blocks, with zeros past the end
  std::span<std::byte> tails_;            // the bytes after each entry's first four
  std::span<std::uint32_t> block_zeros_;  // the number of zeros before each block
  std::span<std::uint32_t> samples_;      // the position of each kSample-th zero and the last
  std::uint32_t prefix_bytes_ = 4;
};

class PrefixSet::Builder {
 public:
  // A builder for `size` entries. It fails as build() does.
  [[nodiscard]] static Result<Builder> create(std::uint64_t size,
                                              std::uint32_t prefix_bytes) noexcept;

  // False if the entry is not above the entry before it, or if there are already `size` entries.
  [[nodiscard]] bool push(const std::byte* entry) noexcept;
  // Replaces all calls of push(): reads a set's image, and writes all entries to `out`. False if no
  // set with this size has that image.
  [[nodiscard]] bool take_image(std::span<const std::byte> image, std::byte* out) noexcept;
  // The finished set, after `size` calls of push() or after take_image().
  [[nodiscard]] PrefixSet finish() && noexcept;

 private:
  explicit Builder(PrefixSet&& set) noexcept : set_(std::move(set)) {}

  PrefixSet set_;
  std::uint64_t pushed_ = 0;
  std::uint32_t before_ = 0;  // the first 4 bytes of the previous entry
};

// Reads the entries of a PrefixSet in order, a chunk at a time, so that a list is never unpacked as
// a whole.
class PrefixReader {
 public:
  // `set` must not change while the reader is used.
  explicit PrefixReader(const PrefixSet& set) noexcept : set_(set) { fill(); }

  [[nodiscard]] bool is_at_end() const noexcept { return at_ == end_; }
  // The current entry, and in memory the rest of the chunk after it. Not for a reader at the end.
  [[nodiscard]] const std::byte* entry() const noexcept { return bytes_.data() + at_; }
  [[nodiscard]] std::span<const std::byte> chunk() const noexcept {
    return std::span(bytes_).subspan(at_, end_ - at_);
  }

  void skip() noexcept {
    at_ += set_.prefix_bytes();
    if (at_ == end_) fill();
  }
  void skip_chunk() noexcept { fill(); }

 private:
  void fill() noexcept {
    const std::uint64_t count =
        std::min<std::uint64_t>(bytes_.size() / set_.prefix_bytes(), set_.size() - next_);
    set_.copy_to(next_, count, bytes_.data());
    next_ += count;
    at_ = 0;
    end_ = static_cast<std::size_t>(count) * set_.prefix_bytes();
  }

  const PrefixSet& set_;
  std::uint64_t next_ = 0;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::array<std::byte, 4096> bytes_;
};

}  // namespace tamis::url
