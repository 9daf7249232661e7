// bindings/entries.hpp - how the structures of each type are made: the one table that names all
// types.
//
// The rest of the control plane and the data plane know none. So the wasm can be cut into a base
// and a part per type. A part enters its type when it is loaded, and a type that is not loaded is
// unknown.
#pragma once

#include <cstdint>

#include "handles.hpp"

namespace tamis::bindings {

// What a build takes: hashes of keys, which are scratch. Where the type wants a second list, also
// hashes of that, or values of 32 bits.
struct Lists {
  Address hashes;
  std::size_t count;
  Address others;
  std::size_t other_count;
  std::uint64_t conflicts = 0;  // keys that the lists disagree about
};

// nullptr where the type cannot. `fields` and `key` are those of config_reader.hpp.
struct Entry {
  Result<AnyStructure*> (*create)(Address fields, Address key) noexcept;
  Result<AnyStructure*> (*build)(Address fields, Address key, Lists& lists) noexcept;
  Result<std::uint64_t> (*size_for)(Address fields, Address key) noexcept;
  Result<AnyStructure*> (*read)(Container& container) noexcept;
};

// nullptr for an id that no loaded type has.
[[nodiscard]] const Entry* find_entry(std::uint32_t type) noexcept;

// Calls this function of the type's entry; kUnknownType where no such type is loaded.
template <class Answer, class... Needed>
[[nodiscard]] Answer make(std::uint32_t type, Answer (*Entry::*function)(Needed...) noexcept,
                          std::type_identity_t<Needed>... given) noexcept {
  const Entry* entry = find_entry(type);
  if (entry == nullptr) return Status::kUnknownType;
  return run(entry->*function, given...);
}

}  // namespace tamis::bindings
