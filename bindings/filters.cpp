// bindings/filters.cpp - the control plane: what every filter has, and no list of URLs.
// Without noexcept, since the embind of Emscripten 3.1.6 does not know such function types.

#include "config_reader.hpp"
#include "entries.hpp"
#include "part.hpp"
#include "publish.hpp"

namespace tamis::bindings {
namespace {

std::int32_t hash_id(Handle handle) {
  return with_live(
      handle, [](auto& structure) { return static_cast<std::int32_t>(structure.header().hash); });
}
// The same of one that takes another structure.
template <auto act>
std::int32_t combine(Handle into, Handle from) {
  return with_live(into, [=](auto& structure) {
    return with_live(from, [&](auto& other) { return negative((structure.*act)(other)); });
  });
}

Handle create(std::uint32_t type, Address fields, Address key, Address status) {
  return hand_over(run_entry(type, &Entry::create, fields, key), status);
}

// A structure of a type that is built once (Lists). Puts the number of keys that the lists disagree
// about at `conflicts`, as a double.
Handle build(std::uint32_t type, Address fields, Address key, Address hashes, std::size_t count,
             Address others, std::size_t other_count, Address conflicts, Address status) {
  Lists lists{hashes, count, others, other_count};
  auto result = run_entry(type, &Entry::build, fields, key, lists);
  *reinterpret_cast<double*>(conflicts) = static_cast<double>(lists.conflicts);
  return hand_over(std::move(result), status);
}

double size_for(std::uint32_t type, Address fields, Address key, Address status) {
  const auto size = run_entry(type, &Entry::size_for, fields, key);
  put_status(status, size.status());
  return size.ok() ? static_cast<double>(*size) : 0;
}

}  // namespace
}  // namespace tamis::bindings

TAMIS_PART("filters", load_filters) {
  using namespace tamis::bindings;
  publish("create", &create);
  publish("build", &build);
  publish("sizeFor", &size_for);
  publish("emptyCopy", &derive<&AnyStructure::empty_copy>);
  publish("hashId", &hash_id);
  publish("clear", &run<&AnyStructure::clear>);
  publish("merge", &combine<&AnyStructure::merge>);
  publish("intersect", &combine<&AnyStructure::intersect>);
}
