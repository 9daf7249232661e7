#!/bin/sh
# npm runs this in `npm version`, before the commit: it writes the version and the day where npm does not. GNU sed.
set -eu
sed -i "s/^## \[Unreleased\]$/## [$npm_new_version] - $(date -u +%F)/" CHANGELOG.md
sed -i "s/^\(project(tamis VERSION\) [^ ]*/\1 $npm_new_version/" CMakeLists.txt
sed -i "s/tamis@[0-9.]*[0-9]/tamis@$npm_new_version/g" docs/guide/frameworks.md
header=cpp/include/tamis/version.hpp
sed -i "s/^\(#define TAMIS_VERSION\) .*/\1 \"$npm_new_version\"/" $header
numbers=${npm_new_version%%-*}
for name in PATCH MINOR MAJOR; do
  sed -i "s/^\(#define TAMIS_VERSION_$name\) .*/\1 ${numbers##*.}/" $header
  numbers=${numbers%.*}
done
git add CHANGELOG.md CMakeLists.txt docs/guide/frameworks.md $header
