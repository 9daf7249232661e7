#include "vectors/vectors.hpp"

namespace tamis::vectors {
namespace {

RotatingBloomFilter rotating(const RotatingBloomFilter::Config& config) {
  auto filter = RotatingBloomFilter::create(config);
  if (!filter.ok()) fail("cannot create a rotating Bloom filter");
  return std::move(*filter);
}

void insert(RotatingBloomFilter& filter, const Strings& keys) {
  for (const auto& key : keys) {
    if (!filter.insert(key_of(key)).ok()) fail("cannot insert");
  }
}

void advance(RotatingBloomFilter& filter, std::int64_t now_ms) {
  if (!filter.advance(now_ms).ok()) fail("cannot advance");
}

// Where the record of a generation begins.
constexpr std::size_t generation_at(std::size_t generation) { return 96 + 32 * generation; }

}  // namespace

template <>
void vectors<RotatingBloomFilter>(Writer& writer) {
  const Strings three{"alice", "bob", "carol"}, strangers = numbered("stranger-", 64);
  const auto valid = [&](const std::string& name, const RotatingBloomFilter& filter,
                         const Strings& keys, std::optional<SipKey> key = {}) {
    const auto has = [&](const std::string& k) { return filter.may_contain(key_of(k)); };
    writer.valid("rotating-bloom-" + name, filter, keys, strangers, has, key);
  };
  const auto config = [](std::uint64_t capacity, Hasher hasher = Hasher()) {
    RotatingBloomFilter::Config made;
    made.capacity = capacity;
    made.hasher = hasher;
    return made;
  };
  const auto made = [&](const RotatingBloomFilter::Config& options, const Strings& keys) {
    RotatingBloomFilter filter = rotating(options);
    insert(filter, keys);
    return filter;
  };
  const auto with = [&](Hasher hasher) { return made(config(varied().size(), hasher), varied()); };

  // "alice" in the first generation, the others in the second, which is the current one.
  RotatingBloomFilter small = made(config(3), {"alice"});
  small.rotate();
  insert(small, {"bob", "carol"});
  valid("three-keys", small, three);
  valid("empty", rotating(config(100)), {});
  valid("varied", with(Hasher()), varied());
  valid("seeded", with(Hasher(HashId::kXxh3, 0x0123456789abcdef)), varied());
  valid("keyed", with(Hasher(sip_key(0), 7)), varied(), sip_key(0));
  auto five = config(4);
  five.generations = 5;
  RotatingBloomFilter ring = rotating(five);
  for (std::ptrdiff_t i = 0; i < 7; ++i) {
    insert(ring, Strings(strangers.begin() + 4 * i, strangers.begin() + 4 * (i + 1)));
    if (i != 6) ring.rotate();
  }
  valid("7-periods-of-5", ring, Strings(strangers.begin() + 8, strangers.begin() + 28));
  auto most = config(1);
  most.generations = RotatingBloomFilter::kMaxGenerations;
  RotatingBloomFilter many = made(most, {"alice"});
  for (int i = 0; i < 63; ++i) many.rotate();
  insert(many, {"bob"});
  valid("64-generations", many, {"alice", "bob"});
  RotatingBloomFilter repeated = made(config(3), three);
  repeated.rotate();
  insert(repeated, three);
  valid("repeated", repeated, three);
  RotatingBloomFilter forgotten = made(config(3), numbered("stranger-", 3));
  forgotten.rotate(), forgotten.rotate();
  valid("forgotten", forgotten, {});
  auto low = config(3);
  low.fpr = 0x1p-20;
  const RotatingBloomFilter classic = made(low, three);
  valid("classic", classic, three);
  low.fpr = 0x1p-24;
  valid("rate-least", made(low, three), three);
  valid("over-capacity", made(config(10), numbered("key-", 100)), numbered("key-", 100));
  auto minutes = config(3);
  minutes.period_ms = 60'000;
  valid("clock", made(minutes, three), three);
  RotatingBloomFilter clock = made(minutes, three);
  advance(clock, 1'700'000'000'000);
  valid("clock-started", clock, three);
  advance(clock, 1'700'000'060'001);
  insert(clock, {"dave"});
  valid("clock-moved", clock, {"alice", "bob", "carol", "dave"});
  RotatingBloomFilter before = made(minutes, three);
  advance(before, -1);
  valid("clock-before-1970", before, three);
  minutes.period_ms = sizing::kMaxCount;
  RotatingBloomFilter extreme = made(minutes, three);
  advance(extreme, -static_cast<std::int64_t>(sizing::kMaxCount));
  valid("clock-least", extreme, three);
  advance(extreme, static_cast<std::int64_t>(sizing::kMaxCount));
  insert(extreme, three);
  valid("clock-most", extreme, three);

  const auto damage = [&](const RotatingBloomFilter& filter, const std::string& name,
                          const std::function<void(Bytes&)>& change) {
    writer.damaged("rotating-bloom-bad-" + name, filter, Status::kCorrupt, change);
  };
  const auto damaged = [&](const std::string& name, const std::function<void(Bytes&)>& change) {
    damage(small, name, change);
  };
  const auto resized = [](Bytes& b, std::size_t size) {
    b.resize(size), set64(b, 48, size - kHeaderBytes);
  };
  const auto add = [](Bytes& b, std::size_t at, std::uint64_t value) {
    set64(b, at, detail::load_le64(b.data() + at) + value);
  };
  constexpr std::uint64_t kTooMany = std::uint64_t{1} << 53;
  damaged("scheme", [](Bytes& b) { b[11] = std::byte{3}; });
  damaged("capacity", [](Bytes& b) { set64(b, 32, 4); });
  damaged("capacity-0", [](Bytes& b) {
    set64(b, 32, 0), set64(b, generation_at(0) + 8, 0), set64(b, generation_at(1) + 8, 0);
  });
  damaged("count", [](Bytes& b) { set64(b, 40, 2); });
  damaged("nothing", [&](Bytes& b) { resized(b, 64); });
  damaged("record-cut", [&](Bytes& b) { resized(b, 88); });
  damaged("generation-record-cut", [&](Bytes& b) { resized(b, generation_at(1) + 24); });
  damaged("data-cut", [&](Bytes& b) { resized(b, b.size() - 8); });
  damaged("data-extended", [&](Bytes& b) { resized(b, b.size() + 8); });
  damaged("generations-0",
          [&](Bytes& b) { set32(b, 64, 0), set32(b, 68, 0), set64(b, 40, 0), resized(b, 96); });
  // One generation alone, and nothing else wrong.
  damaged("generations-1", [&](Bytes& b) {
    set32(b, 64, 1), set32(b, 68, 0), set64(b, 40, 1);
    const auto half = static_cast<std::ptrdiff_t>((b.size() - generation_at(2)) / 2);
    b.erase(b.end() - half, b.end());
    b.erase(b.begin() + 128, b.begin() + 160);  // the second record
    resized(b, b.size());
  });
  damaged("generations-more", [](Bytes& b) { set32(b, 64, 3); });
  damaged("generations-65", [](Bytes& b) { set32(b, 64, 65); });
  damaged("current", [](Bytes& b) { set32(b, 68, 2); });
  damaged("period", [](Bytes& b) { set64(b, 72, kTooMany); });
  damaged("started-without-period", [](Bytes& b) { set64(b, 80, 1); });
  damaged("start-without-period", [](Bytes& b) { set64(b, 88, 1); });
  damage(clock, "started", [](Bytes& b) { set64(b, 80, 2); });
  damage(clock, "start-not-started", [](Bytes& b) { set64(b, 80, 0); });
  damage(clock, "start-late", [](Bytes& b) { set64(b, 88, kTooMany); });
  damage(clock, "start-early", [](Bytes& b) { set64(b, 88, ~kTooMany + 1); });
  damaged("bits-0", [](Bytes& b) { set64(b, generation_at(0), 0); });
  damaged("bits-differ", [&](Bytes& b) {
    add(b, generation_at(1), 256), resized(b, b.size() + 32);
    std::copy_n(b.end() - 64, 32, b.end() - 32);
  });
  damaged("bits-half-a-block", [&](Bytes& b) { add(b, generation_at(0), 128); });
  damaged("bits-huge", [](Bytes& b) { set64(b, generation_at(0), ~std::uint64_t{255}); });
  damaged("generation-capacity", [](Bytes& b) { set64(b, generation_at(1) + 8, 4); });
  damaged("generation-count", [](Bytes& b) { set64(b, generation_at(0) + 16, kTooMany); });
  damaged("generation-count-0",
          [](Bytes& b) { set64(b, generation_at(0) + 16, 0), set64(b, 40, 2); });
  damage(made(config(3), three), "generation-count-1",
         [](Bytes& b) { set64(b, generation_at(1) + 16, 1), set64(b, 40, 4); });
  damaged("record-zero", [](Bytes& b) { set32(b, generation_at(1) + 28, 1); });
  damaged("lane-empty", [](Bytes& b) { set32(b, generation_at(2), 0); });
  damage(classic, "hashes-differ", [](Bytes& b) { set32(b, generation_at(1) + 24, 1); });
  damage(classic, "hashes-65", [](Bytes& b) {
    for (const std::size_t i : {0u, 1u}) set32(b, generation_at(i) + 24, 65);
  });
  damage(classic, "padding", [](Bytes& b) { b.back() = std::byte{0x80}; });

  const RotatingBloomFilter keyed = made(config(3, Hasher(sip_key(0))), three);
  const auto as_is = [](Bytes&) {};
  writer.damaged("rotating-bloom-bad-no-key", keyed, Status::kKeyRequired, as_is);
  writer.damaged("rotating-bloom-bad-other-key", keyed, Status::kWrongKey, as_is, false,
                 sip_key(1));
}

}  // namespace tamis::vectors
