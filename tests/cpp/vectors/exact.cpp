#include <algorithm>
#include <cstdint>

#include "vectors/vectors.hpp"

namespace tamis::vectors {
namespace {

std::vector<std::uint64_t> hashes_of(const Strings& keys, const Hasher& hasher) {
  std::vector<std::uint64_t> hashes;
  for (const auto& key : keys) hashes.push_back(static_cast<std::uint64_t>(hasher(key_of(key))));
  return hashes;
}

// The manifest need not name thousands.
Strings some(const Strings& keys) {
  return {keys.begin(), keys.begin() + std::min<std::ptrdiff_t>(std::ssize(keys), 40)};
}

ExactFilter exact(const Strings& include, const Strings& exclude, const Hasher& hasher = Hasher()) {
  auto in = hashes_of(include, hasher), out = hashes_of(exclude, hasher);
  std::uint64_t conflicts = 0;
  auto filter = ExactFilter::build({.hasher = hasher}, in, out, conflicts);
  if (!filter.ok()) fail("cannot build an exact filter");
  return std::move(*filter);
}

}  // namespace

template <>
void vectors<ExactFilter>(Writer& writer) {
  const Strings strangers = numbered("stranger-", 20), many = numbered("out-", 300);
  const auto valid = [&](const std::string& name, const Strings& include, const Strings& exclude,
                         const Hasher& hasher = Hasher(), std::optional<SipKey> key = {}) {
    const ExactFilter filter = exact(include, exclude, hasher);
    const auto has = [&](const std::string& k) { return filter.may_contain(key_of(k)); };
    if (!std::all_of(include.begin(), include.end(), has)) fail(name + ": a key is missing");
    if (std::any_of(exclude.begin(), exclude.end(), has)) fail(name + ": an excluded key is in");
    Strings others = some(exclude);
    others.insert(others.end(), strangers.begin(), strangers.end());
    writer.valid("exact-" + name, filter, some(include), others, has, key);
  };
  const Strings three{"alice", "bob", "carol"};
  valid("three-keys", three, many);
  valid("empty", {}, {});
  valid("nothing-included", {}, many);
  valid("nothing-excluded", three, {});
  valid("no-first-level", numbered("in-", 100), numbered("out-", 150));
  valid("one-key", {"x"}, many);
  valid("varied", varied(), many);
  valid("seeded", varied(), many, Hasher(HashId::kXxh3, 0x0123456789abcdef));
  valid("keyed", varied(), many, Hasher(sip_key(0), 7), sip_key(0));
  valid("many", numbered("in-", 500), numbered("out-", 6'000));
  valid("bumped", numbered("in-", 6'000), numbered("out-", 9'000));

  // 3 against 300: r = 6. The record stands at 64, that of the first level at 88, its data at 96.
  const ExactFilter small = exact(three, many);
  if (small.check_bits() != 6 || small.excluded() != 300) fail("exact: not the expected geometry");
  const auto damaged = [&](const std::string& name, const std::function<void(Bytes&)>& damage) {
    writer.damaged("exact-bad-" + name, small, Status::kCorrupt, damage);
  };
  damaged("hash", [](Bytes& b) { b[11] = std::byte{3}; });
  damaged("capacity", [](Bytes& b) { set64(b, 32, 4); });
  damaged("count", [](Bytes& b) { set64(b, 40, 4); });
  damaged("count-of-first", [](Bytes& b) { set64(b, 32, 40), set64(b, 40, 40); });
  damaged("count-0", [](Bytes& b) { set64(b, 32, 0), set64(b, 40, 0); });
  damaged("record-cut", [](Bytes& b) { b.resize(84), set64(b, 48, 20); });
  damaged("record-alone", [](Bytes& b) { b.resize(88), set64(b, 48, 24); });
  damaged("excluded-none", [](Bytes& b) { set64(b, 64, 0); });
  damaged("excluded-most", [](Bytes& b) { set64(b, 64, std::uint64_t{1} << 53); });
  damaged("passing-more", [](Bytes& b) { set64(b, 72, 301); });
  damaged("passing-others", [](Bytes& b) { set64(b, 72, 150); });
  damaged("check-bits-0", [](Bytes& b) { set32(b, 80, 0); });
  damaged("check-bits-less", [](Bytes& b) { set32(b, 80, 5); });
  damaged("check-bits-33", [](Bytes& b) { set32(b, 80, 33); });
  damaged("record-zero", [](Bytes& b) { set32(b, 84, 1); });
  damaged("first-slots", [](Bytes& b) { set32(b, 88, 1000); });
  damaged("short", [](Bytes& b) { b.pop_back(), set64(b, 48, b.size() - 64); });
  damaged("long", [](Bytes& b) { b.push_back({}), set64(b, 48, b.size() - 64); });
  writer.damaged("exact-bad-no-first-level", exact(numbered("in-", 10), numbered("out-", 10)),
                 Status::kCorrupt, [](Bytes& b) { set64(b, 64, 11); });
  const ExactFilter none = exact({}, many);
  writer.damaged("exact-bad-nothing-passing", none, Status::kCorrupt,
                 [](Bytes& b) { set64(b, 72, 1); });
  writer.damaged("exact-bad-nothing-checked", none, Status::kCorrupt, [](Bytes& b) {
    // A first level of no keys, which a filter without included keys has no use for.
    const Bytes record(b.begin() + 88, b.begin() + 96);
    b.insert(b.begin() + 88, record.begin(), record.end());
    set32(b, 80, 1), set64(b, 48, b.size() - 64);
  });

  const ExactFilter keyed = exact(three, many, Hasher(sip_key(0)));
  const auto as_is = [](Bytes&) {};
  writer.damaged("exact-bad-no-key", keyed, Status::kKeyRequired, as_is);
  writer.damaged("exact-bad-other-key", keyed, Status::kWrongKey, as_is, false, sip_key(1));
}

}  // namespace tamis::vectors
