#!/bin/sh
# Builds the files of a release: `npm run release -- FOLDER`. The release workflow runs it. It needs GNU tar.
#
#   FOLDER/assets/tamis-1.2.3.tgz           the package that npm publishes
#   FOLDER/assets/tamis-1.2.3-wasm.tar.gz   the folder that `--wasm` of the build takes
#   FOLDER/assets/SHA256SUMS                the digests of both, as sha256sum --check reads them
#   FOLDER/notes.md                         the text of CHANGELOG, and the digests of dist/cdn for browsers
set -eu
folder=${1:?expected the folder to write}
version=$(node -p "require('./package.json').version")

fail() {
  echo "release: $1" >&2
  exit 1
}
[ "${GITHUB_REF_NAME-v$version}" = "v$version" ] || fail "the tag is not v$version"
if git grep -n 'tamis-[p]laceholder'; then fail 'the owner of the repository is a placeholder'; fi
notes=$(sed -n "/^## \[$version\] - /,/^## /{/^## /!p}" CHANGELOG.md)
[ -n "$notes" ] || fail "CHANGELOG.md says nothing of $version"

npm run build
rm -rf "$folder"
mkdir -p "$folder/assets"
npm pack --silent --pack-destination "$folder/assets"
# Equal parts give equal bytes.
tar --create --sort=name --format=ustar --mtime=@0 --mode=u=rw,go=r,a+X --owner=0 --group=0 --numeric-owner \
  --directory build --transform "s/^parts/tamis-$version-wasm/" parts |
  gzip -9n >"$folder/assets/tamis-$version-wasm.tar.gz"
{
  printf '%s\n\nFor pages without a bundler, the digests that browsers check:\n\n' "$notes"
  for file in dist/cdn/*; do
    echo "- \`$file\`: \`sha384-$(openssl dgst -sha384 -binary "$file" | base64 -w0)\`"
  done
} >"$folder/notes.md"
cd "$folder/assets"
sha256sum -- *.tgz *.tar.gz >SHA256SUMS
