#!/bin/sh
# Each compiler of this machine takes a user's program without a warning.
set -eu
cd "$(dirname "$0")"
for compiler in c++ /usr/bin/g++-[0-9]* /usr/bin/clang++-[0-9]*; do
  command -v "$compiler" || continue
  for source in program.cpp user.cpp; do
    "$compiler" -std=c++20 -O2 -Wall -Wextra -Wconversion -Wshadow -Werror -I../../../cpp/include \
      -c $source -o /dev/null
  done
done
