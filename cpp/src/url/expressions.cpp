#include <tamis/url/expressions.hpp>

namespace tamis::url {
namespace {

constexpr std::size_t kMaxSuffixes = Expressions::kMaxHosts - 1;

}  // namespace

Expressions::Expressions(const CanonicalUrl& url, Shapes shapes) noexcept
    : host_(url.host()), last_(host_.size()) {
  const std::string_view path = url.path();
  const auto add = [&](std::uint32_t shape, std::size_t bytes) {
    if ((shapes >> shape & 1) != 0) paths_[path_count_++] = bytes;
  };
  if (!url.query().empty()) add(kQueryShape, path.size() + 1 + url.query().size());
  // The path itself is a page, or a folder below these.
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

// In the URL's text the path follows the host, so each expression is a substring.
void Expressions::add_host(std::size_t bytes) noexcept {
  const char* const from = host_.data() + host_.size() - bytes;
  for (std::size_t i = 0; i < path_count_; ++i) all_[size_++] = {from, bytes + paths_[i]};
}

void Expressions::add_name(bool goes_on) noexcept {
  add_host(host_.size());
  // The last label, which alone is never an expression; or the whole host if it has one label.
  last_ = host_.size() - host_.rfind('.') - 1;
  add_parents(kMaxSuffixes, host_.npos);
  if (!goes_on) last_ = host_.size();
  const std::size_t size = size_, last = last_;
  add_parents(1, kMaxParentBytes);
  if (size_ == size) return;
  size_ = size;
  last_ = last;
  // The mark: from the dot before the last three labels (the host with index 2) to the slash.
  const char* const from = all_[2 * path_count_].data() - 1;
  all_[size_] = {from, static_cast<std::size_t>(host_.data() + host_.size() - from) + 1};
}

void Expressions::add_parents(std::size_t most, std::size_t most_bytes) noexcept {
  for (; most != 0 && last_ != host_.size(); --most) {
    // The dot before the current suffix, and the dot before that.
    const std::size_t dot = host_.size() - last_ - 1;
    const std::size_t before = dot == 0 ? host_.npos : host_.rfind('.', dot - 1);
    // If there is no such dot, the next suffix is the whole host.
    last_ = host_.size() - before - 1;
    if (last_ > most_bytes) last_ = host_.size();
    if (last_ != host_.size()) add_host(last_);
  }
}

bool Expressions::advance() noexcept {
  size_ = 0;
  add_parents(kMaxHosts, kMaxParentBytes);
  all_[size_] = {};
  return size_ != 0;
}

Expressions Expressions::labels5(const CanonicalUrl& url, Shapes shapes, bool goes_on) noexcept {
  Expressions all(url, shapes);
  if (url.is_ip())
    all.add_host(all.last_);
  else
    all.add_name(goes_on);
  return all;
}

Expressions Expressions::labels5_of_name(std::string_view host, bool goes_on) noexcept {
  Expressions all;
  all.host_ = host;
  all.paths_[all.path_count_++] = 1;  // the slash
  all.add_name(goes_on);
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
  all.add_host(all.last_);
  if (url.is_ip() || bytes == 0 || bytes == host.size()) return all;
  all.add_host(all.last_ = bytes);
  all.add_parents(kMaxSuffixes - 1, host.npos);
  all.last_ = host.size();
  return all;
}

}  // namespace tamis::url
