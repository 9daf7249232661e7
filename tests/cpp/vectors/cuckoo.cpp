#include "vectors/high_part.hpp"

namespace tamis::vectors {
namespace {

// Keys in the first of their buckets that the other form of `hi` gives otherwise, and one in its
// second bucket, whose first is full.
void high_parts(const Golden<CuckooFilter>& golden) {
  const Hasher hasher;
  const CuckooFilter::Config config{.capacity = 960, .fingerprint_bits = 32, .bucket_size = 1};
  CuckooFilter filter = filled<CuckooFilter>(config, {});
  const CuckooPlaces places(filter.buckets(), 32);
  const auto first_of = [&](const std::string& key) {
    return places.first(hasher.mix(hasher(key_of(key))));
  };
  Strings keys = telling_of_blocks(3, hasher, filter.buckets());
  insert(filter, keys);
  const std::string other = telling(1, hasher, [&](std::uint64_t h) {
    const std::uint64_t g = hasher.mix(Hash{h});
    const std::uint64_t fingerprint = places.fingerprint(g);
    std::uint64_t noise = fingerprint * 0x94d049bb133111eb;
    noise = (noise ^ noise >> 32) * 0xc4ceb9fe1a85ec53;
    return differs(fingerprint << 32 | noise >> 32, filter.buckets() / 2);
  })[0];
  std::string before = "other-0";
  for (int i = 1; first_of(before) != first_of(other); ++i) before = "other-" + std::to_string(i);
  insert(filter, {before, other});
  keys.push_back(before), keys.push_back(other);
  golden.valid("hi", filter, keys);
}

}  // namespace

template <>
void vectors<CuckooFilter>(Writer& writer) {
  const Golden<CuckooFilter> golden(writer);
  const auto cuckoo = filled<CuckooFilter>;
  const CuckooFilter small = cuckoo({.capacity = 3}, kThree);
  golden.valid("three-keys", small, kThree);
  golden.valid("empty", {.capacity = 100}, {});
  golden.by_hashers({.capacity = kVaried});
  for (const std::uint32_t size : {1u, 2u, 8u}) {
    golden.valid("buckets-of-" + std::to_string(size), {.capacity = 27, .bucket_size = size},
                 varied());
  }
  for (const std::uint32_t bits : {4u, 13u, 17u, 32u}) {
    golden.valid(std::to_string(bits) + "-bits", {.capacity = 27, .fingerprint_bits = bits},
                 varied());
  }
  golden.valid("one-slot-a-bucket", {.capacity = 1, .fingerprint_bits = 4, .bucket_size = 1},
               {"x"});
  // The first keys that go in before one does not: near the end most inserts move others.
  for (const std::uint32_t size : {1u, 2u, 4u, 8u}) {
    CuckooFilter full = cuckoo({.capacity = size == 1 ? 3u : 60u,
                                .fingerprint_bits = size == 1 ? 16u : 9u,
                                .bucket_size = size},
                               {});
    Strings held = numbered("key-", 2000);
    const auto refused = [&](const std::string& key) { return !is_ok(full.insert(key_of(key))); };
    held.erase(std::find_if(held.begin(), held.end(), refused), held.end());
    MUST(held.size() < 2000);
    golden.valid("full-" + std::to_string(size), full, held);
  }
  high_parts(golden);
  Strings even, odd;
  for (const auto& key : numbered("key-", 100))
    (even.size() == odd.size() ? even : odd).push_back(key);
  CuckooFilter halved = cuckoo({.capacity = 100}, numbered("key-", 100));
  erase(halved, even);
  golden.valid("after-deletes", halved, odd);
  golden.valid("eight-copies", cuckoo({.capacity = 3}, Strings(8, "alice")), {"alice"});

  const std::size_t slots = small.buckets() * std::size_t{4};
  golden.valid("capacity-most", golden.changed(small, {u64(kCapacityAt, slots)}), kThree);

  golden.damaged(small, {
                            {"capacity-0", {u64(kCapacityAt, 0)}},
                            {"capacity", {u64(kCapacityAt, 9)}},
                            {"count-0", {u64(kCountAt, 0)}},
                            {"count", {u64(kCountAt, 4)}},
                            {"hash", {u8(kHashAt, 3)}},
                            {"record-cut", {sized(76)}},
                            {"data-cut", {grown(-8)}},
                            {"data-long", {grown(8)}},
                            {"buckets-0", {u32(64, 0)}},
                            {"buckets-odd", {u32(64, 1)}},
                            {"buckets", {u32(64, 4)}},
                            {"buckets-huge", {u32(64, 0xfffffffe)}},
                            {"bucket-size-0", {u32(68, 0)}},
                            {"bucket-size-3", {u32(68, 3)}},
                            {"bucket-size-16", {u32(68, 16)}},
                            {"fingerprint-bits-0", {u32(72, 0)}},
                            {"fingerprint-bits-3", {u32(72, 3)}},
                            {"fingerprint-bits-33", {u32(72, 33)}},
                            {"fingerprint-bits", {u32(72, 17)}},
                            {"record-zero", {u32(76, 1)}},
                            {"padding", {last_bit()}},
                            {"slots-cleared", {fill(80, 0)}},
                        });
  // These files have no other fault.
  golden.damaged(
      small, {{"3-buckets", {u32(64, 3), sized(80 + array_bytes(12, small.fingerprint_bits()))}}});
  golden.damaged(cuckoo({.capacity = 3}, {}),
                 {
                     {"3-bits", {u32(72, 3), sized(80 + array_bytes(slots, 3))}},
                     {"33-bits", {u32(72, 33), sized(80 + array_bytes(slots, 33))}},
                 });
  golden.keys_refused(cuckoo({.capacity = 3, .hasher = keyed()}, kThree));
}

}  // namespace tamis::vectors
