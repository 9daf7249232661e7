// What a user compiles with tamis inside: a build, look-ups, rates, and a file.
#include <tamis/tamis.hpp>

extern "C" bool knows(const char* name) {
  const auto filter = tamis::build<tamis::BloomFilter>({"ada", "grace"});
  const auto fixed = tamis::build<tamis::BinaryFuseFilter>({"ada", "grace"});
  if (!filter.ok() || !fixed.ok()) return false;
  const auto bytes = tamis::encode(*filter);
  if (!bytes.ok() || !(filter->fpr() < 1) || !(filter->estimated_fpr() < 1)) return false;
  const auto read = tamis::decode<tamis::BloomFilter>(bytes->span());
  return read.ok() && read->may_contain(name) && fixed->may_contain(name) &&
         TAMIS_VERSION_MAJOR >= 0;
}
