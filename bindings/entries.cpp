#include "entries.hpp"

#include <algorithm>
#include <array>
#include <span>

#include <tamis/registry.hpp>

#include "config_reader.hpp"

namespace tamis::bindings {
namespace {

template <class Number>
std::span<Number> span_at(Address address, std::size_t count) noexcept {
  return {reinterpret_cast<Number*>(address), count};
}

template <class F, class Other>
Result<AnyStructure*> build_of_two(Address fields, Address key, Lists& lists) noexcept {
  return adopt(F::build(read_config<F>(fields, key),
                        span_at<std::uint64_t>(lists.hashes, lists.count),
                        span_at<Other>(lists.others, lists.other_count), lists.conflicts));
}

template <class F>
constexpr Entry entry_of() noexcept {
  Entry entry{};
  if constexpr (Creatable<F>) {
    entry.create = [](Address fields, Address key) noexcept {
      return adopt(F::create(read_config<F>(fields, key)));
    };
  }
  if constexpr (StaticFilter<F>) {
    entry.build = [](Address fields, Address key, Lists& lists) noexcept {
      const auto hashes = span_at<std::uint64_t>(lists.hashes, lists.count);
      return adopt(F::build(read_config<F>(fields, key), hashes));
    };
  } else if constexpr (BuiltOfTwo<F, std::uint64_t>) {
    entry.build = build_of_two<F, std::uint64_t>;
  } else if constexpr (BuiltOfTwo<F, std::uint32_t>) {
    entry.build = build_of_two<F, std::uint32_t>;
  }
  if constexpr (Structure<F>) {
    entry.size_for = [](Address fields, Address key) noexcept {
      return F::size_for(read_config<F>(fields, key));
    };
  }
  entry.read = [](Container& container) noexcept { return adopt(F::read(container)); };
  return entry;
}

template <class F>
constexpr Entry kEntryOf = entry_of<F>();

constexpr std::size_t kEntries = [] {
  std::size_t most = 0;
  for_each_type([&]<class F>() {
    most = std::max(most, std::size_t{1} + static_cast<std::size_t>(F::kType));
  });
  return most;
}();

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
