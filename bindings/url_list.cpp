// bindings/url_list.cpp - functions that only URL lists and their deltas have.

#include <array>
#include <cstddef>
#include <cstring>

#include <tamis/url/url_delta.hpp>
#include <tamis/url/url_list.hpp>

#include "handles.hpp"
#include "publish.hpp"

namespace tamis::bindings {
namespace {

using url::PrefixSet, url::UrlDelta, url::UrlList;

// A list without entries, from which update() makes other lists.
Handle empty(std::uint32_t prefix_bytes, Address rule, std::size_t rule_size, Address status) {
  auto builder = PrefixSet::Builder::create(0, prefix_bytes);
  if (!builder.ok()) return hand_over(builder.status(), status);
  const std::string_view name(reinterpret_cast<const char*>(rule), rule_size);
  return hand_over(adopt(UrlList::of(std::move(*builder).finish(), name, 0)), status);
}

// Calls url::apply_delta() for a list. `changes` contains the removals, followed by the additions;
// `shapes` are the new list's shapes, unless it keeps those of the old list (below).
Handle update(Handle handle, Address changes, std::size_t removals, std::size_t additions,
              url::Shapes shapes, Address status) {
  const auto* const list = find_a<UrlList>(handle);
  if (list == nullptr) return hand_over(Status::kUnsupported, status);
  const auto* const from = reinterpret_cast<const std::byte*>(changes);
  auto set = url::apply_delta(list->prefixes(), {from, removals}, {from + removals, additions});
  if (!set.ok()) return hand_over(set.status(), status);
  // The list keeps its shapes, unless entries were added, or a removed entry may have been a mark.
  if (additions == 0 && !(list->has_parents() && removals != 0)) shapes = list->shapes();
  return hand_over(adopt(UrlList::of(std::move(*set), list->rule(), shapes)), status);
}

Handle diff(Handle older, Handle newer, Address status) {
  return derive_of_two<UrlList, UrlList>(older, newer, status,
                                         [](auto& from, auto& to) { return url::diff(from, to); });
}

Handle apply(Handle list, Handle delta, Address status) {
  return derive_of_two<UrlList, UrlDelta>(
      list, delta, status, [](auto& from, auto& change) { return url::apply(from, change); });
}

// Writes the 32 bytes of the checksum to `out`, followed by the 32 bytes of the identity.
std::int32_t checksum(Handle handle, Address out) {
  return with_a<UrlList>(handle, [=](auto& list) {
    const std::array digests = {list.checksum(), list.identity()};
    std::memcpy(reinterpret_cast<std::byte*>(out), digests.data(), sizeof(digests));
    return 0;
  });
}

// Writes the rule to `out`, which has url::ListRule::kMaxBytes bytes, and returns its length.
std::int32_t rule(Handle handle, Address out) {
  return with_a<UrlList>(handle, [=](auto& list) {
    std::memcpy(reinterpret_cast<char*>(out), list.rule().data(), list.rule().size());
    return static_cast<std::int32_t>(list.rule().size());
  });
}

// Writes all prefixes to `out`.
std::int32_t prefixes(Handle handle, Address out) {
  return with_a<UrlList>(handle, [=](auto& list) {
    list.prefixes().copy_to(0, list.count(), reinterpret_cast<std::byte*>(out));
    return 0;
  });
}

}  // namespace
}  // namespace tamis::bindings

TAMIS_PART("url", load_url_list) {
  using namespace tamis::bindings;
  publish("urlListEmpty", &empty);
  publish("urlListUpdate", &update);
  publish("urlListDiff", &diff);
  publish("urlListApply", &apply);
  publish("urlListChecksum", &checksum);
  publish("urlListRule", &rule);
  publish("urlListPrefixes", &prefixes);
}
