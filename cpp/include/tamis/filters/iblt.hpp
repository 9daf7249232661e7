// tamis/filters/iblt.hpp - invertible Bloom lookup table: lists the keys in which two sets differ.
//
// Each side puts its keys into a table made alike and sends it; one subtracts the two and decodes.
// The size follows from the differences that must be listed, not from the keys that a side holds.
// Where their number is unknown, start small and double: decode() says whether it was enough. A
// table answers no questions about single keys: for those, any filter.
//
//   memory     m = 1.4 d + 24 cells for d differences, each of 12 bytes and a key
//   insert     4 cells; no number of keys makes a table full
//   decode     linear in m, on a copy; lists all of d differences in over 99 % of cases, at any d
//   never      lists a wrong key, or one on the wrong side, but for a collision of 64 bits: so with
//              a keyed hasher. Its key must be random, new for each exchange, and made when the
//              sets are fixed. With too many differences, or a key twice on one side, decode()
//              lists fewer keys and says that it is not complete
//   undefined  nothing. But without a secret key, others can choose keys that hide each other, or
//              give a key that neither side has. decode() says complete all the same. For XXH3-64
//              of seed 0 and keys of 17 to 128 bytes such sets, closed under xor, cost nothing
//   threads    const members may run concurrently; others need exclusion
//   wire       type id 14, FORMAT.md "iblt"
//
// Goodrich and Mitzenmacher, "Invertible Bloom lookup tables", Allerton 2011; subtraction by
// Eppstein, Goodrich, Uyeda and Varghese, "What's the difference?", SIGCOMM 2011. Keys are joined
// by xor as in the latter, checksums are added as in the former. Under xor a key held twice lets
// its neighbours change sides unnoticed.
#pragma once

#include <array>
#include <cstddef>

#include <tamis/concepts.hpp>
#include <tamis/detail/buffer.hpp>
#include <tamis/detail/endian.hpp>
#include <tamis/sizing/iblt.hpp>

namespace tamis {

class InvertibleBloomTable {
 public:
  static constexpr FilterType kType = FilterType::kInvertibleBloomTable;

  struct Config {
    std::uint64_t differences = 0;
    std::uint32_t key_bytes = 0;  // of every key: 4 to 64
    Hasher hasher{};

    auto fields() noexcept { return std::tie(differences, key_bytes); }
  };

  // Keys of key_bytes(), one after the other, in no order that means anything.
  struct Difference {
    detail::Buffer<std::byte> added;    // inserted; after a subtraction: only in the first table
    detail::Buffer<std::byte> removed;  // erased; after a subtraction: only in the second
    std::uint64_t added_count = 0;
    std::uint64_t removed_count = 0;
    bool complete = false;  // the table holds these keys and nothing else
  };

  // kInvalidOption, kTooLarge, kOutOfMemory.
  [[nodiscard]] static Result<InvertibleBloomTable> create(const Config& config) noexcept;
  // Bytes of the cells that create() would allocate. kInvalidOption, kTooLarge.
  [[nodiscard]] static Result<std::uint64_t> size_for(const Config& config) noexcept;

  // kInvalidKey for a key that is not of key_bytes(). A key need not be in to be erased: the table
  // then holds it as removed, and an insert cancels that.
  [[nodiscard]] Status insert(Key key) noexcept;
  [[nodiscard]] Status insert(std::string_view key) noexcept { return insert(as_key(key)); }
  [[nodiscard]] Status erase(Key key) noexcept;
  [[nodiscard]] Status erase(std::string_view key) noexcept { return erase(as_key(key)); }

  // This minus the other: what both hold cancels. kIncompatible unless hasher, key_bytes and cells
  // agree; kOutOfMemory.
  [[nodiscard]] Result<InvertibleBloomTable> subtract(
      const InvertibleBloomTable& other) const noexcept;
  // At most 4 cells() steps and cells() keys, no key twice, whatever the table holds. kOutOfMemory.
  [[nodiscard]] Result<Difference> decode() const noexcept;

  [[nodiscard]] const Hasher& hasher() const noexcept { return hasher_; }
  [[nodiscard]] std::uint32_t key_bytes() const noexcept { return key_bytes_; }
  [[nodiscard]] std::uint64_t cells() const noexcept { return cells_; }
  // The designed number; the same as capacity().
  [[nodiscard]] std::uint64_t differences() const noexcept { return differences_; }
  [[nodiscard]] std::uint64_t capacity() const noexcept { return differences_; }
  // 0: after a subtraction a table has no number of keys.
  [[nodiscard]] std::uint64_t count() const noexcept { return 0; }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return memory_.size(); }

  void clear() noexcept;
  [[nodiscard]] Result<InvertibleBloomTable> clone() const noexcept;
  // The same geometry and hasher, no keys: a partner for subtract().
  [[nodiscard]] Result<InvertibleBloomTable> empty_copy() const noexcept;
  // kCorrupt where no keys make such a table: each is once in every partition, so the partitions'
  // sums agree. One pass over the cells.
  [[nodiscard]] Status validate() const noexcept;

  [[nodiscard]] Header header() const noexcept;
  void write(ByteWriter& out) const noexcept;
  [[nodiscard]] static Result<InvertibleBloomTable> read(Container& from) noexcept;

 private:
  // A key's cells, one in each partition, and its checksum.
  struct Places {
    std::array<std::size_t, sizing::kIbltHashes> cells;
    std::uint64_t check;
  };

  InvertibleBloomTable(detail::Buffer<std::byte>&& memory, const Config& config) noexcept
      : memory_(std::move(memory)),
        cells_(static_cast<std::size_t>(sizing::iblt_cells(config.differences))),
        differences_(config.differences),
        key_bytes_(config.key_bytes),
        hasher_(config.hasher) {}

  [[nodiscard]] Config config() const noexcept { return {differences_, key_bytes_, hasher_}; }

  // The arrays, as they stand on the wire: all counts, all checks, all keys.
  [[nodiscard]] std::byte* count_at(std::size_t cell) noexcept { return memory_.data() + 4 * cell; }
  [[nodiscard]] std::byte* check_at(std::size_t cell) noexcept {
    return memory_.data() + 4 * cells_ + 8 * cell;
  }
  [[nodiscard]] std::byte* key_at(std::size_t cell) noexcept {
    return memory_.data() + 12 * cells_ + key_bytes_ * cell;
  }
  // Two's complement in 32 bits: it wraps.
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
  // sign: 1, or -1 as 2^64 - 1.
  void add(std::size_t cell, Key key, std::uint64_t check, std::uint64_t sign) noexcept;
  [[nodiscard]] Status add(Key key, std::uint64_t sign) noexcept;
  [[nodiscard]] bool is_empty(std::size_t cell) const noexcept;
  // Whether counts, checks and keys add up to the same in every partition.
  [[nodiscard]] bool is_balanced() const noexcept;

  detail::Buffer<std::byte> memory_;
  std::size_t cells_ = 0;
  std::uint64_t differences_ = 0;
  std::uint32_t key_bytes_ = 0;
  Hasher hasher_;
};

static_assert(Sketch<InvertibleBloomTable>);

}  // namespace tamis
