// A user's program, as docs/cpp.md shows it: fixed lists, keys that come over time, values, and a file.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <tamis/tamis.hpp>

extern "C" bool knows(const char* name);

struct Order {
  std::uint32_t shop;
  std::uint64_t number;
};
static std::string tamis_key(const Order& order) {
  return std::to_string(order.shop) + "/" + std::to_string(order.number);
}

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

  bloom->insert("ada");
  bloom->insert(7);
  bloom->insert(Order{3, 70});
  bloom->insert_range(std::vector<std::uint64_t>{8, 9});
  const auto bytes = tamis::encode(*bloom);
  if (!cuckoo->insert("linus").ok() || !cuckoo->erase("grace") || !bytes) return 3;
  const auto read = tamis::decode<tamis::BloomFilter>(bytes->span());
  if (!read || *read != *bloom || !fuse->may_contain("ada")) return 4;
  if (!read->may_contain(std::uint8_t{9}) || !read->may_contain(Order{3, 70})) return 4;
  if (!ribbon->may_contain("ada") || exact->may_contain("linus")) return 5;
  return years->get("ada") == 1815 && knows("ada") && !knows("linus") ? 0 : 6;
}
