#include "vectors/vectors.hpp"

namespace tamis::vectors {
namespace {

RibbonFilter ribbon(const Strings& keys, std::uint32_t bits = 0, const Hasher& hasher = Hasher(),
                    double fpr = 0.01) {
  std::vector<std::uint64_t> hashes;
  for (const auto& key : keys) hashes.push_back(static_cast<std::uint64_t>(hasher(key_of(key))));
  RibbonFilter::Config config;
  config.fpr = fpr;
  config.fingerprint_bits = bits;
  config.hasher = hasher;
  auto filter = RibbonFilter::build(config, hashes);
  if (!filter.ok()) fail("cannot build a ribbon filter");
  return std::move(*filter);
}

}  // namespace

template <>
void vectors<RibbonFilter>(Writer& writer) {
  const Strings strangers = numbered("stranger-", 64);
  const auto valid = [&](const std::string& name, const RibbonFilter& filter, const Strings& keys,
                         std::optional<SipKey> key = {}) {
    const auto has = [&](const std::string& k) { return filter.may_contain(key_of(k)); };
    writer.valid("ribbon-" + name, filter, keys, strangers, has, key);
  };
  const Strings three{"alice", "bob", "carol"};
  valid("three-keys", ribbon(three), three);
  valid("empty", ribbon({}), {});
  valid("one-key", ribbon({"x"}, 1), {"x"});
  valid("varied", ribbon(varied()), varied());
  valid("seeded", ribbon(varied(), 0, Hasher(HashId::kXxh3, 0x0123456789abcdef)), varied());
  valid("keyed", ribbon(varied(), 0, Hasher(sip_key(0), 7)), varied(), sip_key(0));
  for (const std::uint32_t bits : {1u, 8u, 9u, 16u, 23u, 32u}) {
    valid(std::to_string(bits) + "-bits", ribbon(varied(), bits), varied());
  }
  // The last list whose slots all begin a row, the first of two starts, one and two whole blocks of
  // bit planes.
  for (const int count : {63, 64, 65, 128}) {
    valid(std::to_string(count) + "-keys", ribbon(numbered("key-", count), 5),
          numbered("key-", count));
  }
  // The longest list with one level, and some with two.
  const Strings many = numbered("key-", 4500);
  const Strings longest(many.begin(), many.begin() + 4095),
      bumping(many.begin(), many.begin() + 4096);
  const Strings some(many.begin() + 4000, many.begin() + 4095);
  valid("one-level", ribbon(longest, 3), some);
  valid("two-levels", ribbon(bumping, 3), some);
  const RibbonFilter wide = ribbon(many, 12), levels = ribbon(many, 2);
  valid("two-levels-12-bits", wide, some);

  const RibbonFilter none = ribbon({}), small = ribbon(numbered("key-", 70), 7);
  const auto damaged = [&](const std::string& name, const RibbonFilter& filter,
                           const std::function<void(Bytes&)>& damage) {
    writer.damaged("ribbon-bad-" + name, filter, Status::kCorrupt, damage);
  };
  const auto set8 = [](std::size_t at, unsigned value) {
    return [=](Bytes& b) { b[at] = static_cast<std::byte>(value); };
  };
  damaged("capacity", small, [](Bytes& b) { set64(b, 32, 69); });
  damaged("count", small, [](Bytes& b) { set64(b, 32, 71), set64(b, 40, 71); });
  damaged("count-0", small, [](Bytes& b) { set64(b, 32, 0), set64(b, 40, 0); });
  damaged("count-low", small, [](Bytes& b) { set64(b, 32, 2), set64(b, 40, 2); });
  damaged("hash", small, set8(11, 3));
  damaged("record-cut", small, [](Bytes& b) { b.resize(68), set64(b, 48, 4); });
  damaged("second-record-cut", levels, [](Bytes& b) { b.resize(72), set64(b, 48, 8); });
  damaged("no-record", small, [](Bytes& b) { b.resize(64), set64(b, 48, 0); });
  damaged("data-cut", small, [](Bytes& b) { b.resize(b.size() - 1), set64(b, 48, b.size() - 64); });
  damaged("data-long", small,
          [](Bytes& b) { b.resize(b.size() + 1), set64(b, 48, b.size() - 64); });
  damaged("slots-0", small, [](Bytes& b) { set32(b, 64, 0); });
  damaged("slots-few", small, [](Bytes& b) { set32(b, 64, 69); });
  damaged("slots-huge", small, [](Bytes& b) { set32(b, 64, 0xffffffff); });
  damaged("width-0", small, set8(70, 0));
  damaged("width-33", small, set8(70, 33));
  damaged("width", small, set8(70, 8));
  damaged("levels", small, set8(71, 1));
  damaged("levels-9", small, set8(71, 8));
  damaged("padding", small, [](Bytes& b) { b.back() |= std::byte{0x80}; });
  damaged("levels-few", levels, set8(71, 0));
  damaged("bumping-slots", levels, [](Bytes& b) { set32(b, 64, 4218); });
  damaged("levels-order", levels, set8(79, 1));
  damaged("second-width", levels, set8(78, 3));
  damaged("second-slots-0", levels, [](Bytes& b) { set32(b, 72, 0); });
  damaged("second-slots", levels, [](Bytes& b) { set32(b, 72, 4219); });
  damaged("thresholds", levels, [](Bytes& b) { b[88] |= std::byte{0x80}; });
  damaged("empty-slots", none, [](Bytes& b) { set32(b, 64, 1); });
  damaged("empty-attempt", none, set8(68, 1));
  damaged("empty-count", none, [](Bytes& b) { set64(b, 32, 1), set64(b, 40, 1); });

  const RibbonFilter keyed = ribbon(three, 0, Hasher(sip_key(0)));
  const auto as_is = [](Bytes&) {};
  writer.damaged("ribbon-bad-no-key", keyed, Status::kKeyRequired, as_is);
  writer.damaged("ribbon-bad-other-key", keyed, Status::kWrongKey, as_is, false, sip_key(1));
}

}  // namespace tamis::vectors
