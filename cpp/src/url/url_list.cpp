#include <tamis/url/url_list.hpp>

namespace tamis::url {
namespace {

constexpr std::uint32_t kRecordBytes = 80;  // four u32, then the rule

[[nodiscard]] Result<ListRule> read_rule(std::uint32_t size, ByteReader& in) noexcept {
  const auto bytes = in.take(ListRule::kMaxBytes);
  if (bytes.empty() || size > bytes.size()) return Status::kCorrupt;
  const auto padding = bytes.subspan(size);
  const auto is_zero = [](std::byte b) { return b == std::byte{0}; };
  if (!std::all_of(padding.begin(), padding.end(), is_zero)) return Status::kCorrupt;
  const auto rule = ListRule::of({reinterpret_cast<const char*>(bytes.data()), size});
  if (!rule.ok()) return Status::kCorrupt;
  return rule;
}

}  // namespace

Result<UrlList> UrlList::of(PrefixSet&& prefixes, std::string_view rule, Shapes shapes) noexcept {
  const auto checksum = prefixes.checksum();
  auto list = of(std::move(prefixes), rule, shapes, checksum);
  if (list.ok()) list->size_ = list->measured();
  return list;
}

Result<UrlList> UrlList::of(PrefixSet&& prefixes, std::string_view rule, Shapes shapes,
                            const detail::Sha256Digest& checksum) noexcept {
  TAMIS_TRY(valid_rule, ListRule::of(rule));
  if (!are_shapes(shapes, prefixes.size())) return Status::kInvalidOption;
  return UrlList(std::move(prefixes), *valid_rule, shapes, checksum, {});
}

RiceListSize UrlList::measured() const noexcept {
  if (size_.parameter != 0) return size_;
  RiceMeter meter(prefix_bytes());
  for (PrefixReader in(prefixes_); !in.is_at_end(); in.skip()) {
    (void)meter.add(in.entry());  // cannot fail, because the entries of a PrefixSet are in order
  }
  return RiceListSize::of(meter);
}

detail::Sha256Digest UrlList::identity() const noexcept {
  const std::array tail = {std::byte{0}, static_cast<std::byte>(prefix_bytes()),
                           static_cast<std::byte>(shapes_)};
  detail::Sha256 hash;
  hash.update(std::as_bytes(std::span(rule())));
  hash.update(tail);
  hash.update(checksum_);
  return hash.finish();
}

Result<UrlList> UrlList::clone() const noexcept {
  TAMIS_TRY(prefixes, prefixes_.clone());
  return UrlList(std::move(*prefixes), rule_, shapes_, checksum_, size_);
}

Status UrlList::validate() const noexcept {
  return prefixes_.checksum() == checksum_ ? Status::kOk : Status::kCorrupt;
}

Header UrlList::header() const noexcept {
  return {.type = kType,
          .hash = HashId::kSha256Prefix,
          .capacity = count(),
          .count = count(),
          .payload_bytes = kRecordBytes + measured().bytes};
}

void UrlList::write(ByteWriter& out) const noexcept {
  const RiceListSize size = measured();
  out.u32(prefix_bytes());
  out.u32(size.parameter);
  out.u32(static_cast<std::uint32_t>(rule().size()));
  out.u32(shapes_);
  const auto rule_to = out.take(ListRule::kMaxBytes);
  if (rule_to.empty()) return;
  std::fill(rule_to.begin(), rule_to.end(), std::byte{0});
  std::copy_n(std::as_bytes(std::span(rule())).data(), rule().size(), rule_to.data());
  const auto list_to = out.take(static_cast<std::size_t>(size.bytes));
  if (list_to.size() != size.bytes) return;
  std::fill(list_to.begin(), list_to.end(), std::byte{0});
  RiceListWriter list(list_to, size, prefix_bytes());
  for (PrefixReader in(prefixes_); !in.is_at_end(); in.skip()) list.add(in.entry());
}

Result<UrlList> UrlList::read(Container& from) noexcept {
  const std::uint32_t prefix_bytes = from.payload.u32(), parameter = from.payload.u32(),
                      rule_bytes = from.payload.u32();
  const Shapes shapes = from.payload.u32();
  TAMIS_TRY(rule, read_rule(rule_bytes, from.payload));
  if (!is_prefix_bytes(prefix_bytes) || !are_shapes(shapes, from.header.count) ||
      from.header.capacity != from.header.count) {
    return Status::kCorrupt;
  }
  TAMIS_TRY(list, RiceListReader::open(from.payload, from.header.count, prefix_bytes, parameter));
  TAMIS_TRY(builder, PrefixSet::Builder::create(from.header.count, prefix_bytes));
  std::array<std::byte, kHashBytes> entry;
  for (std::uint64_t i = 0; i < from.header.count; ++i) {
    if (!list->next(entry.data()) || !builder->push(entry.data())) return Status::kCorrupt;
  }
  TAMIS_TRY(size, list->finish(from.payload));
  PrefixSet prefixes = std::move(*builder).finish();
  const auto checksum = prefixes.checksum();
  return UrlList(std::move(prefixes), *rule, shapes, checksum, *size);
}

}  // namespace tamis::url
