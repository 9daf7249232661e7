// tamis/filters/iblt.hpp - invertible Bloom lookup table: finds the keys in which two sets differ.
//
// Each side puts its keys into a table with the same options, and sends the table. One side
// subtracts one table from the other and decodes the result. The size depends on the number of
// differences, not on the number of keys. If the number of differences is unknown, start small and
// double the size until decode() reports a complete result. A table cannot be asked about single
// keys; any filter can.
//
//   memory     m = 1.4 d + 24 cells for d differences; a cell has 12 bytes and the bytes of a key
//   insert     changes 4 cells; no number of keys makes a table full
//   decode     takes time linear in m, on a copy; lists all of d differences in over 99 % of cases
//   never      lists a wrong key, or a key on the wrong side, except after a collision of 64-bit
//              hashes. That holds with a keyed hasher whose key is random, new for each exchange,
//              and made when the sets are already fixed. With too many differences, or a key twice
//              on one side, decode() lists fewer keys and reports that the result is not complete
//   undefined  no call. But without a secret key, others can choose keys that hide each other or
//              make decode() list a key that neither side has, with a result that claims to be
//              complete. For XXH3-64 with seed 0 and keys of 17 to 128 bytes, such keys are trivial
//              to find, because they are closed under xor
//   wire       type id 14, FORMAT.md "iblt"
//
// Goodrich and Mitzenmacher, "Invertible Bloom lookup tables", Allerton 2011; subtraction by
// Eppstein, Goodrich, Uyeda and Varghese, "What's the difference?", SIGCOMM 2011. Keys are xored as
// in the second paper, but checksums are added as in the first. If checksums were xored too, a key
// that is twice on one side could move other keys to the other side unnoticed.
#pragma once

#include <array>
#include <cstddef>

#include <tamis/concepts.hpp>
#include <tamis/detail/buffer.hpp>
#include <tamis/detail/endian.hpp>
#include <tamis/sizing/iblt.hpp>

namespace tamis {

class InvertibleBloomTable : public Keyed<InvertibleBloomTable, Key> {
 public:
  static constexpr FilterType kType = FilterType::kInvertibleBloomTable;
  using Keyed::insert, Keyed::erase;

  struct Config {
    std::uint64_t differences = 0;
    std::uint32_t key_bytes = 0;  // the size of every key, 4 to 64
    Hasher hasher{};

    auto fields() noexcept { return std::tie(differences, key_bytes); }
  };

  // The result of decode(): keys of key_bytes() bytes each, one after the other, in no defined
  // order. After a subtraction, they are the keys that only one of the two tables contained.
  struct Difference {
    Bytes added;    // inserted keys; after a subtraction, keys only in the first table
    Bytes removed;  // erased keys; after a subtraction, keys only in the second table
    std::uint64_t added_count = 0;
    std::uint64_t removed_count = 0;
    bool complete = false;  // true if the table contains these keys and no others
  };

  [[nodiscard]] static Result<InvertibleBloomTable> create(const Config& config) noexcept;
  [[nodiscard]] static Result<std::uint64_t> size_for(const Config& config) noexcept;

  // Both return kInvalidKey unless the key has key_bytes() bytes. A key that is not in the table
  // can be erased: the table then counts the key as removed, until an insert cancels that.
  [[nodiscard]] Status insert(Key key) noexcept;
  [[nodiscard]] Status erase(Key key) noexcept;

  // This table minus the other. Keys that both contain cancel out. Returns kIncompatible unless
  // hasher, key_bytes and cells are equal, or kOutOfMemory.
  [[nodiscard]] Result<InvertibleBloomTable> subtract(
      const InvertibleBloomTable& other) const noexcept;
  // Lists at most cells() keys, none twice, in at most 4 cells() steps, for any table. Returns
  // kOutOfMemory.
  [[nodiscard]] Result<Difference> decode() const noexcept;

  [[nodiscard]] const Hasher& hasher() const noexcept { return hasher_; }
  [[nodiscard]] std::uint32_t key_bytes() const noexcept { return key_bytes_; }
  [[nodiscard]] std::uint64_t cells() const noexcept { return cells_; }
  // The number of differences that the table is designed for; equal to capacity().
  [[nodiscard]] std::uint64_t differences() const noexcept { return differences_; }
  [[nodiscard]] std::uint64_t capacity() const noexcept { return differences_; }
  // Always 0. A table does not count its keys, because after a subtraction it could not.
  [[nodiscard]] std::uint64_t count() const noexcept { return 0; }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return memory_.size(); }

  void clear() noexcept;
  [[nodiscard]] Result<InvertibleBloomTable> clone() const noexcept;
  // A table without keys that has the same geometry and hasher, as a partner for subtract().
  [[nodiscard]] Result<InvertibleBloomTable> empty_copy() const noexcept;
  // Returns kCorrupt if no set of keys gives such a table: each key is once in every partition, so
  // the sums must be the same in all partitions. It reads all cells.
  [[nodiscard]] Status validate() const noexcept;

  [[nodiscard]] Header header() const noexcept;
  void write(ByteWriter& out) const noexcept;
  [[nodiscard]] static Result<InvertibleBloomTable> read(Container& from) noexcept;
  friend bool operator==(const InvertibleBloomTable&,
                         const InvertibleBloomTable&) noexcept = default;

 private:
  // The cells of a key, one in each partition, and the key's checksum.
  struct Places {
    std::array<std::size_t, sizing::kIbltHashes> cells;
    std::uint64_t check;
  };

  InvertibleBloomTable(Bytes&& memory, const Config& config) noexcept
      : memory_(std::move(memory)),
        cells_(static_cast<std::size_t>(sizing::iblt_cells(config.differences))),
        differences_(config.differences),
        key_bytes_(config.key_bytes),
        hasher_(config.hasher) {}

  [[nodiscard]] Config config() const noexcept { return {differences_, key_bytes_, hasher_}; }

  // In memory the arrays have the same order as in a file: all counts, all checks, all keys.
  [[nodiscard]] std::byte* count_at(std::size_t cell) noexcept { return memory_.data() + 4 * cell; }
  [[nodiscard]] std::byte* check_at(std::size_t cell) noexcept {
    return memory_.data() + 4 * cells_ + 8 * cell;
  }
  [[nodiscard]] std::byte* key_at(std::size_t cell) noexcept {
    return memory_.data() + 12 * cells_ + key_bytes_ * cell;
  }
  // The count of a cell, as 32 bits in two's complement. Its arithmetic wraps around.
  [[nodiscard]] std::uint32_t count_of(std::size_t cell) const noexcept {
    return detail::load_le32(memory_.data() + 4 * cell);
  }
  [[nodiscard]] std::uint64_t check_of(std::size_t cell) const noexcept {
    return detail::load_le64(memory_.data() + 4 * cells_ + 8 * cell);
  }
  [[nodiscard]] Key key_of(std::size_t cell) const noexcept {
    return {memory_.data() + 12 * cells_ + key_bytes_ * cell, key_bytes_};
  }

  [[nodiscard]] Places places(Key key) const noexcept;
  // `sign` is 1 to add the key, and 2^64 - 1 (for -1) to subtract it.
  void add(std::size_t cell, Key key, std::uint64_t check, std::uint64_t sign) noexcept;
  [[nodiscard]] Status add(Key key, std::uint64_t sign) noexcept;
  [[nodiscard]] bool is_empty(std::size_t cell) const noexcept;
  // True if the sums of counts, checks and keys are the same in every partition.
  [[nodiscard]] bool is_balanced() const noexcept;

  Bytes memory_;
  std::size_t cells_ = 0;
  std::uint64_t differences_ = 0;
  std::uint32_t key_bytes_ = 0;
  Hasher hasher_;
};

static_assert(Sketch<InvertibleBloomTable>);

}  // namespace tamis
