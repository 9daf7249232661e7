// bindings/interop/foreign.cpp - the filters of others: made of their bytes, and looked up in.

#include <tamis/interop/foreign_filter.hpp>

#include "../part.hpp"
#include "prepared.hpp"

namespace tamis::bindings {

using interop::ForeignFilter;

// Answers tamis_has and tamis_has_many, and does nothing else that a structure of the format does.
// Its type is 0, which no structure has: find_a finds it as none.
template <>
class Adapter<ForeignFilter> final : public AnyStructure {
 public:
  explicit Adapter(ForeignFilter&& filter) noexcept : filter_(std::move(filter)) {}

  std::int32_t has(Key key) const noexcept override {
    if (!filter_.takes(key)) return negative(Status::kInvalidKey);
    return filter_.may_contain(key) ? 1 : 0;
  }
  Header header() const noexcept override { return {}; }
  double figure(Figure figure) const noexcept override { return figure_of(filter_, figure); }

  std::int32_t add(Key) noexcept override { return kUnsupported; }
  std::int32_t add(Hash) noexcept override { return kUnsupported; }
  std::int32_t has(Hash) const noexcept override { return kUnsupported; }
  std::int32_t has_many(std::span<const std::uint64_t>, std::uint8_t*) const noexcept override {
    return kUnsupported;
  }
  std::int32_t get_many(std::span<const std::uint64_t>, std::uint8_t*,
                        std::uint32_t*) const noexcept override {
    return kUnsupported;
  }
  std::int32_t key_operation(KeyOperation, Key) noexcept override { return kUnsupported; }
  std::int32_t key_operation(KeyOperation, Hash) noexcept override { return kUnsupported; }
  std::int32_t bit(BitOperation, std::uint64_t) noexcept override { return kUnsupported; }
  std::int32_t print(std::uint64_t, std::span<char>) const noexcept override {
    return kUnsupported;
  }
  Status validate() const noexcept override { return Status::kOk; }
  void write(ByteWriter&) const noexcept override {}
  Status clear() noexcept override { return Status::kUnsupported; }
  Result<AnyStructure*> clone() const noexcept override { return Status::kUnsupported; }
  Result<AnyStructure*> empty_copy() const noexcept override { return Status::kUnsupported; }
  Status merge(const AnyStructure&) noexcept override { return Status::kUnsupported; }
  Status intersect(const AnyStructure&) noexcept override { return Status::kUnsupported; }

 private:
  static constexpr std::int32_t kUnsupported = negative(Status::kUnsupported);

  ForeignFilter filter_;
};

namespace {

// What js/src/interop/foreign-filter.ts puts at `from`: this, and the layers behind it.
struct ForeignRecord {
  interop::ForeignShape shape;
  std::uint64_t bytes;
  std::uint64_t layers;
};
static_assert(sizeof(ForeignRecord) == 40 && sizeof(interop::ForeignLayer) == 16);

}  // namespace
}  // namespace tamis::bindings

using namespace tamis::bindings;

extern "C" {

TAMIS_EXPORT("foreign", "_tamis_foreign")
Handle tamis_foreign(Address from, Address at, Address status) {
  const auto& record = *reinterpret_cast<const ForeignRecord*>(from);
  const auto* layers = reinterpret_cast<const tamis::interop::ForeignLayer*>(&record + 1);
  return hand_over_at(
      ForeignFilter::create(record.shape, {layers, static_cast<std::size_t>(record.layers)},
                            record.bytes),
      at, status);
}

// The slots have `size` bytes, and behind them is the rest of a word.
TAMIS_EXPORT("foreign", "_tamis_unpack")
std::int32_t tamis_unpack(Address at, std::size_t size, std::size_t packed, Address map,
                          std::uint32_t width) {
  return negative(tamis::interop::unpack_slots({reinterpret_cast<std::byte*>(at), (size + 7) & ~7u},
                                               packed, reinterpret_cast<const std::byte*>(map),
                                               width));
}

}  // extern "C"
