// tamis/filters/bloomier.hpp - Bloomier map: maps keys to small numbers, without storing the keys.
//
// Choose it for a map that is built once and shipped, for example with a class, a rank or an index
// for each of many keys. A key of the map always gets its value. Other keys get a wrong value with
// the probability 2^-check_bits, and no value otherwise. If only keys of the map are looked up,
// check_bits can be 0.
//
//   memory     value_bits + check_bits bits a key, plus 1.1 % (0.1 % from 100,000 keys on), plus
//              1/64 bit a key
//   build      about 200 ns a key. While it runs, it uses 25 to 32 bytes more per key: 16 for hash
//              and value, 8 for an equation, and 1, 2, 4 or 8 for a row
//   query      reads 64 neighbouring slots in each plane (8 bits or 1 bit of every slot)
//   never      gives another value, or none, for a key of the map
//   undefined  no call; a key with two values is kConflict, and so are two keys with the same hash
//   wire       type id 13, FORMAT.md "bloomier"
//
// Chazelle, Kilian, Rubinfeld and Tal, SODA 2004; with the bumped ribbon retrieval of Dillinger,
// Huebschle-Schneider, Sanders and Walzer, SEA 2022.
#pragma once

#include <optional>

#include <tamis/concepts.hpp>
#include <tamis/detail/retrieval.hpp>
#include <tamis/sizing/math.hpp>

namespace tamis {

class BloomierMap : public Keyed<BloomierMap> {
 public:
  static constexpr FilterType kType = FilterType::kBloomierMap;
  using Keyed::get, Keyed::may_contain;

  struct Config {
    std::uint64_t capacity = 0;    // the number of distinct keys; only size_for() uses it
    std::uint32_t value_bits = 0;  // 1 to 32
    std::uint32_t check_bits = 8;  // 0 to 32
    Hasher hasher{};

    auto fields() noexcept { return std::tie(capacity, value_bits, check_bits); }
  };

  // Builds the map. values[i] belongs to hashes[i]; a pair that repeats counts once. The build
  // changes neither list. Returns kConflict if a hash has several values, and sets `conflicts` to
  // the number of such hashes; otherwise sets it to 0. Returns kInvalidOption also if the lists
  // differ in length or a value needs more than value_bits. Other failures are kBuildFailed,
  // kTooLarge and kOutOfMemory.
  [[nodiscard]] static Result<BloomierMap> build(const Config& config,
                                                 std::span<std::uint64_t> hashes,
                                                 std::span<std::uint32_t> values,
                                                 std::uint64_t& conflicts) noexcept;
  [[nodiscard]] static Result<std::uint64_t> size_for(const Config& config) noexcept;

  // The key's value, or nothing if the key is certainly not in the map.
  TAMIS_PER_ISA [[nodiscard]] std::optional<std::uint32_t> get(Hash hash) const noexcept {
    std::uint32_t value;
    if (!rows_.find(hash, value)) return std::nullopt;
    return value;
  }
  // For each hash, writes 1 and its value, or 0 and 0 if it has no value.
  void get(std::span<const Hash> hashes, std::uint8_t* found,
           std::uint32_t* values) const noexcept {
    rows_.find(hashes, found, values);
  }
  // True if get() gives a value.
  TAMIS_PER_ISA [[nodiscard]] bool may_contain(Hash hash) const noexcept {
    return rows_.matches(hash);
  }
  void may_contain(std::span<const Hash> hashes, std::uint8_t* answers) const noexcept {
    rows_.matches(hashes, answers);
  }

  [[nodiscard]] std::uint64_t count() const noexcept { return rows_.count(); }
  [[nodiscard]] std::uint64_t capacity() const noexcept { return rows_.count(); }
  [[nodiscard]] std::uint32_t value_bits() const noexcept { return rows_.shape().value_bits; }
  [[nodiscard]] std::uint32_t check_bits() const noexcept { return rows_.shape().check_bits; }
  [[nodiscard]] const Hasher& hasher() const noexcept { return hasher_; }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return rows_.size_bytes(); }

  // The probability that a key outside the map gets a value: 2^-check_bits.
  [[nodiscard]] double fpr() const noexcept;
  // Equal to fpr(), but 0 for a map without keys.
  [[nodiscard]] double estimated_fpr() const noexcept { return count() == 0 ? 0 : fpr(); }

  [[nodiscard]] Result<BloomierMap> clone() const noexcept;
  // Returns kCorrupt if the levels contradict each other or the count.
  [[nodiscard]] Status validate() const noexcept { return rows_.validate(); }

  [[nodiscard]] Header header() const noexcept;
  void write(ByteWriter& out) const noexcept;
  [[nodiscard]] static Result<BloomierMap> read(Container& from) noexcept;
  friend bool operator==(const BloomierMap&, const BloomierMap&) noexcept = default;

 private:
  BloomierMap(detail::Retrieval&& rows, const Hasher& hasher) noexcept
      : rows_(std::move(rows)), hasher_(hasher) {}

  detail::Retrieval rows_;
  Hasher hasher_;
};

static_assert(Filter<BloomierMap> && BuiltOfTwo<BloomierMap, std::uint32_t>);

}  // namespace tamis
