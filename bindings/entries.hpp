// bindings/entries.hpp - the one table that names all types, and makes structures of each.
//
// The rest of the control plane and the data plane know no type. So the wasm can be cut into a base
// and a part per type. A part enters its type when it is loaded, and a type that is not loaded is
// unknown.
#pragma once

#include "handles.hpp"

namespace tamis::bindings {

// The lists that a build takes: hashes of keys, which are scratch. Some types need a second list,
// with more hashes or with values of 32 bits.
struct Lists {
  Address hashes;
  std::size_t count;
  Address others;
  std::size_t other_count;
  std::uint64_t conflicts = 0;  // keys that are in both lists, or have two values
};

// The functions of a type, or nullptr if it cannot do that. config_reader.hpp describes `fields`
// and `key`.
struct Entry {
  Result<AnyStructure*> (*create)(Address fields, Address key) noexcept;
  Result<AnyStructure*> (*build)(Address fields, Address key, Lists& lists) noexcept;
  Result<std::uint64_t> (*size_for)(Address fields, Address key) noexcept;
  Result<AnyStructure*> (*read)(Container& container) noexcept;
};

// Gives nullptr for an id that no loaded type has.
[[nodiscard]] const Entry* find_entry(std::uint32_t type) noexcept;

// Calls this function of the type's entry. Returns kUnknownType if no such type is loaded.
template <class Answer, class... Needed>
[[nodiscard]] Answer make(std::uint32_t type, Answer (*Entry::*function)(Needed...) noexcept,
                          std::type_identity_t<Needed>... given) noexcept {
  const Entry* entry = find_entry(type);
  if (entry == nullptr) return Status::kUnknownType;
  return run(entry->*function, given...);
}

}  // namespace tamis::bindings
