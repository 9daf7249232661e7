#include <stdexcept>
#include <string>

#include "support/container.hpp"

// A broken MUST fails the test that it is in.
void tamis::test::broken(const char* file, int line, const char* condition) {
  throw std::logic_error(std::string(file) + ":" + std::to_string(line) + ": broken: " + condition);
}
