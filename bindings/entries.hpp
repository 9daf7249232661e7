// bindings/entries.hpp - the one table that lists all types and makes structures of each.
//
// The other files of the control plane (rare calls, through embind) and the data plane (a call for
// each key or batch) name no type. So the wasm can be cut into a base and one part per type. A part
// that is loaded enters its type into the table; until then, the type is unknown.
#pragma once

#include "handles.hpp"

namespace tamis::bindings {

// The lists from which a structure is built. `hashes` are hashes of keys, which the build changes.
// Some types need `others` too: more hashes, or 32-bit values.
struct Lists {
  Address hashes;
  std::size_t count;
  Address others;
  std::size_t other_count;
  std::uint64_t conflicts = 0;  // the number of keys that are in both lists or have two values
};

// The functions of a type; nullptr if it lacks one. config_reader.hpp describes `fields` and `key`.
struct Entry {
  Result<AnyStructure*> (*create)(Address fields, Address key) noexcept;
  Result<AnyStructure*> (*build)(Address fields, Address key, Lists& lists) noexcept;
  Result<std::uint64_t> (*size_for)(Address fields, Address key) noexcept;
  Result<AnyStructure*> (*read)(Container& container) noexcept;
};

// Returns nullptr for an id that no loaded type has.
[[nodiscard]] const Entry* find_entry(std::uint32_t type) noexcept;

// Calls a function of the type's entry. Returns kUnknownType if no such type is loaded.
template <class Answer, class... Needed>
[[nodiscard]] Answer make(std::uint32_t type, Answer (*Entry::*function)(Needed...) noexcept,
                          std::type_identity_t<Needed>... given) noexcept {
  const Entry* entry = find_entry(type);
  if (entry == nullptr) return Status::kUnknownType;
  return run(entry->*function, given...);
}

}  // namespace tamis::bindings
