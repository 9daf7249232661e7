#include <tamis/filters/exact.hpp>

#include <algorithm>
#include <array>

#include <tamis/detail/batch.hpp>
#include <tamis/detail/chunks.hpp>
#include <tamis/detail/options.hpp>

namespace tamis {

bool ExactFilter::may_contain(Hash hash) const noexcept {
  if (check_bits_ != 0 && !first_.matches(hash)) return false;
  std::uint32_t value;
  return second_.find(hash, value) && (value != 0) != flips(hash);
}

void ExactFilter::may_contain(std::span<const Hash> hashes, std::uint8_t* answers) const noexcept {
  if (check_bits_ == 0) {
    std::fill_n(answers, hashes.size(), std::uint8_t{1});
  } else {
    first_.matches(hashes, answers);
  }
  const auto find_absent = [this](std::span<const Hash> passed, std::uint8_t* found) {
    std::array<std::uint32_t, detail::kBatchKeys> values;
    second_.find(passed, found, values.data());
    for (std::size_t i = 0; i < passed.size(); ++i) {
      found[i] = found[i] != 0 && (values[i] != 0) != flips(passed[i]) ? 0 : 1;
    }
  };
  detail::turn_answers(hashes, answers, 1, find_absent);
}

namespace {

using detail::Retrieval;

// excluded u64, excluded keys at the second level u64, check bits u32, zero u32
constexpr std::uint32_t kRecordBytes = 24;
// Both retrievals derive the seeds of their levels from the same seed, so they need different part
// numbers.
constexpr std::uint32_t kFirstPart = 0;
constexpr std::uint32_t kSecondPart = 16;
static_assert(kFirstPart + Retrieval::kMaxLevels <= kSecondPart);

constexpr Retrieval::Shape kSecondShape{1, 0};
constexpr Retrieval::Shape first_shape(std::uint32_t check_bits) noexcept {
  return {0, check_bits};
}

// The check bits of the first level, or more than kMaxExactBits if the options are impossible.
std::uint32_t bits_of(const ExactFilter::Config& config, std::uint64_t included,
                      std::uint64_t excluded) noexcept {
  const bool is_valid = detail::can_hash_once(config.hasher) && config.fpr > 0 && config.fpr <= 1;
  return is_valid ? sizing::exact_bits(included, excluded, config.fpr) : sizing::kMaxExactBits + 1;
}

// Sorts the hashes in ascending order, and moves the distinct ones to the front.
std::span<std::uint64_t> keep_distinct(std::span<std::uint64_t> hashes) noexcept {
  const detail::HashRecords records(hashes);
  detail::sort_by_hash(records);
  std::uint64_t conflicts;
  return hashes.first(detail::drop_repeats(records, conflicts));
}

}  // namespace

class ExactFilter::Builder {
 public:
  Builder(ExactFilter& filter, std::span<std::uint64_t> include,
          std::span<std::uint64_t> exclude) noexcept
      : filter_(filter), include_(include), exclude_(exclude) {}

  Status run(std::uint64_t& conflicts) noexcept {
    const std::uint64_t seed = filter_.hasher_.seed();
    // If there are no included keys, nothing is stored and every key is denied.
    std::size_t passing = include_.empty() ? 0 : exclude_.size();
    if (filter_.check_bits_ != 0) {
      TAMIS_TRY(first,
                Retrieval::build(detail::HashRecords(include_), first_shape(filter_.check_bits_),
                                 seed, kFirstPart, conflicts));
      filter_.first_ = std::move(*first);
      passing = 0;
      // Moves the keys that pass the first level to the front.
      detail::in_chunks(exclude_.size(), [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
          if (filter_.first_.matches(Hash{exclude_[i]}))
            std::swap(exclude_[i], exclude_[passing++]);
        }
      });
    }
    TAMIS_NEED(build_second(passing, seed, conflicts));
    return is_exact(include_, true) && is_exact(exclude_, false) ? Status::kOk
                                                                 : Status::kBuildFailed;
  }

 private:
  // A key in both lists passes the first level, and is found here because it has two values.
  Status build_second(std::size_t passing, std::uint64_t seed, std::uint64_t& conflicts) noexcept {
    TAMIS_TRY(words, detail::Buffer<std::uint64_t>::zeroed(
                         (std::uint64_t{include_.size()} + passing) * 2));
    const auto records = detail::HashRecords::with_values(words->span());
    const auto put_all = [&](std::span<std::uint64_t> hashes, bool is_included, std::size_t at) {
      detail::in_chunks(hashes.size(), [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i)
          records.put(at + i, hashes[i], is_included != filter_.flips(Hash{hashes[i]}) ? 1 : 0);
      });
    };
    put_all(include_, true, 0);
    put_all(exclude_.first(passing), false, include_.size());
    TAMIS_TRY(second, Retrieval::build(records, kSecondShape, seed, kSecondPart, conflicts));
    filter_.second_ = std::move(*second);
    return Status::kOk;
  }

  bool is_exact(std::span<std::uint64_t> hashes, bool answer) const noexcept {
    bool is_exact = true;
    detail::in_chunks(hashes.size(), [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i)
        is_exact &= filter_.may_contain(Hash{hashes[i]}) == answer;
    });
    return is_exact;
  }

  ExactFilter& filter_;
  std::span<std::uint64_t> include_;
  std::span<std::uint64_t> exclude_;
};

Result<ExactFilter> ExactFilter::build(const Config& config, std::span<std::uint64_t> include,
                                       std::span<std::uint64_t> exclude,
                                       std::uint64_t& conflicts) noexcept {
  conflicts = 0;
  include = keep_distinct(include);
  exclude = keep_distinct(exclude);
  const std::uint32_t bits = bits_of(config, include.size(), exclude.size());
  if (bits > sizing::kMaxExactBits) return Status::kInvalidOption;
  ExactFilter filter(include.size(), exclude.size(), bits, config.hasher);
  TAMIS_NEED(Builder(filter, include, exclude).run(conflicts));
  return filter;
}

Result<std::uint64_t> ExactFilter::size_for(const Config& config) noexcept {
  const std::uint32_t bits = bits_of(config, config.capacity, config.excluded);
  if (bits > sizing::kMaxExactBits || !detail::is_capacity(config.capacity) ||
      config.excluded > sizing::kMaxCount) {
    return Status::kInvalidOption;
  }
  const std::uint64_t second = config.capacity + sizing::exact_passing(config.excluded, bits);
  if (!sizing::ribbon_fits(config.capacity, bits + 1) || !sizing::ribbon_fits(second, 1))
    return Status::kTooLarge;
  return sizing::exact_bytes(config.capacity, config.excluded, bits);
}

double ExactFilter::fpr() const noexcept {
  return count_ == 0 ? 0 : sizing::exact_fpr(check_bits_);
}

Result<ExactFilter> ExactFilter::clone() const noexcept {
  ExactFilter copy(count_, excluded_, check_bits_, hasher_);
  TAMIS_TRY(first, first_.clone());
  TAMIS_TRY(second, second_.clone());
  copy.first_ = std::move(*first);
  copy.second_ = std::move(*second);
  return copy;
}

Status ExactFilter::validate() const noexcept {
  const std::uint64_t stored = second_.count();
  if (stored < count_ || check_bits_ > sizing::kMaxExactBits || excluded_ > sizing::kMaxCount) {
    return Status::kCorrupt;
  }
  const std::uint64_t passing = stored - count_;
  const bool is_empty = stored == 0 && check_bits_ == 0;
  const bool is_passing = check_bits_ == 0 ? passing == excluded_ : passing <= excluded_;
  if (count_ == 0 ? !is_empty : !is_passing) return Status::kCorrupt;
  if (check_bits_ != 0) {
    TAMIS_NEED(first_.validate());
  }
  return second_.validate();
}

Header ExactFilter::header() const noexcept {
  const std::uint64_t first = check_bits_ == 0 ? 0 : first_.payload_bytes();
  return Header::of(kType, hasher_, count_, count_, kRecordBytes + first + second_.payload_bytes());
}

void ExactFilter::write(ByteWriter& out) const noexcept {
  out.u64(excluded_);
  out.u64(second_.count() - count_);
  out.u32(check_bits_);
  out.u32(0);
  if (check_bits_ != 0) first_.write(out);
  second_.write(out);
}

Result<ExactFilter> ExactFilter::read(Container& from) noexcept {
  const std::uint64_t excluded = from.payload.u64();
  const std::uint64_t passing = from.payload.u64();
  const std::uint32_t bits = from.payload.u32();
  if (from.payload.u32() != 0 || from.header.capacity != from.header.count ||
      bits > sizing::kMaxExactBits || passing > excluded || excluded > sizing::kMaxCount) {
    return Status::kCorrupt;
  }
  ExactFilter filter(from.header.count, excluded, bits, from.hasher);
  if (bits != 0) {
    TAMIS_TRY(first, Retrieval::read(from.payload, first_shape(bits), from.header.count,
                                     from.hasher.seed(), kFirstPart));
    filter.first_ = std::move(*first);
  }
  TAMIS_TRY(second, Retrieval::read(from.payload, kSecondShape, from.header.count + passing,
                                    from.hasher.seed(), kSecondPart));
  filter.second_ = std::move(*second);
  return keep_valid(std::move(filter));
}

}  // namespace tamis
