// Builds a filter from the lines of a blocklist, and writes a file that JavaScript can read. The
// list is fixed: a changed list needs a new file.
//
//   blocklist FILE < LINES
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include <tamis/tamis.hpp>

namespace {

int fail(const char* what, tamis::Status status) {
  std::cerr << "blocklist: " << what << ": " << tamis::code(status) << ": "
            << tamis::message(status) << "\n";
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: blocklist FILE < LINES\n";
    return 2;
  }
  std::vector<std::string> keys;
  for (std::string line; std::getline(std::cin, line);) keys.push_back(line);

  // The rate becomes a power of 1/2, here 2^-10: one absent key in 1,024 gets a wrong answer.
  const auto filter = tamis::build<tamis::BinaryFuseFilter>(keys, {.fpr = 0.001});
  if (!filter.ok()) return fail("build", filter.status());

  const auto bytes = tamis::encode(*filter);
  if (!bytes.ok()) return fail("encode", bytes.status());
  std::FILE* file = std::fopen(argv[1], "wb");
  const bool is_written =
      file != nullptr && std::fwrite(bytes->data(), 1, bytes->size(), file) == bytes->size();
  if (file == nullptr || std::fclose(file) != 0 || !is_written) {
    std::perror(argv[1]);
    return 1;
  }

  // decode() checks every byte. A damaged file gives a status, such as ERR_TAMIS_CORRUPT.
  const auto read = tamis::decode<tamis::BinaryFuseFilter>(bytes->span());
  if (!read.ok()) return fail("decode", read.status());
  for (const std::string& key : keys) {
    if (!read->may_contain(key)) return fail("look-up", tamis::Status::kInternal);
  }
  std::cout << read->count() << " keys in " << bytes->size() << " bytes\n";
}
