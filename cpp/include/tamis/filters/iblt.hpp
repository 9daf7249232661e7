// tamis/filters/iblt.hpp - invertible Bloom lookup table: lists the keys in which two sets differ.
//
// Each side puts its keys into a table with the same options, and sends it. One side subtracts the
// two tables and decodes the result. The size follows from the number of differences, not from the
// number of keys. If that number is unknown, start small and double, since decode() reports if it
// was enough. A table answers no questions about single keys. Any filter does.
//
//   memory     m = 1.4 d + 24 cells for d differences, each of 12 bytes and a key
//   insert     changes 4 cells; no number of keys makes a table full
//   decode     linear in m, on a copy; lists all of d differences in over 99 % of cases, at any d
//   never      lists a wrong key, or one on the wrong side, except after a collision of 64 bits.
//              That holds with a keyed hasher. Its key must be random, new for each exchange, and
//              made when the sets are fixed. With too many differences, or a key twice on one
//              side, decode() lists fewer keys and reports that it is not complete
//   undefined  nothing. But without a secret key, others can choose keys that hide each other, or
//              give a key that neither side has. decode() still reports that it is complete. For
//              XXH3-64 of seed 0 and keys of 17 to 128 bytes, such sets cost nothing: they are
//              closed under xor
//   wire       type id 14, FORMAT.md "iblt"
//
// Goodrich and Mitzenmacher, "Invertible Bloom lookup tables", Allerton 2011; subtraction by
// Eppstein, Goodrich, Uyeda and Varghese, "What's the difference?", SIGCOMM 2011. Keys are joined
// by xor as in the latter, and checksums are added as in the former. Under xor, a key that one side
// holds twice could move its neighbours to the other side unnoticed.
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
    std::uint32_t key_bytes = 0;  // of every key: 4 to 64
    Hasher hasher{};

    auto fields() noexcept { return std::tie(differences, key_bytes); }
  };

  // Keys of key_bytes() each, one after the other. Their order means nothing. After a subtraction they
  // are the keys that one of the two tables alone has.
  struct Difference {
    Bytes added;    // inserted keys; or those of the first table alone
    Bytes removed;  // erased keys; or those of the second table alone
    std::uint64_t added_count = 0;
    std::uint64_t removed_count = 0;
    bool complete = false;  // the table holds these keys and no others
  };

  [[nodiscard]] static Result<InvertibleBloomTable> create(const Config& config) noexcept;
  [[nodiscard]] static Result<std::uint64_t> size_for(const Config& config) noexcept;

  // Both return kInvalidKey for a key that does not have key_bytes(). A key that is not in the
  // table can be erased: the table then holds it as removed, and an insert cancels that.
  [[nodiscard]] Status insert(Key key) noexcept;
  [[nodiscard]] Status erase(Key key) noexcept;

  // This table minus the other. Keys that both hold cancel out. Returns kIncompatible unless
  // hasher, key_bytes and cells agree, or kOutOfMemory.
  [[nodiscard]] Result<InvertibleBloomTable> subtract(
      const InvertibleBloomTable& other) const noexcept;
  // Lists the keys in at most 4 cells() steps, and at most cells() keys, no key twice. Any table is
  // allowed. Returns kOutOfMemory.
  [[nodiscard]] Result<Difference> decode() const noexcept;

  [[nodiscard]] const Hasher& hasher() const noexcept { return hasher_; }
  [[nodiscard]] std::uint32_t key_bytes() const noexcept { return key_bytes_; }
  [[nodiscard]] std::uint64_t cells() const noexcept { return cells_; }
  // The designed number of differences. It equals capacity().
  [[nodiscard]] std::uint64_t differences() const noexcept { return differences_; }
  [[nodiscard]] std::uint64_t capacity() const noexcept { return differences_; }
  // Always 0: after a subtraction, a table has no number of keys.
  [[nodiscard]] std::uint64_t count() const noexcept { return 0; }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return memory_.size(); }

  void clear() noexcept;
  [[nodiscard]] Result<InvertibleBloomTable> clone() const noexcept;
  // A table of the same geometry and hasher without keys, as a partner for subtract().
  [[nodiscard]] Result<InvertibleBloomTable> empty_copy() const noexcept;
  // Returns kCorrupt if no keys make such a table. Each key is once in every partition, so the sums
  // of the partitions agree. It takes one pass over the cells.
  [[nodiscard]] Status validate() const noexcept;

  [[nodiscard]] Header header() const noexcept;
  void write(ByteWriter& out) const noexcept;
  [[nodiscard]] static Result<InvertibleBloomTable> read(Container& from) noexcept;
  friend bool operator==(const InvertibleBloomTable&,
                         const InvertibleBloomTable&) noexcept = default;

 private:
  // The cells of a key, one in each partition, and its checksum.
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

  // The arrays have the order of the wire: all counts, all checks, all keys.
  [[nodiscard]] std::byte* count_at(std::size_t cell) noexcept { return memory_.data() + 4 * cell; }
  [[nodiscard]] std::byte* check_at(std::size_t cell) noexcept {
    return memory_.data() + 4 * cells_ + 8 * cell;
  }
  [[nodiscard]] std::byte* key_at(std::size_t cell) noexcept {
    return memory_.data() + 12 * cells_ + key_bytes_ * cell;
  }
  // The count in two's complement of 32 bits. It wraps.
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
  // `sign` is 1, or 2^64 - 1 for -1.
  void add(std::size_t cell, Key key, std::uint64_t check, std::uint64_t sign) noexcept;
  [[nodiscard]] Status add(Key key, std::uint64_t sign) noexcept;
  [[nodiscard]] bool is_empty(std::size_t cell) const noexcept;
  // True if counts, checks and keys have the same sum in every partition.
  [[nodiscard]] bool is_balanced() const noexcept;

  Bytes memory_;
  std::size_t cells_ = 0;
  std::uint64_t differences_ = 0;
  std::uint32_t key_bytes_ = 0;
  Hasher hasher_;
};

static_assert(Sketch<InvertibleBloomTable>);

}  // namespace tamis
