#include <tamis/url/expressions.hpp>

namespace tamis::url {
namespace {

constexpr std::size_t kMaxSuffixes = Expressions::kMaxHosts - 1;

// The suffix with one label more. `host` itself is the last.
std::string_view with_next_label(std::string_view host, std::string_view suffix) noexcept {
  if (suffix.size() == host.size()) return host;
  // The dot in front of the suffix, and the one before that.
  const std::size_t dot = host.size() - suffix.size() - 1;
  const std::size_t before = dot == 0 ? host.npos : host.rfind('.', dot - 1);
  return before == host.npos ? host : host.substr(before + 1);
}

}  // namespace

Expressions::Expressions(const CanonicalUrl& url, Shapes shapes) noexcept {
  const std::string_view path = url.path();
  const auto add = [&](std::uint32_t shape, std::size_t bytes) {
    if ((shapes >> shape & 1) != 0) paths_[path_count_++] = bytes;
  };
  if (!url.query().empty()) add(kQueryShape, path.size() + 1 + url.query().size());
  // The path itself is the deepest of these, or a page.
  std::array<std::size_t, kFolderShapes> folders;
  std::uint32_t depth = 0;
  std::size_t slash = 0;
  while (depth < kFolderShapes && slash + 1 < path.size()) {
    folders[depth++] = slash + 1;
    slash = path.find('/', slash + 1);
    if (slash == path.npos) break;
  }
  add(slash + 1 == path.size() ? depth : kPageShape, path.size());
  for (std::uint32_t i = 0; i < depth; ++i) add(i, folders[i]);
}

// In the text, the path follows the host, so each expression is one piece of it.
void Expressions::add_host(std::string_view suffix) noexcept {
  for (std::size_t i = 0; i < path_count_; ++i) {
    all_[size_++] = {suffix.data(), suffix.size() + paths_[i]};
  }
}

void Expressions::add_labels5(std::string_view host) noexcept {
  add_host(host);
  std::string_view suffix = host.substr(host.rfind('.') + 1);  // of one label, and never added
  for (std::size_t i = 0; i < kMaxSuffixes; ++i) {
    suffix = with_next_label(host, suffix);
    if (suffix.size() == host.size()) break;
    add_host(suffix);
  }
}

Expressions Expressions::labels5(const CanonicalUrl& url, Shapes shapes) noexcept {
  Expressions all(url, shapes);
  if (url.is_ip())
    all.add_host(url.host());
  else
    all.add_labels5(url.host());
  return all;
}

Expressions Expressions::labels5_of_name(std::string_view host) noexcept {
  Expressions all;
  all.paths_[all.path_count_++] = 1;  // the slash
  all.add_labels5(host);
  return all;
}

Result<Expressions> Expressions::public_suffix(const CanonicalUrl& url,
                                               std::size_t registrable_bytes,
                                               Shapes shapes) noexcept {
  const std::string_view host = url.host();
  const std::size_t bytes = registrable_bytes;
  const bool is_whole = bytes == 0 || bytes == host.size() ||
                        (bytes < host.size() && host[host.size() - bytes - 1] == '.');
  if (!is_whole) return Status::kInvalidOption;
  Expressions all(url, shapes);
  all.add_host(host);
  if (url.is_ip() || bytes == 0) return all;
  std::string_view suffix = host.substr(host.size() - bytes);
  for (std::size_t i = 0; i < kMaxSuffixes && suffix.size() < host.size(); ++i) {
    all.add_host(suffix);
    suffix = with_next_label(host, suffix);
  }
  return all;
}

}  // namespace tamis::url
