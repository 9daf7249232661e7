#include "vectors/vectors.hpp"

namespace tamis::vectors {

template <>
void vectors<BitArray>(Writer& writer) {
  const Golden<BitArray> golden(writer);
  const auto made = [](std::uint64_t length, const Strings& indices) {
    auto array = BitArray::create({length});
    MUST(array.ok());
    for (const auto& index : indices) MUST(array->set(std::stoull(index)).ok());
    return std::move(*array);
  };
  const auto valid = [&](const std::string& name, std::uint64_t length, const Strings& present,
                         const Strings& others) {
    const BitArray array = made(length, present);
    golden.valid(name, array, present, others,
                 [&](const std::string& index) { return *array.test(std::stoull(index)); });
  };
  valid("nothing", 0, {}, {});
  valid("empty", 100, {}, {"0", "63", "64", "99"});
  valid("one-word", 64, {"0", "31", "32", "63"}, {"1", "62"});
  valid("two-words", 65, {"0", "64"}, {"1", "63"});
  valid("scattered", 1000, {"1", "7", "8", "21", "127", "128", "500", "999"},
        {"0", "9", "22", "998"});

  golden.damaged(made(100, {"3", "64", "99"}),
                 {
                     {"hash", {u8(kHashAt, 1)}},
                     {"hash-unknown", {u8(kHashAt, 8)}},  // known to bloom
                     {"hash-17", {u8(kHashAt, 17)}, Status::kUnsupportedVersion},
                     {"seed", {u64(kSeedAt, 1)}},
                     {"count", {u64(kCountAt, 4)}},
                     {"length", {u64(kCapacityAt, 129)}},
                     {"padding", {u8(79, 1), u64(kCountAt, 4)}},
                 });
}

}  // namespace tamis::vectors
