#!/bin/sh
# Builds for other machines: `sh cross.sh FILTER`, or for one of them `sh cross.sh FILTER MACHINE`. qemu-user runs the
# contract program on the processors, of which s390x is big-endian. For Windows the examples are linked, and not run.
set -eu
if [ $# = 1 ]; then
  printf '%s\n' aarch64 s390x windows | xargs -P 2 -n 1 sh "$0" "$1"
  exit
fi
filter=$1
machine=$2
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$root/build/cross/$machine
export CMAKE_GENERATOR=Ninja
if [ "$machine" = windows ]; then
  export CXX=x86_64-w64-mingw32-g++ CXXFLAGS=-Werror
  cmake -S "$root/cpp/examples" -B "$folder" -DCMAKE_SYSTEM_NAME=Windows \
    -DFETCHCONTENT_SOURCE_DIR_TAMIS="$root"
  cmake --build "$folder"
  exit
fi

export CC="$machine-linux-gnu-gcc" CXX="$machine-linux-gnu-g++" CXXFLAGS=-O1 LDFLAGS=-static
build() { # TARGET -S SOURCE -B FOLDER OPTION...
  target=$1
  shift
  cmake "$@" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_BUILD_TYPE=None
  cmake --build "$4" --target "$target"
}
# Debian has GoogleTest for this machine alone, and its sources.
build install -S /usr/src/googletest -B "$folder/gtest" -DBUILD_GMOCK=OFF -DCMAKE_INSTALL_PREFIX="$folder"
build tamis_contract_tests -S "$root" -B "$folder/tamis" -DTAMIS_TESTS=ON -DCMAKE_PREFIX_PATH="$folder"
"qemu-$machine" "$folder/tamis/tamis_contract_tests" --gtest_brief=1 "--gtest_filter=$filter"
