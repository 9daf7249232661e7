#include <tamis/url/url_delta.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

#include <tamis/detail/endian.hpp>

namespace tamis::url {
namespace {

// result u32; bytes: prefix bytes, parameter of the removals, of the additions, shapes
constexpr std::uint32_t kRecordBytes = 8;
constexpr std::uint32_t kIndexBytes = 4;

// Returns kCorrupt if the integers are not strictly increasing.
[[nodiscard]] Result<RiceListSize> measure(std::span<const std::byte> values,
                                           std::uint32_t width) noexcept {
  RiceMeter meter(width);
  for (; !values.empty(); values = values.subspan(width)) {
    if (!meter.add(values.data())) return Status::kCorrupt;
  }
  return RiceListSize::of(meter);
}

// Allocates the buffer anew, or returns kOutOfMemory.
[[nodiscard]] Status resize(Bytes& buffer, std::uint64_t bytes) noexcept {
  TAMIS_TRY(memory, Bytes::zeroed(bytes));
  buffer = std::move(*memory);
  return Status::kOk;
}

[[nodiscard]] Status copy(const Bytes& from, Bytes& to) noexcept {
  TAMIS_NEED(resize(to, from.size()));
  std::copy_n(from.data(), from.size(), to.data());
  return Status::kOk;
}

void write_list(ByteWriter& out, std::span<const std::byte> values, std::uint32_t width,
                const RiceListSize& size) noexcept {
  const auto to = out.take(static_cast<std::size_t>(size.bytes));
  if (to.size() != size.bytes) return;
  std::fill(to.begin(), to.end(), std::byte{0});
  RiceListWriter list(to, size, width);
  for (; !values.empty(); values = values.subspan(width)) list.add(values.data());
}

// Reads `count` integers from `in` to `values`.
[[nodiscard]] Result<RiceListSize> read_values(ByteReader& in, std::uint64_t count,
                                               std::uint32_t width, std::uint32_t parameter,
                                               Bytes& values) noexcept {
  TAMIS_TRY(list, RiceListReader::open(in, count, width, parameter));
  TAMIS_NEED(resize(values, count * width));
  for (std::size_t at = 0; at < values.size(); at += width) {
    if (!list->next(values.data() + at)) return Status::kCorrupt;
  }
  return list->finish(in);
}

struct Counts {
  std::uint64_t removed = 0;
  std::uint64_t added = 0;
};

// Reads both lists side by side, and counts the entries that are only in `old` and those that are
// only in `next`. If `delta` is not null, writes these entries to it; it must have enough room.
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

[[nodiscard]] Status find_changes(const PrefixSet& old, const PrefixSet& next,
                                  ListDelta& delta) noexcept {
  if (next.prefix_bytes() != old.prefix_bytes()) return Status::kIncompatible;
  const Counts counts = compare(old, next, nullptr);
  TAMIS_NEED(resize(delta.removals, counts.removed * kIndexBytes));
  TAMIS_NEED(resize(delta.additions, counts.added * old.prefix_bytes()));
  compare(old, next, &delta);
  return Status::kOk;
}

}  // namespace

Result<PrefixSet> apply_delta(const PrefixSet& old, std::span<const std::byte> removals,
                              std::span<const std::byte> additions) noexcept {
  const std::uint32_t bytes = old.prefix_bytes();
  if (removals.size() % kIndexBytes != 0 || additions.size() % bytes != 0) return Status::kCorrupt;
  const std::uint64_t removed = removals.size() / kIndexBytes;
  if (removed > old.size()) return Status::kCorrupt;
  TAMIS_TRY(builder,
            PrefixSet::Builder::create(old.size() - removed + additions.size() / bytes, bytes));

  // An index that is not in the list, or not above the one before, is never reached. Then more
  // entries remain than the builder accepts.
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
  ListDelta delta;
  TAMIS_NEED(find_changes(old, next, delta));
  return delta;
}

Result<UrlDelta> UrlDelta::clone() const noexcept {
  UrlDelta same(base_, result_, prefix_bytes_, shapes_);
  TAMIS_NEED(copy(lists_.removals, same.lists_.removals));
  TAMIS_NEED(copy(lists_.additions, same.lists_.additions));
  same.removals_size_ = removals_size_;
  same.additions_size_ = additions_size_;
  return same;
}

Status UrlDelta::validate() const noexcept {
  TAMIS_NEED(measure(lists_.removals.span(), kIndexBytes).status());
  return measure(lists_.additions.span(), prefix_bytes_).status();
}

Header UrlDelta::header() const noexcept {
  return {.type = kType,
          .hash = HashId::kSha256Prefix,
          .seed = base_,
          .capacity = removals(),
          .count = additions(),
          .payload_bytes = kRecordBytes + removals_size_.bytes + additions_size_.bytes};
}

void UrlDelta::write(ByteWriter& out) const noexcept {
  out.u32(result_);
  out.u32(prefix_bytes_ | removals_size_.parameter << 8 | additions_size_.parameter << 16 |
          shapes_ << 24);
  write_list(out, lists_.removals.span(), kIndexBytes, removals_size_);
  write_list(out, lists_.additions.span(), prefix_bytes_, additions_size_);
}

Result<UrlDelta> UrlDelta::read(Container& from) noexcept {
  const std::uint32_t result = from.payload.u32(), fields = from.payload.u32();
  const std::uint32_t prefix_bytes = fields & 0xff;
  const Shapes shapes = fields >> 24;
  if (!is_prefix_bytes(prefix_bytes) || !are_shapes(shapes, from.header.count))
    return Status::kCorrupt;
  UrlDelta delta(from.header.seed, result, prefix_bytes, shapes);
  TAMIS_TRY(removals, read_values(from.payload, from.header.capacity, kIndexBytes,
                                  fields >> 8 & 0xff, delta.lists_.removals));
  TAMIS_TRY(additions, read_values(from.payload, from.header.count, prefix_bytes,
                                   fields >> 16 & 0xff, delta.lists_.additions));
  delta.removals_size_ = *removals;
  delta.additions_size_ = *additions;
  return delta;
}

Result<UrlDelta> diff(const UrlList& older, const UrlList& newer) noexcept {
  if (older.rule() != newer.rule()) return Status::kIncompatible;
  UrlDelta delta(detail::load_le64(older.identity().data()),
                 detail::load_le32(newer.identity().data()), older.prefix_bytes(), newer.shapes());
  TAMIS_NEED(find_changes(older.prefixes(), newer.prefixes(), delta.lists_));
  const auto removals = measure(delta.lists_.removals.span(), kIndexBytes);
  const auto additions = measure(delta.lists_.additions.span(), older.prefix_bytes());
  if (!removals.ok() || !additions.ok()) return Status::kInternal;
  delta.removals_size_ = *removals;
  delta.additions_size_ = *additions;
  return delta;
}

Result<UrlList> apply(const UrlList& list, const UrlDelta& delta) noexcept {
  if (delta.prefix_bytes() != list.prefix_bytes() ||
      delta.base() != detail::load_le64(list.identity().data())) {
    return Status::kIncompatible;
  }
  TAMIS_TRY(prefixes, apply_delta(list.prefixes(), delta.lists_.removals.span(),
                                  delta.lists_.additions.span()));
  // Entries that were not removed have shapes too, so the delta's shapes must not be empty.
  if (!are_shapes(delta.shapes(), prefixes->size())) return Status::kCorrupt;
  const auto checksum = prefixes->checksum();
  auto result = UrlList::of(std::move(*prefixes), list.rule(), delta.shapes(), checksum);
  if (result.ok() && detail::load_le32(result->identity().data()) != delta.result()) {
    return Status::kCorrupt;
  }
  return result;
}

}  // namespace tamis::url
