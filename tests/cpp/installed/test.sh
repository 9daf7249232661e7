#!/bin/sh
# Installs the library of a build folder, and builds and runs what finds it there: `sh test.sh BUILD FOLDER`. That the
# examples take the sources as well is configured, not built.
set -eu
build=$1
folder=$2
root=$(cd "$(dirname "$0")/../../.." && pwd)
export CMAKE_GENERATOR=Ninja CMAKE_PREFIX_PATH="$folder/prefix"
cmake -S "$root/cpp/examples" -B "$folder/sources" -DFETCHCONTENT_SOURCE_DIR_TAMIS="$root"
cmake --install "$build" --prefix "$folder/prefix"
for source in cpp/examples tests/cpp/installed; do
  cmake -S "$root/$source" -B "$folder/$source"
  cmake --build "$folder/$source"
done

cd "$folder/cpp/examples"
for name in blocklist usernames usernames; do ./$name $name.tamis <"$root/README.md"; done

cd "$folder/tests/cpp/installed"
./program
./host ./libplugin.so
# Another plug-in may have another version of the library.
if nm --dynamic --demangle --defined-only libplugin.so | grep ' T tamis::'; then exit 1; fi
# A formula of sizes in a user's object would round as the user's flags say.
nm --demangle --defined-only CMakeFiles/user.dir/user.cpp.o >symbols
grep -q 'T knows' symbols
if grep 'tamis::sizing::.*(' symbols; then exit 1; fi

export PKG_CONFIG_PATH="$folder/prefix/lib/pkgconfig" LD_LIBRARY_PATH="$folder/prefix/lib"
sources="$root/tests/cpp/installed/program.cpp $root/tests/cpp/installed/user.cpp"
c++ -std=c++20 $sources -o by-pkg-config $(pkg-config --cflags --libs tamis)
./by-pkg-config
