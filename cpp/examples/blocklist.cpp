// A blocklist's way to its readers: every line of a text becomes a key of a filter, and the filter a
// file. The npm package opens it by fromBytes().
//
//   blocklist LINES FILE
#include <cstdint>
#include <fstream>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include <tamis/tamis.hpp>

namespace {

tamis::Key key_of(const std::string& line) { return std::as_bytes(std::span(line)); }

int fail(tamis::Status status) {
  std::cerr << "blocklist: " << tamis::code(status) << ": " << tamis::message(status) << "\n";
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: blocklist LINES FILE\n";
    return 2;
  }
  std::vector<std::string> lines;
  std::ifstream in(argv[1]);
  for (std::string line; std::getline(in, line);) lines.push_back(line);

  tamis::BinaryFuseFilter::Config config;
  config.fpr = 0.001;
  std::vector<std::uint64_t> hashes;
  for (const auto& line : lines) {
    hashes.push_back(static_cast<std::uint64_t>(config.hasher(key_of(line))));
  }
  const auto filter = tamis::BinaryFuseFilter::build(config, hashes);
  if (!filter.ok()) return fail(filter.status());
  const auto bytes = tamis::encode(*filter);
  if (!bytes.ok()) return fail(bytes.status());
  std::ofstream out(argv[2], std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes->span().data()),
            static_cast<std::streamsize>(bytes->span().size()));
  if (!out.flush()) {
    std::cerr << "blocklist: cannot write " << argv[2] << "\n";
    return 1;
  }

  // What a reader does. decode() believes nothing: damaged bytes are a status.
  const auto read = tamis::decode<tamis::BinaryFuseFilter>(bytes->span());
  if (!read.ok()) return fail(read.status());
  for (const auto& line : lines) {
    if (!read->may_contain(key_of(line))) return fail(tamis::Status::kInternal);
  }
  std::cout << lines.size() << " lines in " << bytes->span().size() << " bytes\n";
}
