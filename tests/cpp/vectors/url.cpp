#include <tamis/hash/sha2.hpp>
#include <tamis/url/url_delta.hpp>
#include <tamis/url/url_list.hpp>

#include "vectors/vectors.hpp"

namespace tamis::vectors {
namespace {

using url::UrlDelta;
using url::UrlList;

// The bytes in a string, as all keys are here.
std::string digest_of(const std::string& expression) {
  const auto digest = detail::sha256(key_of(expression));
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

Strings digests_of(const Strings& expressions) {
  Strings hashes;
  for (const auto& expression : expressions) hashes.push_back(digest_of(expression));
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

// Prefixes of hashes in order.
UrlList list_of_hashes(const Strings& hashes, std::uint32_t prefix_bytes, const char* rule,
                       url::Shapes shapes) {
  std::string bytes;
  for (const auto& hash : hashes) bytes += hash.substr(0, prefix_bytes);
  auto set = url::PrefixSet::build(key_of(bytes), prefix_bytes);
  MUST(set.ok());
  auto list = UrlList::of(std::move(*set), rule, shapes);
  MUST(list.ok());
  return std::move(*list);
}

UrlList list_of(const Strings& expressions, std::uint32_t prefix_bytes,
                const char* rule = "labels5", url::Shapes shapes = 0) {
  Strings hashes = digests_of(expressions);
  std::sort(hashes.begin(), hashes.end());
  // The options of a builder, unless a file needs others.
  const url::Shapes found = shapes_of(expressions);
  return list_of_hashes(hashes, prefix_bytes, rule, shapes != 0 ? shapes : found);
}

// The hash that begins with these 4 bytes, and has zeros behind them.
std::string hash_of(std::uint32_t first) {
  std::string hash(32, '\0');
  for (std::size_t i = 0; i < 4; ++i) hash[i] = static_cast<char>(first >> (24 - 8 * i));
  return hash;
}

Strings hashes_of(const std::vector<std::uint32_t>& firsts) {
  Strings hashes;
  for (const std::uint32_t first : firsts) hashes.push_back(hash_of(first));
  return hashes;
}

// Those from `first` up to `end`.
Strings hashes_from(std::uint32_t first, std::uint32_t end) {
  Strings hashes;
  for (std::uint32_t i = first; i < end; ++i) hashes.push_back(hash_of(i));
  return hashes;
}

UrlDelta delta_of(const UrlList& older, const UrlList& newer) {
  auto delta = url::diff(older, newer);
  MUST(delta.ok());
  return std::move(*delta);
}

// A list with two shapes.
const Strings kMixed = {"evil.example/", "bad.example/page"};

// A list by the rule `parents`, with the marks of its hosts of six labels or more, and the next one.
const Strings kParents = {
    "evil.example/", "a.b.c.d.e.example/", "a.b.c.d.bad.example/", "f.e.d.c.b.a.bad.example/",
    ".d.e.example/", ".d.bad.example/",    ".a.bad.example/"};
const Strings kNextParents = {"evil.example/", "a.b.c.d.e.example/", "g.f.e.d.c.b.a.bad.example/",
                              ".d.e.example/", ".a.bad.example/"};

}  // namespace

template <>
void vectors<UrlList>(Writer& writer) {
  const Golden<UrlList> golden(writer);
  const auto valid = [&](const std::string& name, const Strings& expressions,
                         std::uint32_t prefix_bytes, const char* rule = "labels5",
                         url::Shapes shapes = 0) {
    const UrlList list = list_of(expressions, prefix_bytes, rule, shapes);
    // A part of the keys, as the manifest has one list a line.
    const auto count = std::ssize(expressions);
    const Strings present = part(expressions, std::max<std::ptrdiff_t>(count - 50, 0), count);
    golden.valid(name, list, digests_of(present), digests_of(hosts(2000, 2020)),
                 [&](const std::string& digest) { return list.contains(key_of(digest).data()); });
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
  // Neighbours, and one that is far behind them. Its quotient takes more than two words of ones.
  for (const std::uint32_t quotient : {31u, 32u, 33u, 65u}) {
    Strings hashes = hashes_from(7, 47);
    hashes.push_back(hash_of(46 + 8 * quotient + 2));
    const UrlList list = list_of_hashes(hashes, 4, "labels5", 1);
    golden.valid("quotient-" + std::to_string(quotient), list, hashes, hashes_from(300, 310),
                 [&](const std::string& hash) { return list.contains(key_of(hash).data()); });
  }
  valid("shapes",
        {"evil.example/", "bad.example/a/", "bad.example/a/b/", "bad.example/a/b/c/",
         "bad.example/page", "bad.example/page?query"},
        4);
  valid("pages", {"bad.example/page", "bad.example/a/b/c/d/"}, 4);
  valid("mixed", kMixed, 4);
  valid("mixed-all-shapes", kMixed, 4, "labels5", url::kAllShapes);
  valid("empty-all-shapes", {}, 4, "labels5", url::kAllShapes);
  valid("parents", kParents, 4, "parents");
  valid("parents-next", kNextParents, 4, "parents");
  valid("parents-pages", {"a.b.c.d.e.example/page", ".d.e.example/"}, 4, "parents", 0b010000);
  // Without marks.
  valid("parents-all-shapes", {"evil.example/", "a.b.c.d.e.example/"}, 4, "parents",
        url::kAllShapes);
  valid("rule-of-1-byte", hosts(0, 10), 4, "r");
  valid("rule-of-64-bytes", hosts(0, 10), 4,
        "psl-icann+private@2026-11 in the words of whoever made this list");

  valid("rule-with-tilde", hosts(0, 10), 4, "a~b");
  // Lists of integers at the ends of Rice coding.
  const auto of_prefixes = [](const std::vector<std::uint32_t>& prefixes) {
    return list_of_hashes(hashes_of(prefixes), 4, "labels5", 1);
  };
  const auto valid_prefixes = [&](const std::string& name,
                                  const std::vector<std::uint32_t>& prefixes,
                                  const std::vector<std::uint32_t>& others) {
    UrlList list = of_prefixes(prefixes);
    golden.valid(name, list, hashes_of(prefixes), hashes_of(others),
                 [&](const std::string& digest) { return list.contains(key_of(digest).data()); });
    return list;
  };
  // The differences have no more bits than (n - 1) (k + 1), and nothing fills the last byte.
  const UrlList close = valid_prefixes("close", {5, 6, 9}, {4, 7, 8, 10});
  // Nine bits, the last of which is alone in its byte.
  valid_prefixes("9-bits", {5, 6, 14}, {4, 7, 13, 15});
  const UrlList far = valid_prefixes("first-and-last", {0, ~0u}, {1, ~0u - 1});
  golden.damaged(close, {
                            {"difference-0", {u8(148, 0x02)}},
                            {"first-difference-0", {u8(148, 0x20)}},
                        });
  golden.damaged(far, {{"sum-2-to-32", {u8(147, 1)}}});
  golden.damaged(list_of(hosts(0, 10), 4), {
                                               {"rule-empty", {u32(72, 0), u64(80, 0)}},
                                               {"rule-with-31", {u8(82, 31)}},
                                               {"rule-with-127", {u8(82, 127)}},
                                           });
  golden.damaged(list_of(hosts(0, 10), 4, std::string(64, 'r').c_str()),
                 {{"rule-of-65", {u32(72, 65)}}});

  golden.damaged(list_of(hosts(0, 20), 4),
                 {
                     {"hash", {u8(kHashAt, 1)}},
                     {"seed", {u64(kSeedAt, 1)}},
                     {"capacity", {u64(kCapacityAt, 21)}},
                     {"count", {counts(21)}},
                     {"count-less", {counts(1)}},
                     {"count-huge", {counts(sizing::kMaxCount)}},
                     {"prefix-bytes-0", {u32(64, 0)}},
                     {"prefix-bytes-5", {u32(64, 5)}},
                     {"prefix-bytes-64", {u32(64, 64)}},
                     {"parameter-2", {u32(68, 2)}},
                     {"parameter-31", {u32(68, 31)}},
                     {"parameter-huge", {u32(68, ~0u)}},
                     {"rule-of-0-bytes", {u32(72, 0)}},
                     {"rule-of-65-bytes", {u32(72, 65)}},
                     {"rule-cut", {u32(72, 6)}},
                     {"rule-with-zero", {u8(82, 0)}},
                     {"rule-with-line-end", {u8(82, '\n')}},
                     {"rule-with-high-byte", {u8(82, 0xe9)}},
                     {"rule-padding", {u8(143, 'x')}},
                     {"shapes-none", {u32(76, 0)}},
                     {"shapes-bit-6", {u32(76, 0x41)}},
                     {"shapes-bit-31", {u32(76, 0x8000'0001)}},
                     {"record-cut", {sized(140)}},
                     {"data-cut", {grown(-1)}},
                     {"data-long", {grown(1)}},
                     {"data-padding", {last_bit()}},
                     // A quotient that has no end, and then sums above 32 bits.
                     {"data-ones", {fill(148, 0xff)}},
                     {"first-last", {u32(144, ~0u)}},
                     {"data-zeros", {fill(148, 0)}},
                 });
  golden.damaged(list_of({}, 4), {
                                     {"empty-shapes-bit-6", {u32(76, 0x40)}},
                                     {"empty-parameter", {u32(68, 0)}},
                                     {"empty-long", {grown(4)}},
                                 });
  golden.damaged(list_of(hosts(0, 1), 4), {
                                              {"one-parameter", {u32(68, 4)}},
                                              {"one-cut", {grown(-1)}},
                                          });
  // The same integer twice: a gap of 0.
  for (const std::uint32_t prefix_bytes : {4u, 8u, 16u, 32u}) {
    const std::ptrdiff_t data_bytes = prefix_bytes - 3;  // a 0, and a rest of 8 w - 29 bits
    golden.damaged(
        list_of(hosts(0, 1), prefix_bytes),
        {{"twice-" + std::to_string(prefix_bytes) + "-bytes", {counts(2), grown(data_bytes)}}});
  }
}

template <>
void vectors<UrlDelta>(Writer& writer) {
  const Golden<UrlDelta> golden(writer);
  const UrlList thousand = list_of(hosts(0, 1000), 4), next = list_of(hosts(20, 1050), 4),
                empty = list_of({}, 4);
  const auto valid = [&](const std::string& name, const UrlList& older, const UrlList& newer) {
    golden.valid(name, delta_of(older, newer), {}, {}, [](const std::string&) { return true; });
  };
  valid("nothing", thousand, thousand);
  valid("next", thousand, next);
  valid("back", next, thousand);
  valid("from-empty", empty, thousand);
  valid("to-empty", thousand, empty);
  valid("8-bytes", list_of({}, 8), list_of(hosts(0, 100), 8));
  valid("16-bytes", list_of({}, 16), list_of(hosts(0, 100), 16));
  valid("32-bytes", list_of({}, 32), list_of(hosts(0, 100), 32));
  const UrlList mixed = list_of(kMixed, 4);
  valid("without-pages", mixed, list_of({"evil.example/"}, 4));
  valid("shapes-alone", mixed, list_of(kMixed, 4, "labels5", url::kAllShapes));

  valid("parents", list_of(kParents, 4, "parents"), list_of(kNextParents, 4, "parents"));

  golden.damaged(delta_of(thousand, next),
                 {
                     {"hash", {u8(kHashAt, 0)}},
                     {"key-id", {u64(kKeyIdAt, 1)}},
                     {"removals", {u64(kCapacityAt, 21)}},
                     {"removals-huge", {u64(kCapacityAt, sizing::kMaxCount)}},
                     {"additions", {u64(kCountAt, 51)}},
                     {"additions-huge", {u64(kCountAt, sizing::kMaxCount)}},
                     {"prefix-bytes", {u8(68, 6)}},
                     {"prefix-bytes-8", {u8(68, 8)}},
                     {"removals-parameter", {u8(69, 30)}},
                     {"additions-parameter", {u8(70, 30)}},
                     {"shapes-none", {u8(71, 0)}},
                     {"shapes-bit-6", {u8(71, 0x41)}},
                     {"shapes-bit-7", {u8(71, 0x81)}},
                     {"record-cut", {sized(70)}},
                     {"data-cut", {grown(-1)}},
                     {"data-long", {grown(1)}},
                 });
  golden.damaged(delta_of(empty, empty), {
                                             {"nothing-shapes-bit-6", {u8(71, 0x40)}},
                                             {"nothing-parameter", {u8(69, 0)}},
                                             {"nothing-long", {grown(1)}},
                                         });
}

}  // namespace tamis::vectors
