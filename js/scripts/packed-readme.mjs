// Makes README.md's links absolute while npm packs it. npm shows no other file of the package, so links and pictures lead
// to the repository that package.json names. The repository itself keeps relative links, which hold in every clone.
//
//   node js/scripts/packed-readme.mjs [restore]     (in the package's folder)

import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';

const { repository } = JSON.parse(readFileSync('package.json', 'utf8'));
const url = repository.url.replace(/^git\+|\.git$/g, '');

/** The address at which the repository shows a file or a folder, or serves the bytes of a picture. */
const placeOf = (path, isPicture) =>
  `${url}/${isPicture ? 'raw' : statSync(path).isDirectory() ? 'tree' : 'blob'}/main/`;

/** The text with each link to a file of the repository made absolute. */
function leadOut(text) {
  const link = /(!?)(\[[^[\]]*\]\()([^)#\s]+)/g;
  return text.replace(link, (whole, mark, label, path) =>
    existsSync(path) ? mark + label + placeOf(path, mark === '!') + path : whole,
  );
}

/** The text with those links made relative again. */
const leadBack = (text) =>
  ['blob', 'tree', 'raw'].reduce(
    (left, kind) => left.replaceAll(`](${url}/${kind}/main/`, ']('),
    text,
  );

const change = process.argv[2] === 'restore' ? leadBack : leadOut;
writeFileSync('README.md', change(readFileSync('README.md', 'utf8')));
