// bindings/url_build.cpp - how a list of URLs is made: a part of its own, for no page makes one.

#include <tamis/url/url_list.hpp>

#include "handles.hpp"
#include "part.hpp"
#include "publish.hpp"

namespace tamis::bindings {
namespace {

using url::PrefixSet, url::UrlList;

// Of sorted prefixes of `prefix_bytes` each, and the shapes of their expressions.
Handle build(Address prefixes, std::size_t size, std::uint32_t prefix_bytes, Address rule,
             std::size_t rule_size, url::Shapes shapes, Address status) {
  auto set = PrefixSet::build({reinterpret_cast<const std::byte*>(prefixes), size}, prefix_bytes);
  if (!set.ok()) return hand_over(set.status(), status);
  return hand_over(
      adopt(UrlList::of(std::move(*set), {reinterpret_cast<const char*>(rule), rule_size}, shapes)),
      status);
}

}  // namespace
}  // namespace tamis::bindings

TAMIS_PART("url-build", load_url_build) {
  using namespace tamis::bindings;
  publish("urlListBuild", &build);
}
