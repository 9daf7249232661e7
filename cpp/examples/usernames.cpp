// Stores the names that are taken in a Bloom filter. Each run reads the file of the previous run,
// adds the names in its input, and writes the file again.
//
//   usernames FILE < NAMES
#include <fstream>
#include <iostream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include <tamis/tamis.hpp>

namespace {

tamis::Result<tamis::BloomFilter> open_filter(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return tamis::BloomFilter::create({.capacity = 1'000'000, .fpr = 0.01});
  const std::vector<char> bytes(std::istreambuf_iterator<char>(in), {});
  return tamis::decode<tamis::BloomFilter>(std::as_bytes(std::span(bytes)));
}

int fail(tamis::Status status) {
  std::cerr << "usernames: " << tamis::code(status) << ": " << tamis::message(status) << "\n";
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: usernames FILE < NAMES\n";
    return 2;
  }
  auto filter = open_filter(argv[1]);
  if (!filter.ok()) return fail(filter.status());

  std::size_t known = 0;
  for (std::string name; std::getline(std::cin, name);) {
    if (!filter->insert(name)) ++known;
  }

  const auto bytes = tamis::encode(*filter);
  if (!bytes.ok()) return fail(bytes.status());
  std::ofstream out(argv[1], std::ios::binary);
  for (const std::byte byte : bytes->span()) out.put(std::to_integer<char>(byte));
  if (!out.flush()) {
    std::cerr << "usernames: cannot write " << argv[1] << "\n";
    return 1;
  }
  std::cout << filter->count() << " names, " << known << " of them taken before\n";
}
