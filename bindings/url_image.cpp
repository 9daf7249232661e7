// bindings/url_image.cpp - a list of URLs as it is in memory, for clients, which store one. It has
// nothing of the control plane: the code that registers functions would be a fifth of this part.

#include <tamis/url/list_image.hpp>

#include "handles.hpp"
#include "part.hpp"

using namespace tamis;
using namespace tamis::bindings;

// Returns the number of bytes of the list's image, and writes them to `out` unless that is null.
TAMIS_EXPORT("url-image", "_tamis_url_image_write")
double tamis_url_image_write(Handle handle, std::byte* out) {
  const auto* list = find_a<url::UrlList>(handle);
  if (list == nullptr) return negative(Status::kUnsupported);
  const auto size = static_cast<std::size_t>(url::image_bytes(*list));
  if (out != nullptr) (void)url::write_image(*list, {out, size});
  return static_cast<double>(size);
}

// Writes the entries into `room` bytes at `out`. They must have exactly this length.
TAMIS_EXPORT("url-image", "_tamis_url_image_open")
Handle tamis_url_image_open(const std::byte* image, std::size_t size, std::byte* out,
                            std::size_t room, Address status) {
  return hand_over(adopt(url::read_image({image, size}, {out, room})), status);
}
