// A user's program, as docs/cpp.md shows it: fixed lists, keys that come over time, values, and a file.
#include <map>
#include <string>
#include <vector>

#include <tamis/tamis.hpp>

extern "C" bool knows(const char* name);

int main() {
  const std::vector<std::string> names = {"ada", "grace"};
  const auto fuse = tamis::build<tamis::BinaryFuseFilter>(names, {.fpr = 0.001});
  const auto ribbon = tamis::build<tamis::RibbonFilter>(names);
  const auto exact = tamis::build<tamis::ExactFilter>(names, {"linus"});
  const std::map<std::string, int> births = {{"ada", 1815}, {"grace", 1906}};
  const auto years = tamis::build<tamis::BloomierMap>(births, {.value_bits = 11});
  auto bloom = tamis::BloomFilter::create({.capacity = 1'000'000, .fpr = 0.01});
  auto cuckoo = tamis::build<tamis::CuckooFilter>(names, {.capacity = 1'000});
  if (!fuse || !ribbon || !exact || !years || !bloom || !cuckoo) return 2;

  const auto is_new = bloom->insert("ada");
  const auto is_gone = cuckoo->erase("grace");
  const auto bytes = tamis::encode(*bloom);
  if (!is_new.ok() || !*is_new || !is_gone.ok() || !*is_gone || !bytes) return 3;
  const auto read = tamis::decode<tamis::BloomFilter>(bytes->span());
  if (!read || !read->may_contain("ada") || !fuse->may_contain("ada")) return 4;
  if (!ribbon->may_contain("ada") || exact->may_contain("linus")) return 5;
  return years->get("ada") == 1815 && knows("ada") && !knows("linus") ? 0 : 6;
}
