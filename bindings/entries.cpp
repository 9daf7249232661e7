#include "entries.hpp"

#include <array>
#include <type_traits>

#include <tamis/registry.hpp>

#include "config_reader.hpp"
#include "part.hpp"

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
  entry.read = [](Container& container) noexcept { return adopt(read_whole<F>(container)); };
  return entry;
}

template <class F>
constexpr Entry kEntryOf = entry_of<F>();

// The number of table entries: one more than the largest wire id. A larger id does not compile.
constexpr std::size_t kEntries = static_cast<std::size_t>(FilterType::kUrlDelta) + 1;

// The entries of the loaded types, indexed by wire id.
constinit std::array<const Entry*, kEntries> entries{};

}  // namespace

using namespace tamis::url;
#define TAMIS_STRUCTURE(Type, slug, id, hashing) \
  TAMIS_PART(slug, load_##Type) { entries[id] = &kEntryOf<Type>; }
#include <tamis/structures.def>

const Entry* find_entry(std::uint32_t type) noexcept {
  return type < entries.size() ? entries[type] : nullptr;
}

}  // namespace tamis::bindings
