// Remembers the pages that a reader has seen: a class of your own that contains a filter, exported
// to JavaScript with embind. Run this command in the root of tamis to build it; it needs
// /usr/include only for xxhash.h.
//
//   em++ -std=c++20 -O2 -DNDEBUG -ffp-contract=off -fno-exceptions -lembind -sALLOW_MEMORY_GROWTH \
//     -Icpp/include -idirafter /usr/include cpp/src/*.cpp cpp/src/*/*.cpp cpp/examples/embind.cpp \
//     -o seen_urls.mjs
//
//   import load from './seen_urls.mjs';
//   const { SeenUrls } = await load();
//   const seen = SeenUrls.create(1_000_000);
//   if (seen instanceof Error) throw seen;
//   const isNew = seen.add(location.href);
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <emscripten/bind.h>
#include <tamis/tamis.hpp>

namespace {

using emscripten::val;

// Errors are returned to JavaScript as values, because an exception would skip destructors.
val error(tamis::Status status) {
  return val::global("Error").new_(std::string(tamis::code(status)));
}

class SeenUrls {
 public:
  explicit SeenUrls(tamis::BloomFilter filter)
      : filter_(std::make_shared<tamis::BloomFilter>(std::move(filter))) {}

  static val create(std::uint32_t capacity) {
    return wrap(tamis::BloomFilter::create({.capacity = capacity, .fpr = 0.001}));
  }
  // Reads what save() returned. embind passes a Uint8Array as a std::string.
  static val load(const std::string& bytes) {
    return wrap(tamis::decode<tamis::BloomFilter>(std::as_bytes(std::span(bytes))));
  }

  bool has(const std::string& url) const { return filter_->may_contain(url); }
  // True if the URL is certainly new.
  bool add(const std::string& url) { return filter_->insert(url); }
  val save() const {
    const auto bytes = tamis::encode(*filter_);
    if (!bytes.ok()) return error(bytes.status());
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes->data());
    return val::global("Uint8Array").new_(emscripten::typed_memory_view(bytes->size(), data));
  }

 private:
  static val wrap(tamis::Result<tamis::BloomFilter> filter) {
    return filter.ok() ? val(SeenUrls(std::move(*filter))) : error(filter.status());
  }

  // A shared_ptr, because embind copies the objects that it returns to JavaScript.
  std::shared_ptr<tamis::BloomFilter> filter_;
};

}  // namespace

EMSCRIPTEN_BINDINGS(seen_urls) {
  emscripten::class_<SeenUrls>("SeenUrls")
      .class_function("create", &SeenUrls::create)
      .class_function("load", &SeenUrls::load)
      .function("has", &SeenUrls::has)
      .function("add", &SeenUrls::add)
      .function("save", &SeenUrls::save);
}
