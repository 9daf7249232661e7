#include "entries.hpp"

#include <array>
#include <span>
#include <type_traits>

#include <tamis/registry.hpp>

#include "config_reader.hpp"

namespace tamis::bindings {
namespace {

template <class Number>
std::span<Number> span_at(Address address, std::size_t count) noexcept {
  return {reinterpret_cast<Number*>(address), count};
}

template <class F>
constexpr Entry entry_of() noexcept {
  Entry entry{};
  if constexpr (Creatable<F>) {
    entry.create = [](Address fields, Address key) noexcept {
      return adopt(F::create(read_config<F>(fields, key)));
    };
  }
  constexpr bool kWantsHashes = BuiltOfTwo<F, std::uint64_t>;
  if constexpr (StaticFilter<F> || kWantsHashes || BuiltOfTwo<F, std::uint32_t>) {
    entry.build = [](Address fields, Address key, Lists& lists) noexcept {
      const auto config = read_config<F>(fields, key);
      const auto hashes = span_at<std::uint64_t>(lists.hashes, lists.count);
      if constexpr (StaticFilter<F>) {
        return adopt(F::build(config, hashes));
      } else {
        using Other = std::conditional_t<kWantsHashes, std::uint64_t, std::uint32_t>;
        const auto others = span_at<Other>(lists.others, lists.other_count);
        return adopt(F::build(config, hashes, others, lists.conflicts));
      }
    };
  }
  if constexpr (Structure<F>) {
    entry.size_for = [](Address fields, Address key) noexcept {
      return F::size_for(read_config<F>(fields, key));
    };
  }
  entry.read = [](Container& container) noexcept {
    return adopt(F::read(container.header, container.hasher, container.payload));
  };
  return entry;
}

template <class F>
constexpr Entry kEntryOf = entry_of<F>();

// One more than the largest wire id: a larger one does not compile.
constexpr std::size_t kEntries = static_cast<std::size_t>(FilterType::kUrlDelta) + 1;

}  // namespace
}  // namespace tamis::bindings

// By wire id. Not const, and used for what the optimizer can see: the parts of a cut wasm fill it
// in.
extern "C" [[gnu::used]] constinit auto tamis_entries = [] {
  using namespace tamis;
  std::array<const bindings::Entry*, bindings::kEntries> entries{};
  for_each_type(
      [&]<class F>() { entries[static_cast<std::size_t>(F::kType)] = &bindings::kEntryOf<F>; });
  return entries;
}();

namespace tamis::bindings {

const Entry* find_entry(std::uint32_t type) noexcept {
  return type < tamis_entries.size() ? tamis_entries[type] : nullptr;
}

}  // namespace tamis::bindings
