// Writes the golden files: make_vectors FOLDER puts each *.tamis there and prints the manifest, as
// JSON without digests, which js/scripts/vectors.mjs completes. make_vectors FOLDER url: those of
// the types of url/, which no filter's reader knows.

#include "vectors/vectors.hpp"

void tamis::test::broken(const char* file, int line, const char* condition) {
  vectors::fail(std::string(file) + ":" + std::to_string(line) + ": broken: " + condition);
}

int main(int argc, char** argv) {
  const bool is_url = argc == 3 && std::string(argv[2]) == "url";
  if (argc != 2 && !is_url) tamis::vectors::fail("usage: make_vectors FOLDER [url]");
  tamis::vectors::Writer writer(argv[1]);
  tamis::for_each_type([&]<class F>() {
    if (tamis::Structure<F> != is_url) tamis::vectors::vectors<F>(writer);
  });
}
