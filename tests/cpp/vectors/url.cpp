#include <tamis/detail/sha2.hpp>
#include <tamis/url/url_delta.hpp>
#include <tamis/url/url_list.hpp>

#include "vectors/vectors.hpp"

namespace tamis::vectors {
namespace {

using url::UrlDelta;
using url::UrlList;

// As bytes in a string, as all keys are here.
std::string hash_of(const std::string& expression) {
  const auto digest = detail::sha256({key_of(expression), {}});
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

Strings hashes_of(const Strings& expressions) {
  Strings hashes;
  for (const auto& expression : expressions) hashes.push_back(hash_of(expression));
  return hashes;
}

Strings hosts(int from, int to) {
  Strings all;
  for (int i = from; i < to; ++i) all.push_back("host-" + std::to_string(i) + ".example/");
  return all;
}

url::Shapes shapes_of(const Strings& expressions) {
  url::Shapes shapes = 0;
  for (const auto& expression : expressions) {
    const auto slashes = std::count(expression.begin(), expression.end(), '/');
    const bool is_folder = expression.back() == '/' && slashes <= url::kFolderShapes;
    const bool has_query = expression.find('?') != std::string::npos;
    shapes |= 1u << (has_query   ? url::kQueryShape
                     : is_folder ? static_cast<std::uint32_t>(slashes - 1)
                                 : url::kPageShape);
  }
  return shapes;
}

UrlList list_of(const Strings& expressions, std::uint32_t prefix_bytes,
                const char* rule = "labels5", url::Shapes shapes = 0) {
  Strings hashes = hashes_of(expressions);
  std::sort(hashes.begin(), hashes.end());
  std::string bytes;
  for (const auto& hash : hashes) bytes += hash.substr(0, prefix_bytes);
  auto set = url::PrefixSet::build(key_of(bytes), prefix_bytes);
  if (!set.ok()) fail("two prefixes are one");
  // Of what a builder would say, where nothing else is asked for.
  const url::Shapes found = shapes_of(expressions);
  auto list = UrlList::of(std::move(*set), rule, shapes != 0 ? shapes : found);
  if (!list.ok()) fail("the rule is refused");
  return std::move(*list);
}

UrlDelta delta_of(const UrlList& older, const UrlList& newer) {
  auto delta = url::diff(older, newer);
  if (!delta.ok()) fail("no delta between two lists");
  return std::move(*delta);
}

// Of two shapes.
const Strings kMixed = {"evil.example/", "bad.example/page"};

void lists(Writer& writer) {
  const auto valid = [&](const std::string& name, const Strings& expressions,
                         std::uint32_t prefix_bytes, const char* rule = "labels5",
                         url::Shapes shapes = 0) {
    const UrlList list = list_of(expressions, prefix_bytes, rule, shapes);
    // A part of the keys, as the manifest has one list a line.
    const auto some = static_cast<std::ptrdiff_t>(std::min<std::size_t>(expressions.size(), 50));
    const Strings present(expressions.end() - some, expressions.end());
    writer.valid("url-list-" + name, list, hashes_of(present), hashes_of(hosts(2000, 2020)),
                 [&](const std::string& hash) { return list.contains(key_of(hash).data()); });
  };
  valid("empty", {}, 4);
  valid("one", {"evil.example/"}, 4);
  valid("two", {"evil.example/", "bad.example/login/"}, 4);
  valid("thousand", hosts(0, 1000), 4);
  valid("next", hosts(20, 1050), 4);
  for (const std::uint32_t prefix_bytes : {8u, 16u, 32u}) {
    const std::string bytes = std::to_string(prefix_bytes) + "-bytes";
    valid("empty-" + bytes, {}, prefix_bytes);
    valid("one-" + bytes, {"evil.example/"}, prefix_bytes);
    valid("hundred-" + bytes, hosts(0, 100), prefix_bytes);
  }
  valid("shapes",
        {"evil.example/", "bad.example/a/", "bad.example/a/b/", "bad.example/a/b/c/",
         "bad.example/page", "bad.example/page?query"},
        4);
  valid("pages", {"bad.example/page", "bad.example/a/b/c/d/"}, 4);
  valid("mixed", kMixed, 4);
  valid("mixed-all-shapes", kMixed, 4, "labels5", url::kAllShapes);
  valid("empty-all-shapes", {}, 4, "labels5", url::kAllShapes);
  valid("rule-of-1-byte", hosts(0, 10), 4, "r");
  valid("rule-of-64-bytes", hosts(0, 10), 4,
        "psl-icann+private@2026-11 in the words of whoever made this list");

  const UrlList small = list_of(hosts(0, 20), 4), one = list_of(hosts(0, 1), 4),
                empty = list_of({}, 4);
  const auto damaged_of = [&](const UrlList& list, const std::string& name, Status status,
                              const std::function<void(Bytes&)>& damage) {
    writer.damaged("url-list-bad-" + name, list, status, damage);
  };
  const auto damaged = [&](const std::string& name, const std::function<void(Bytes&)>& damage) {
    damaged_of(small, name, Status::kCorrupt, damage);
  };
  const auto cut = [](Bytes& b, std::ptrdiff_t more) {
    b.resize(static_cast<std::size_t>(static_cast<std::ptrdiff_t>(b.size()) + more));
    set64(b, 48, b.size() - kHeaderBytes);
  };
  damaged("hash", [](Bytes& b) { b[11] = std::byte{1}; });
  damaged("seed", [](Bytes& b) { set64(b, 16, 1); });
  damaged("capacity", [](Bytes& b) { set64(b, 32, 21); });
  damaged("count", [](Bytes& b) { set64(b, 32, 21), set64(b, 40, 21); });
  damaged("count-less", [](Bytes& b) { set64(b, 32, 1), set64(b, 40, 1); });
  damaged("count-huge",
          [](Bytes& b) { set64(b, 32, sizing::kMaxCount), set64(b, 40, ~0ull >> 11); });
  damaged("prefix-bytes-0", [](Bytes& b) { set32(b, 64, 0); });
  damaged("prefix-bytes-5", [](Bytes& b) { set32(b, 64, 5); });
  damaged("prefix-bytes-64", [](Bytes& b) { set32(b, 64, 64); });
  damaged("parameter-2", [](Bytes& b) { set32(b, 68, 2); });
  damaged("parameter-31", [](Bytes& b) { set32(b, 68, 31); });
  damaged("parameter-huge", [](Bytes& b) { set32(b, 68, ~0u); });
  damaged("rule-of-0-bytes", [](Bytes& b) { set32(b, 72, 0); });
  damaged("rule-of-65-bytes", [](Bytes& b) { set32(b, 72, 65); });
  damaged("rule-cut", [](Bytes& b) { set32(b, 72, 6); });
  damaged("rule-with-zero", [](Bytes& b) { b[82] = std::byte{0}; });
  damaged("rule-with-line-end", [](Bytes& b) { b[82] = std::byte{'\n'}; });
  damaged("rule-with-high-byte", [](Bytes& b) { b[82] = std::byte{0xe9}; });
  damaged("rule-padding", [](Bytes& b) { b[143] = std::byte{'x'}; });
  damaged("shapes-none", [](Bytes& b) { set32(b, 76, 0); });
  damaged("shapes-bit-6", [](Bytes& b) { set32(b, 76, 0x41); });
  damaged("shapes-bit-31", [](Bytes& b) { set32(b, 76, 0x8000'0001); });
  damaged("record-cut", [&](Bytes& b) { b.resize(140), cut(b, 0); });
  damaged("data-cut", [&](Bytes& b) { cut(b, -1); });
  damaged("data-long", [&](Bytes& b) { cut(b, 1); });
  damaged("data-padding", [](Bytes& b) { b.back() |= std::byte{0x80}; });
  // A quotient that no end comes to, and sums above 32 bits.
  damaged("data-ones", [](Bytes& b) { std::fill(b.begin() + 148, b.end(), std::byte{0xff}); });
  damaged("first-last", [](Bytes& b) { std::fill_n(b.begin() + 144, 4, std::byte{0xff}); });
  damaged("data-zeros", [](Bytes& b) { std::fill(b.begin() + 148, b.end(), std::byte{0}); });
  damaged_of(empty, "empty-shapes-bit-6", Status::kCorrupt, [](Bytes& b) { set32(b, 76, 0x40); });
  damaged_of(empty, "empty-parameter", Status::kCorrupt, [](Bytes& b) { set32(b, 68, 0); });
  damaged_of(empty, "empty-long", Status::kCorrupt, [&](Bytes& b) { cut(b, 4); });
  damaged_of(one, "one-parameter", Status::kCorrupt, [](Bytes& b) { set32(b, 68, 4); });
  damaged_of(one, "one-cut", Status::kCorrupt, [&](Bytes& b) { cut(b, -1); });
}

void deltas(Writer& writer) {
  const UrlList thousand = list_of(hosts(0, 1000), 4), next = list_of(hosts(20, 1050), 4),
                empty = list_of({}, 4);
  const auto valid = [&](const std::string& name, const UrlList& older, const UrlList& newer) {
    writer.valid("url-delta-" + name, delta_of(older, newer), {}, {},
                 [](const std::string&) { return true; });
  };
  valid("nothing", thousand, thousand);
  valid("next", thousand, next);
  valid("back", next, thousand);
  valid("from-empty", empty, thousand);
  valid("to-empty", thousand, empty);
  valid("32-bytes", list_of({}, 32), list_of(hosts(0, 100), 32));
  const UrlList mixed = list_of(kMixed, 4);
  valid("without-pages", mixed, list_of({"evil.example/"}, 4));
  valid("shapes-alone", mixed, list_of(kMixed, 4, "labels5", url::kAllShapes));

  const UrlDelta small = delta_of(thousand, next), nothing = delta_of(empty, empty);
  const auto damaged_of = [&](const UrlDelta& delta, const std::string& name,
                              const std::function<void(Bytes&)>& damage) {
    writer.damaged("url-delta-bad-" + name, delta, Status::kCorrupt, damage);
  };
  const auto damaged = [&](const std::string& name, const std::function<void(Bytes&)>& damage) {
    damaged_of(small, name, damage);
  };
  const auto cut = [](Bytes& b, std::ptrdiff_t more) {
    b.resize(static_cast<std::size_t>(static_cast<std::ptrdiff_t>(b.size()) + more));
    set64(b, 48, b.size() - kHeaderBytes);
  };
  damaged("hash", [](Bytes& b) { b[11] = std::byte{0}; });
  damaged("key-id", [](Bytes& b) { set64(b, 24, 1); });
  damaged("removals", [](Bytes& b) { set64(b, 32, 21); });
  damaged("removals-huge", [](Bytes& b) { set64(b, 32, sizing::kMaxCount); });
  damaged("additions", [](Bytes& b) { set64(b, 40, 51); });
  damaged("additions-huge", [](Bytes& b) { set64(b, 40, sizing::kMaxCount); });
  damaged("prefix-bytes", [](Bytes& b) { b[68] = std::byte{6}; });
  damaged("prefix-bytes-8", [](Bytes& b) { b[68] = std::byte{8}; });
  damaged("removals-parameter", [](Bytes& b) { b[69] = std::byte{30}; });
  damaged("additions-parameter", [](Bytes& b) { b[70] = std::byte{30}; });
  damaged("shapes-none", [](Bytes& b) { b[71] = std::byte{0}; });
  damaged("shapes-bit-6", [](Bytes& b) { b[71] = std::byte{0x41}; });
  damaged("shapes-bit-7", [](Bytes& b) { b[71] = std::byte{0x81}; });
  damaged("record-cut", [&](Bytes& b) { b.resize(70), cut(b, 0); });
  damaged("data-cut", [&](Bytes& b) { cut(b, -1); });
  damaged("data-long", [&](Bytes& b) { cut(b, 1); });
  damaged_of(nothing, "nothing-shapes-bit-6", [](Bytes& b) { b[71] = std::byte{0x40}; });
  damaged_of(nothing, "nothing-parameter", [](Bytes& b) { b[69] = std::byte{0}; });
  damaged_of(nothing, "nothing-long", [&](Bytes& b) { cut(b, 1); });
}

}  // namespace

void url_vectors(Writer& writer) {
  lists(writer);
  deltas(writer);
}

}  // namespace tamis::vectors
