// tamis/filters/exact.hpp - exact filter: distinguishes two known sets of keys without errors.
//
// Choose it if every key that will be looked up is known at the build: for example the revoked
// certificates among all issued ones, or hosts to block and hosts that must never be blocked. For a
// key outside both sets, it answers like a small filter; RibbonFilter is better for such keys.
//
//   memory     about log2(N / R) + 1.98 bits for each of R included keys against N excluded ones.
//              The theoretical minimum is log2(N / R) + 1.44; a Bloom cascade takes 60 % more
//   build      sorts both lists, and looks up each excluded key in the first level: about 100 ns a
//              key. While it runs, it uses 25 bytes more for each included key, and for each
//              excluded key that passes the first level: 16 for hash and value, 9 for an equation
//   query      reads 64 neighbouring slots of the first level. For keys that pass, it also reads
//              64 slots of the second level
//   never      reports an included key as absent, or an excluded key as present
//   undefined  no call; a key in both sets is kConflict, and so are two keys with the same hash
//   wire       type id 12, FORMAT.md "exact"
//
// Two levels as in Schanck's Clubcard, IEEE S&P 2025. Both levels are bumped ribbon retrieval, by
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
    std::uint64_t capacity = 0;  // the number of included keys; only size_for() uses it
    std::uint64_t excluded = 0;  // the number of excluded keys; only size_for() uses it
    double fpr = 1;  // the highest rate outside both sets, from 2^-33 to 1 (the smallest filter)
    Hasher hasher{};

    auto fields() noexcept { return std::tie(capacity, excluded, fpr); }
  };

  // Builds the filter. A key that repeats within a list counts once. The build reorders both lists.
  // Returns kConflict if hashes are in both lists, and sets `conflicts` to the number of such
  // distinct hashes; otherwise sets it to 0. Other failures are kInvalidOption (also for a rate
  // that needs more than 32 bits), kBuildFailed, kTooLarge and kOutOfMemory.
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
  // The number of check bits r in the first level. If it is 0, there is no first level.
  [[nodiscard]] std::uint32_t check_bits() const noexcept { return check_bits_; }
  [[nodiscard]] const Hasher& hasher() const noexcept { return hasher_; }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept {
    return first_.size_bytes() + second_.size_bytes();
  }

  // The rate for keys outside both sets: 2^-(r + 1), or 0 if no key is included.
  [[nodiscard]] double fpr() const noexcept;
  // Equal to fpr().
  [[nodiscard]] double estimated_fpr() const noexcept { return fpr(); }

  [[nodiscard]] Result<ExactFilter> clone() const noexcept;
  // Returns kCorrupt if the levels contradict each other or the counts.
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

  // For each key, the second level stores whether the key is included, XORed with this bit. So for
  // keys outside both sets, half of its answers are no, whatever the level stores.
  [[nodiscard]] bool flips(Hash hash) const noexcept { return (hasher_.mix(hash) & 1) != 0; }

  detail::Retrieval first_;   // the included keys
  detail::Retrieval second_;  // the included keys, and the excluded ones that pass the first level
  std::uint64_t count_ = 0;
  std::uint64_t excluded_ = 0;
  std::uint32_t check_bits_ = 0;
  Hasher hasher_;
};

static_assert(Filter<ExactFilter> && BuiltOfTwo<ExactFilter, std::uint64_t>);

}  // namespace tamis
