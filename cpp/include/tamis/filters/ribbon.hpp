// tamis/filters/ribbon.hpp - bumped ribbon filter: the smallest filter, for keys that are all known
// at the build.
//
// Choose it for a list that is built once and shipped to many clients. BinaryFuseFilter is 7 %
// larger, with faster look-ups and builds. BlockedBloomFilter and CuckooFilter accept keys later.
//
//   memory     r bits a key for a rate of 2^-r, plus 0.2 to 0.3 % from 100,000 keys on, or 0.5 to
//              1.7 % from 1,000 on. Every other type needs at least 5 % more
//   build      sorts the hashes and solves a linear system: 0.2 us a key. Below 4,096 keys it needs
//              about ten attempts: 0.5 to 1 us a key. While it runs, it uses 9, 10 or 12 bytes more
//              per key: 8 for an equation, and 1, 2 or 4 for a row
//   query      reads two bits that say whether the key was bumped to the next level (1 in 16 is).
//              Then it reads 64 neighbouring slots, one byte of each at a time
//   never      reports a key of the list as absent
//   wire       type id 11, FORMAT.md "ribbon"
//
// Dillinger, Huebschle-Schneider, Sanders and Walzer, "Fast succinct retrieval and approximate
// membership using ribbon", SEA 2022.
#pragma once

#include <tamis/concepts.hpp>
#include <tamis/detail/retrieval.hpp>
#include <tamis/sizing/math.hpp>

namespace tamis {

class RibbonFilter : public Keyed<RibbonFilter> {
 public:
  static constexpr FilterType kType = FilterType::kRibbonFilter;
  using Keyed::may_contain;

  struct Config {
    std::uint64_t capacity = 0;  // the number of distinct keys; only size_for() uses it
    double fpr = 0.01;
    std::uint32_t fingerprint_bits = 0;  // 1 to 32; if set, fpr is ignored
    Hasher hasher{};

    auto fields() noexcept { return std::tie(capacity, fpr, fingerprint_bits); }
  };

  // Builds the filter from the keys' hashes, and sorts and changes the caller's array. Returns
  // kInvalidOption (also for a rate that needs more than 32 bits), kTooLarge, kOutOfMemory or
  // kBuildFailed.
  [[nodiscard]] static Result<RibbonFilter> build(const Config& config,
                                                  std::span<std::uint64_t> hashes) noexcept;
  [[nodiscard]] static Result<std::uint64_t> size_for(const Config& config) noexcept;

  TAMIS_PER_ISA [[nodiscard]] bool may_contain(Hash hash) const noexcept {
    return rows_.matches(hash);
  }
  // Looks up many hashes, and writes 1 or 0 for each.
  void may_contain(std::span<const Hash> hashes, std::uint8_t* answers) const noexcept {
    rows_.matches(hashes, answers);
  }

  [[nodiscard]] std::uint64_t count() const noexcept { return rows_.count(); }
  [[nodiscard]] std::uint64_t capacity() const noexcept { return rows_.count(); }
  [[nodiscard]] std::uint32_t fingerprint_bits() const noexcept { return rows_.shape().check_bits; }
  [[nodiscard]] std::uint32_t levels() const noexcept { return rows_.levels(); }
  [[nodiscard]] const Hasher& hasher() const noexcept { return hasher_; }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return rows_.size_bytes(); }

  // The rate 2^-r of a filter with keys.
  [[nodiscard]] double fpr() const noexcept;
  // Equal to fpr(), but 0 for a filter without keys.
  [[nodiscard]] double estimated_fpr() const noexcept { return count() == 0 ? 0 : fpr(); }

  [[nodiscard]] Result<RibbonFilter> clone() const noexcept;
  // Returns kCorrupt if the levels contradict each other or the count.
  [[nodiscard]] Status validate() const noexcept { return rows_.validate(); }

  [[nodiscard]] Header header() const noexcept;
  void write(ByteWriter& out) const noexcept { rows_.write(out); }
  [[nodiscard]] static Result<RibbonFilter> read(Container& from) noexcept;
  friend bool operator==(const RibbonFilter&, const RibbonFilter&) noexcept = default;

 private:
  RibbonFilter(detail::Retrieval&& rows, const Hasher& hasher) noexcept
      : rows_(std::move(rows)), hasher_(hasher) {}

  detail::Retrieval rows_;
  Hasher hasher_;
};

static_assert(StaticFilter<RibbonFilter>);

}  // namespace tamis
