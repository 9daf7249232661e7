// tamis/filters/exact.hpp - exact filter: tells two known sets of keys apart without an error.
//
// Choose it if every key that will be looked up is known at the build. Examples are the revoked
// among all issued certificates, or hosts to block among hosts that must never be blocked. A key
// outside both sets gets the answer of a small filter. RibbonFilter is better for such keys.
//
//   memory     about log2(N / R) + 1.98 bits for each of R included keys against N excluded ones.
//              log2(N / R) + 1.44 is the least possible; a Bloom cascade takes 60 % more
//   build      sorts both lists, and looks each excluded key up in the first level: about 100 ns a
//              key. While it runs, some keys take 25 bytes more: 16 for hash and value, 9 for an
//              equation. These are the included keys, and the excluded ones that pass the first
//              level
//   query      reads 64 neighbouring slots of the first level; for the few that pass, 64 of the
//              second
//   never      reports an included key as absent, or an excluded one as present
//   undefined  nothing; a key in both sets is kConflict, and so is a hash that both sets have
//   wire       type id 12, FORMAT.md "exact"
//
// Two levels as Schanck's Clubcard, IEEE S&P 2025, both by the bumped ribbon retrieval of
// Dillinger, Huebschle-Schneider, Sanders and Walzer, SEA 2022.
#pragma once

#include <tamis/concepts.hpp>
#include <tamis/detail/retrieval.hpp>
#include <tamis/sizing/exact.hpp>

namespace tamis {

class ExactFilter : public Keyed<ExactFilter> {
 public:
  static constexpr FilterType kType = FilterType::kExactFilter;
  using Keyed::may_contain;

  struct Config {
    std::uint64_t capacity = 0;  // included keys, for size_for() alone
    std::uint64_t excluded = 0;  // excluded keys, for size_for() alone
    double fpr = 1;  // the largest rate outside both sets, 2^-33 or more; 1: the smallest filter
    Hasher hasher{};

    auto fields() noexcept { return std::tie(capacity, excluded, fpr); }
  };

  // Builds the filter. Repeats in a list are one key. The build changes the order of both lists.
  // Returns kConflict if hashes are in both, and sets `conflicts` to the number of such distinct
  // hashes. All other results set it to 0. Returns kInvalidOption, also for a rate that needs more
  // than 32 bits, kBuildFailed, kTooLarge or kOutOfMemory.
  [[nodiscard]] static Result<ExactFilter> build(const Config& config,
                                                 std::span<std::uint64_t> include,
                                                 std::span<std::uint64_t> exclude,
                                                 std::uint64_t& conflicts) noexcept;
  [[nodiscard]] static Result<std::uint64_t> size_for(const Config& config) noexcept;

  [[nodiscard]] bool may_contain(Hash hash) const noexcept;
  void may_contain(std::span<const Hash> hashes, std::uint8_t* answers) const noexcept;

  // The number of distinct included keys.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint64_t capacity() const noexcept { return count_; }
  // The number of distinct excluded keys.
  [[nodiscard]] std::uint64_t excluded() const noexcept { return excluded_; }
  // The check bits r of the first level. If r is 0, there is no first level.
  [[nodiscard]] std::uint32_t check_bits() const noexcept { return check_bits_; }
  [[nodiscard]] const Hasher& hasher() const noexcept { return hasher_; }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept {
    return first_.size_bytes() + second_.size_bytes();
  }

  // The share of the keys outside both sets that are reported: 2^-(r + 1). It is 0 if no key is
  // included.
  [[nodiscard]] double fpr() const noexcept;
  // Equal to fpr().
  [[nodiscard]] double estimated_fpr() const noexcept { return fpr(); }

  [[nodiscard]] Result<ExactFilter> clone() const noexcept;
  // Returns kCorrupt if the levels do not fit together, or do not fit the counts.
  [[nodiscard]] Status validate() const noexcept;

  [[nodiscard]] Header header() const noexcept;
  void write(ByteWriter& out) const noexcept;
  [[nodiscard]] static Result<ExactFilter> read(Container& from) noexcept;
  friend bool operator==(const ExactFilter&, const ExactFilter&) noexcept = default;

 private:
  class Builder;

  ExactFilter(std::uint64_t count, std::uint64_t excluded, std::uint32_t check_bits,
              const Hasher& hasher) noexcept
      : count_(count), excluded_(excluded), check_bits_(check_bits), hasher_(hasher) {}

  // The second level stores for a key one bit, which says if it is included, XOR this bit. So it
  // denies every second key outside both sets, for any number of keys and any solution.
  [[nodiscard]] bool flips(Hash hash) const noexcept { return (hasher_.mix(hash) & 1) != 0; }

  detail::Retrieval first_;   // the included keys
  detail::Retrieval second_;  // those, and the excluded keys that pass the first level
  std::uint64_t count_ = 0;
  std::uint64_t excluded_ = 0;
  std::uint32_t check_bits_ = 0;
  Hasher hasher_;
};

static_assert(Filter<ExactFilter> && BuiltOfTwo<ExactFilter, std::uint64_t>);

}  // namespace tamis
