#include <tamis/url/list_delta.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include <tamis/detail/endian.hpp>
#include <tamis/url/prefix_reader.hpp>

namespace tamis::url {
namespace {

constexpr std::size_t kIndexBytes = 4;

struct Counts {
  std::uint64_t removed = 0;
  std::uint64_t added = 0;
};

// Walks through both lists side by side, and counts the entries that are in `old` alone and in
// `next` alone. Where there is a delta with room for so many, it gets them.
Counts compare(const PrefixSet& old, const PrefixSet& next, ListDelta* delta) noexcept {
  const std::size_t bytes = old.prefix_bytes();
  Counts counts;
  PrefixReader from(old), to(next);
  for (std::uint32_t index = 0; !from.is_at_end() || !to.is_at_end();) {
    int order = from.is_at_end() ? 1 : -1;
    if (!from.is_at_end() && !to.is_at_end()) {
      order = std::memcmp(from.entry(), to.entry(), bytes);
    }
    if (order < 0) {
      if (delta != nullptr) {
        detail::store<std::endian::big>(
            delta->removals.data() + static_cast<std::size_t>(counts.removed) * kIndexBytes, index);
      }
      ++counts.removed;
    }
    if (order > 0) {
      if (delta != nullptr) {
        std::copy_n(to.entry(), bytes,
                    delta->additions.data() + static_cast<std::size_t>(counts.added) * bytes);
      }
      ++counts.added;
    }
    if (order <= 0) {
      from.skip();
      ++index;
    }
    if (order >= 0) to.skip();
  }
  return counts;
}

}  // namespace

Result<PrefixSet> apply_delta(const PrefixSet& old, std::span<const std::byte> removals,
                              std::span<const std::byte> additions) noexcept {
  const std::uint32_t bytes = old.prefix_bytes();
  if (removals.size() % kIndexBytes != 0 || additions.size() % bytes != 0) return Status::kCorrupt;
  const std::uint64_t removed = removals.size() / kIndexBytes;
  if (removed > old.size()) return Status::kCorrupt;
  auto builder = PrefixSet::Builder::create(old.size() - removed + additions.size() / bytes, bytes);
  if (!builder.ok()) return builder.status();

  // An index that is not in the list, or not above the one before, is never met: an entry more is
  // left than the builder takes.
  std::uint32_t index = 0;
  for (PrefixReader in(old); !in.is_at_end(); in.skip(), ++index) {
    for (; !additions.empty(); additions = additions.subspan(bytes)) {
      const int order = std::memcmp(additions.data(), in.entry(), bytes);
      if (order == 0) return Status::kCorrupt;
      if (order > 0) break;
      if (!builder->push(additions.data())) return Status::kCorrupt;
    }
    if (!removals.empty() &&
        detail::load<std::endian::big, std::uint32_t>(removals.data()) == index) {
      removals = removals.subspan(kIndexBytes);
    } else if (!builder->push(in.entry())) {
      return Status::kCorrupt;
    }
  }
  for (; !additions.empty(); additions = additions.subspan(bytes)) {
    if (!builder->push(additions.data())) return Status::kCorrupt;
  }
  return std::move(*builder).finish();
}

Result<ListDelta> diff(const PrefixSet& old, const PrefixSet& next) noexcept {
  if (next.prefix_bytes() != old.prefix_bytes()) return Status::kIncompatible;
  const Counts counts = compare(old, next, nullptr);
  auto removals = detail::Buffer<std::byte>::zeroed(counts.removed * kIndexBytes);
  if (!removals.ok()) return removals.status();
  auto additions = detail::Buffer<std::byte>::zeroed(counts.added * old.prefix_bytes());
  if (!additions.ok()) return additions.status();
  ListDelta delta{std::move(*removals), std::move(*additions)};
  compare(old, next, &delta);
  return delta;
}

}  // namespace tamis::url
