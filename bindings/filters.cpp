// bindings/filters.cpp - rare calls (the control plane) for filters; url_list.cpp is for URL lists.

#include "config_reader.hpp"
#include "entries.hpp"
#include "publish.hpp"

namespace tamis::bindings {
namespace {

// Makes a JavaScript function from a function that needs a second structure.
template <auto function>
std::int32_t combine(Handle into, Handle from) {
  AnyStructure* other = find_out_of_line(from);
  return other == nullptr ? negative(Status::kDisposed) : ask(into, function, *other);
}

Handle create(std::uint32_t type, Address fields, Address key, Address status) {
  return hand_over(make(type, &Entry::create, fields, key), status);
}

// Builds a structure of a static type (see Lists). Writes the number of conflicts to `conflicts`.
Handle build(std::uint32_t type, Address fields, Address key, Address hashes, std::size_t count,
             Address others, std::size_t other_count, Address conflicts, Address status) {
  Lists lists{hashes, count, others, other_count};
  auto result = make(type, &Entry::build, fields, key, lists);
  *reinterpret_cast<double*>(conflicts) = static_cast<double>(lists.conflicts);
  return hand_over(std::move(result), status);
}

double size_for(std::uint32_t type, Address fields, Address key, Address status) {
  const auto size = make(type, &Entry::size_for, fields, key);
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
  publish("emptyCopy", &derive<&Ops::empty_copy>);
  publish("clear", &act<&Ops::clear>);
  publish("merge", &combine<&Ops::merge>);
  publish("intersect", &combine<&Ops::intersect>);
}
