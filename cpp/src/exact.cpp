#include <tamis/filters/exact.hpp>

#include <algorithm>
#include <array>

#include <tamis/detail/options.hpp>
#include <tamis/detail/portability.hpp>
#include <tamis/sizing/exact.hpp>

namespace tamis {
namespace {

using detail::Retrieval;

// excluded u64, excluded keys at the second level u64, check bits u32, zero u32
constexpr std::uint32_t kRecordBytes = 24;
// The levels of the two retrievals are parts of one seed, each with a number of its own.
constexpr std::uint32_t kFirstPart = 0;
constexpr std::uint32_t kSecondPart = 16;
static_assert(kFirstPart + Retrieval::kMaxLevels <= kSecondPart);

constexpr Retrieval::Shape kSecondShape{1, 0};
constexpr Retrieval::Shape first_shape(std::uint32_t check_bits) noexcept {
  return {0, check_bits};
}

// The check bits of the first level; more than kMaxExactBits where the options cannot be.
std::uint32_t bits_of(const ExactFilter::Config& config, std::uint64_t included,
                      std::uint64_t excluded) noexcept {
  const bool is_valid = detail::is_hash_once(config.hasher) && config.fpr > 0 && config.fpr <= 1;
  return is_valid ? sizing::exact_bits(included, excluded, config.fpr) : sizing::kMaxExactBits + 1;
}

// Ascending, each once.
std::span<std::uint64_t> distinct(std::span<std::uint64_t> hashes) noexcept {
  detail::sort_by_hash(hashes);
  const auto end = std::unique(hashes.begin(), hashes.end());
  return hashes.first(static_cast<std::size_t>(end - hashes.begin()));
}

}  // namespace

// Loops over the lists are done by functions that are called for kChunk keys each, so that engines
// can go over to faster code between two calls.
class ExactFilter::Builder {
 public:
  Builder(ExactFilter& filter, std::span<std::uint64_t> include,
          std::span<std::uint64_t> exclude) noexcept
      : filter_(filter), include_(include), exclude_(exclude) {}

  Status run(std::uint64_t& conflicts) noexcept {
    const std::uint64_t seed = filter_.hasher_.seed();
    // Where nothing is included, all are denied without being stored.
    std::size_t passing = include_.empty() ? 0 : exclude_.size();
    if (filter_.check_bits_ != 0) {
      auto first = Retrieval::build(include_, first_shape(filter_.check_bits_), seed, kFirstPart);
      if (!first.ok()) return first.status();
      filter_.first_ = std::move(*first);
      passing = 0;
      for (std::size_t i = 0; i < exclude_.size(); i += kChunk) passing = to_front(i, passing);
    }
    if (const Status status = build_second(passing, seed, conflicts); status != Status::kOk)
      return status;
    return is_exact(include_, 1) && is_exact(exclude_, 0) ? Status::kOk : Status::kBuildFailed;
  }

 private:
  static constexpr std::size_t kChunk = 4096;

  static std::span<std::uint64_t> chunk(std::span<std::uint64_t> hashes, std::size_t at) noexcept {
    return hashes.subspan(at, std::min(kChunk, hashes.size() - at));
  }

  // Moves the excluded hashes of one chunk that pass the first level to the others that do; how
  // many there are by then.
  TAMIS_NOINLINE std::size_t to_front(std::size_t at, std::size_t passing) noexcept {
    const auto hashes = chunk(exclude_, at);
    std::array<std::uint8_t, kChunk> passes;
    filter_.first_.matches(hashes, passes.data());
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      if (passes[i] != 0) std::swap(hashes[i], exclude_[passing++]);
    }
    return passing;
  }

  TAMIS_NOINLINE void put(std::span<const std::uint64_t> hashes, bool is_included,
                          Retrieval::Entry* entries) const noexcept {
    for (const std::uint64_t hash : hashes)
      *entries++ = {hash, is_included != filter_.flips(Hash{hash})};
  }

  // Whoever is on both lists passes the first level, and is found to have two values here.
  Status build_second(std::size_t passing, std::uint64_t seed, std::uint64_t& conflicts) noexcept {
    auto entries =
        detail::Buffer<Retrieval::Entry>::zeroed(std::uint64_t{include_.size()} + passing);
    if (!entries.ok()) return entries.status();
    Retrieval::Entry* to = entries->data();
    const auto put_all = [&](std::span<std::uint64_t> hashes, bool is_included) {
      for (std::size_t i = 0; i < hashes.size(); i += kChunk)
        put(chunk(hashes, i), is_included, to + i);
      to += hashes.size();
    };
    put_all(include_, true);
    put_all(exclude_.first(passing), false);
    auto second = Retrieval::build(entries->span(), kSecondShape, seed, kSecondPart, conflicts);
    if (!second.ok()) return second.status();
    filter_.second_ = std::move(*second);
    return Status::kOk;
  }

  TAMIS_NOINLINE bool is_answered(std::span<const std::uint64_t> hashes,
                                  std::uint8_t answer) const noexcept {
    std::array<std::uint8_t, kChunk> answers;
    filter_.may_contain(hashes, answers.data());
    const auto end = answers.begin() + static_cast<std::ptrdiff_t>(hashes.size());
    return std::all_of(answers.begin(), end, [&](std::uint8_t given) { return given == answer; });
  }
  bool is_exact(std::span<std::uint64_t> hashes, std::uint8_t answer) const noexcept {
    for (std::size_t i = 0; i < hashes.size(); i += kChunk) {
      if (!is_answered(chunk(hashes, i), answer)) return false;
    }
    return true;
  }

  ExactFilter& filter_;
  std::span<std::uint64_t> include_;
  std::span<std::uint64_t> exclude_;
};

Result<ExactFilter> ExactFilter::build(const Config& config, std::span<std::uint64_t> include,
                                       std::span<std::uint64_t> exclude,
                                       std::uint64_t& conflicts) noexcept {
  conflicts = 0;
  include = distinct(include);
  exclude = distinct(exclude);
  const std::uint32_t bits = bits_of(config, include.size(), exclude.size());
  if (bits > sizing::kMaxExactBits) return Status::kInvalidOption;
  ExactFilter filter(include.size(), exclude.size(), bits, config.hasher);
  const Status status = Builder(filter, include, exclude).run(conflicts);
  if (status != Status::kOk) return status;
  return filter;
}

Result<std::uint64_t> ExactFilter::size_for(const Config& config) noexcept {
  const std::uint32_t bits = bits_of(config, config.capacity, config.excluded);
  if (bits > sizing::kMaxExactBits || !detail::is_capacity(config.capacity) || config.excluded > sizing::kMaxCount) {
    return Status::kInvalidOption;
  }
  const std::uint64_t second = config.capacity + sizing::exact_passing(config.excluded, bits);
  if (second > sizing::kMaxRibbonSlots) return Status::kTooLarge;
  return sizing::exact_bytes(config.capacity, config.excluded, bits);
}

Result<ExactFilter> ExactFilter::clone() const noexcept {
  ExactFilter copy(count_, excluded_, check_bits_, hasher_);
  auto first = first_.clone();
  if (!first.ok()) return first.status();
  auto second = second_.clone();
  if (!second.ok()) return second.status();
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
    if (const Status status = first_.validate(); status != Status::kOk) return status;
  }
  return second_.validate();
}

Header ExactFilter::header() const noexcept {
  const std::uint64_t first = check_bits_ == 0 ? 0 : first_.payload_bytes();
  return {kType,
          hasher_.id(),
          hasher_.seed(),
          hasher_.key_id(),
          count_,
          count_,
          kRecordBytes + first + second_.payload_bytes()};
}

void ExactFilter::write(ByteWriter& out) const noexcept {
  out.u64(excluded_);
  out.u64(second_.count() - count_);
  out.u32(check_bits_);
  out.u32(0);
  if (check_bits_ != 0) first_.write(out);
  second_.write(out);
}

Result<ExactFilter> ExactFilter::read(const Header& header, const Hasher& hasher,
                                      ByteReader& in) noexcept {
  const std::uint64_t excluded = in.u64();
  const std::uint64_t passing = in.u64();
  const std::uint32_t bits = in.u32();
  const std::uint32_t reserved = in.u32();
  if (reserved != 0 || header.capacity != header.count || bits > sizing::kMaxExactBits ||
      passing > excluded || excluded > sizing::kMaxCount) {
    return Status::kCorrupt;
  }
  ExactFilter filter(header.count, excluded, bits, hasher);
  if (bits != 0) {
    auto first = Retrieval::read(in, first_shape(bits), header.count, hasher.seed(), kFirstPart);
    if (!first.ok()) return first.status();
    filter.first_ = std::move(*first);
  }
  auto second =
      Retrieval::read(in, kSecondShape, header.count + passing, hasher.seed(), kSecondPart);
  if (!second.ok()) return second.status();
  filter.second_ = std::move(*second);
  if (const Status status = filter.validate(); status != Status::kOk) return status;
  return filter;
}

}  // namespace tamis
