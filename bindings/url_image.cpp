// bindings/url_image.cpp - images of URL lists, the form in which clients store a list. It uses
// plain exports only, because the code that registers functions would be a fifth of this part.

#include <tamis/url/list_image.hpp>

#include "handles.hpp"
#include "part.hpp"

using namespace tamis;
using namespace tamis::bindings;

// Returns the size of the list's image, and writes the image to `out` unless `out` is null.
TAMIS_EXPORT("url-image", "_tamis_url_image_write")
double tamis_url_image_write(Handle handle, std::byte* out) {
  const auto* list = find_a<url::UrlList>(handle);
  if (list == nullptr) return negative(Status::kUnsupported);
  const auto size = static_cast<std::size_t>(url::image_bytes(*list));
  if (out != nullptr) (void)url::write_image(*list, {out, size});
  return static_cast<double>(size);
}

// Opens an image. Writes the list's entries to `out`; their size must be exactly `room` bytes.
TAMIS_EXPORT("url-image", "_tamis_url_image_open")
Handle tamis_url_image_open(const std::byte* image, std::size_t size, std::byte* out,
                            std::size_t room, Address status) {
  return hand_over(adopt(url::read_image({image, size}, {out, room})), status);
}
