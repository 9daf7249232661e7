#include "vectors/vectors.hpp"

namespace tamis::vectors {

template <>
void vectors<BitArray>(Writer& writer) {
  const auto made = [](std::uint64_t length, const Strings& indices) {
    auto array = BitArray::create({length});
    if (!array.ok()) fail("cannot create a bit array");
    for (const auto& index : indices) {
      if (!array->set(std::stoull(index)).ok()) fail("cannot set a bit");
    }
    return std::move(*array);
  };
  const auto valid = [&](const std::string& name, std::uint64_t length, const Strings& present,
                         const Strings& others) {
    const BitArray array = made(length, present);
    const auto has = [&](const std::string& index) { return *array.test(std::stoull(index)); };
    writer.valid("bit-array-" + name, array, present, others, has);
  };
  valid("nothing", 0, {}, {});
  valid("empty", 100, {}, {"0", "63", "64", "99"});
  valid("one-word", 64, {"0", "31", "32", "63"}, {"1", "62"});
  valid("two-words", 65, {"0", "64"}, {"1", "63"});
  valid("scattered", 1000, {"1", "7", "8", "21", "127", "128", "500", "999"},
        {"0", "9", "22", "998"});

  const BitArray small = made(100, {"3", "64", "99"});
  const auto damaged = [&](const std::string& name, Status status,
                           const std::function<void(Bytes&)>& damage) {
    writer.damaged("bit-array-bad-" + name, small, status, damage);
  };
  damaged("hash", Status::kCorrupt, [](Bytes& b) { b[11] = std::byte{1}; });
  damaged("hash-unknown", Status::kUnsupportedVersion, [](Bytes& b) { b[11] = std::byte{8}; });
  damaged("seed", Status::kCorrupt, [](Bytes& b) { set64(b, 16, 1); });
  damaged("count", Status::kCorrupt, [](Bytes& b) { set64(b, 40, 4); });
  damaged("length", Status::kCorrupt, [](Bytes& b) { set64(b, 32, 129); });
  damaged("padding", Status::kCorrupt, [](Bytes& b) { b[79] = std::byte{1}, set64(b, 40, 4); });
}

}  // namespace tamis::vectors
