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

// Walks through both lists side by side: the indices that are in `old` alone to removed(index),
// the entries that are in `next` alone to added(entry).
template <class Removed, class Added>
void compare(const PrefixSet& old, const PrefixSet& next, Removed removed, Added added) noexcept {
  PrefixReader from(old), to(next);
  for (std::uint32_t index = 0; !from.is_at_end() || !to.is_at_end();) {
    int order = from.is_at_end() ? 1 : -1;
    if (!from.is_at_end() && !to.is_at_end()) {
      order = std::memcmp(from.entry(), to.entry(), old.prefix_bytes());
    }
    if (order < 0) removed(index);
    if (order > 0) added(to.entry());
    if (order <= 0) {
      from.skip();
      ++index;
    }
    if (order >= 0) to.skip();
  }
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

  // An index that is not above the one before is never met, and left over.
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
  if (!removals.empty()) return Status::kCorrupt;
  for (; !additions.empty(); additions = additions.subspan(bytes)) {
    if (!builder->push(additions.data())) return Status::kCorrupt;
  }
  return std::move(*builder).finish();
}

Result<ListDelta> diff(const PrefixSet& old, const PrefixSet& next) noexcept {
  const std::size_t bytes = old.prefix_bytes();
  if (next.prefix_bytes() != bytes) return Status::kIncompatible;
  std::uint64_t removed = 0, added = 0;
  compare(
      old, next, [&](std::uint32_t) { ++removed; }, [&](const std::byte*) { ++added; });

  auto removals = detail::Buffer<std::byte>::zeroed(removed * kIndexBytes);
  if (!removals.ok()) return removals.status();
  auto additions = detail::Buffer<std::byte>::zeroed(added * bytes);
  if (!additions.ok()) return additions.status();
  std::byte* index_to = removals->data();
  std::byte* entry_to = additions->data();
  compare(
      old, next,
      [&](std::uint32_t index) {
        detail::store<std::endian::big>(index_to, index);
        index_to += kIndexBytes;
      },
      [&](const std::byte* entry) { entry_to = std::copy_n(entry, bytes, entry_to); });
  return ListDelta{std::move(*removals), std::move(*additions)};
}

}  // namespace tamis::url
