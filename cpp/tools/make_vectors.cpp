// Writes the golden files: make_vectors FOLDER puts each *.tamis there and prints the manifest, as
// JSON without digests, which js/scripts/vectors.mjs completes.

#include "vectors.hpp"

int main(int argc, char** argv) {
  if (argc != 2) tamis::vectors::fail("usage: make_vectors FOLDER");
  tamis::vectors::Writer writer(argv[1]);
#define TAMIS_FILTER(Type, slug, id, kind, traits) \
  tamis::vectors::vectors(writer, std::type_identity<tamis::Type>{});
#include <tamis/filters.def>
#undef TAMIS_FILTER
}
