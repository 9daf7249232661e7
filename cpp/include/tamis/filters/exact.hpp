// tamis/filters/exact.hpp - exact filter: tells two known sets of keys apart without an error.
//
// Choose it where every key that will be looked up is known when the filter is built. Such are the
// revoked certificates among all that were issued, or hosts to block among hosts that must never be
// blocked. A key outside both sets is answered as by a small filter: RibbonFilter is for those.
//
//   memory     about log2(N / R) + 1.98 bits for each of R included keys against N excluded ones.
//              log2(N / R) + 1.44 is the least possible; a Bloom cascade takes 60 % more
//   build      sorts both lists, and looks each excluded key up in the first level: about 100 ns a
//              key. While it runs, some keys take 25 bytes more: 16 for hash and value, 9 for an
//              equation. These are the included keys, and the excluded ones that pass the first
//              level
//   query      64 neighbouring slots of the first level; for the few that pass, 64 of the second
//   never      reports an included key as absent, or an excluded one as present
//   undefined  nothing; a key in both sets is kConflict, and so is a hash that keys of both have
//   threads    const members may run concurrently
//   wire       type id 12, FORMAT.md "exact"
//
// Two levels as Schanck's Clubcard, IEEE S&P 2025, both by the bumped ribbon retrieval of
// Dillinger, Huebschle-Schneider, Sanders and Walzer, SEA 2022.
#pragma once

#include <tamis/concepts.hpp>
#include <tamis/detail/retrieval.hpp>
#include <tamis/sizing/exact.hpp>

namespace tamis {

class ExactFilter {
 public:
  static constexpr FilterType kType = FilterType::kExactFilter;

  struct Config {
    std::uint64_t capacity = 0;  // included keys, and
    std::uint64_t excluded = 0;  // excluded ones, for size_for() alone
    double fpr = 1;  // the most outside both sets, 2^-33 or more; 1: what makes it smallest
    Hasher hasher{};

    auto fields() noexcept { return std::tie(capacity, excluded, fpr); }
  };

  // Repeats in either list are one key. Both lists are put into another order. kConflict where
  // hashes are in both, and `conflicts` is how many distinct ones; 0 for all other results.
  // kInvalidOption also for a rate that needs more than 32 bits, kBuildFailed, kTooLarge,
  // kOutOfMemory.
  [[nodiscard]] static Result<ExactFilter> build(const Config& config,
                                                 std::span<std::uint64_t> include,
                                                 std::span<std::uint64_t> exclude,
                                                 std::uint64_t& conflicts) noexcept;
  // The bytes to expect. kInvalidOption, kTooLarge.
  [[nodiscard]] static Result<std::uint64_t> size_for(const Config& config) noexcept;

  [[nodiscard]] bool may_contain(Key key) const noexcept { return may_contain(hasher_(key)); }
  [[nodiscard]] bool may_contain(std::string_view key) const noexcept {
    return may_contain(as_key(key));
  }
  [[nodiscard]] bool may_contain(Hash hash) const noexcept;
  void may_contain(std::span<const std::uint64_t> hashes, std::uint8_t* answers) const noexcept;

  // Distinct included keys.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint64_t capacity() const noexcept { return count_; }
  // Distinct excluded keys.
  [[nodiscard]] std::uint64_t excluded() const noexcept { return excluded_; }
  // r, the check bits of the first level; there is none where it is 0.
  [[nodiscard]] std::uint32_t check_bits() const noexcept { return check_bits_; }
  [[nodiscard]] const Hasher& hasher() const noexcept { return hasher_; }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept {
    return first_.size_bytes() + second_.size_bytes();
  }

  // How many of the keys outside both sets are reported: 2^-(r + 1), and none where no key is
  // included.
  [[nodiscard]] double fpr() const noexcept {
    return count_ == 0 ? 0 : sizing::exact_fpr(check_bits_);
  }
  // The same.
  [[nodiscard]] double estimated_fpr() const noexcept { return fpr(); }

  [[nodiscard]] Result<ExactFilter> clone() const noexcept;
  // kCorrupt where the levels do not fit one another or the counts.
  [[nodiscard]] Status validate() const noexcept;

  [[nodiscard]] Header header() const noexcept;
  void write(ByteWriter& out) const noexcept;
  [[nodiscard]] static Result<ExactFilter> read(Container& from) noexcept;

 private:
  class Builder;

  ExactFilter(std::uint64_t count, std::uint64_t excluded, std::uint32_t check_bits,
              const Hasher& hasher) noexcept
      : count_(count), excluded_(excluded), check_bits_(check_bits), hasher_(hasher) {}

  // What the second level stores for a key is whether it is included, XOR this. So every second key
  // outside both sets is denied there, however few keys there are and whatever the solution is.
  [[nodiscard]] bool flips(Hash hash) const noexcept { return (hasher_.mix(hash) & 1) != 0; }

  detail::Retrieval first_;   // the included keys
  detail::Retrieval second_;  // those, and the excluded ones that the first level takes for them
  std::uint64_t count_ = 0;
  std::uint64_t excluded_ = 0;
  std::uint32_t check_bits_ = 0;
  Hasher hasher_;
};

static_assert(Filter<ExactFilter> && BuiltOfTwo<ExactFilter, std::uint64_t>);

}  // namespace tamis
