// The public API as text: what each entry exports, in the order of names, without comments.
// `node tests/package/api.mjs` writes js/api.txt from what lies in dist.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';
import { isProgram, root } from '../../js/scripts/run.mjs';

export const apiFile = join(root, 'js/api.txt');

/** Those of a strict program for a page. */
export const compilerOptions = {
  strict: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'].map((name) => `lib.${name}.d.ts`),
  types: [],
};

const has = ({ flags }, flag) => (flags & flag) !== 0;
const isTypeAlone = ({ declarations }) =>
  declarations.some((one) => ts.isExportSpecifier(one) && ts.isTypeOnlyExportDeclaration(one));

/**
 * Reads the types of the package in `folder`. `entries` has the exports of each entry, in the order of names, and
 * `symbols` all that its files declare or import.
 */
export function readTypes(folder) {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const paths = Object.keys(exports).filter((path) => exports[path].types);
  const fileOf = (path) => join(folder, exports[path].types);
  const program = ts.createProgram(paths.map(fileOf), compilerOptions);
  const checker = program.getTypeChecker();
  const aimOf = (one) => (has(one, ts.SymbolFlags.Alias) ? checker.getAliasedSymbol(one) : one);
  const exportsOf = (path) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(fileOf(path)));
    const found = checker.getExportsOfModule(module).map((one) => {
      const symbol = aimOf(one);
      const isValue = has(symbol, ts.SymbolFlags.Value) && !isTypeAlone(one);
      return { name: one.name, symbol, isValue };
    });
    return found.sort((one, other) => (one.name < other.name ? -1 : 1));
  };
  const dist = join(folder, 'dist/');
  const files = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(dist));
  return {
    checker,
    entries: Object.fromEntries(paths.map((path) => [posix.join('tamis', path), exportsOf(path)])),
    symbols: new Set(files.flatMap(({ locals }) => [...locals.values()]).map(aimOf)),
  };
}

const printer = ts.createPrinter({ removeComments: true });

/** The declarations of a symbol, without comments. */
function print({ declarations }) {
  const texts = declarations.map((one) => {
    const node = ts.isVariableDeclaration(one) ? one.parent.parent : one;
    return printer.printNode(ts.EmitHint.Unspecified, node, one.getSourceFile());
  });
  return texts.join('\n').replaceAll(/^declare /gm, '');
}

/** The API of the package in `folder`. What several entries export is at the first of them. */
export function apiOf(folder) {
  const { entries, symbols } = readTypes(folder);
  const homes = new Map();
  const parts = ['The API of tamis, which `npm run api` writes.'];
  for (const [entry, exported] of Object.entries(entries)) {
    parts.push(`== ${entry}`);
    for (const { name, symbol, isValue } of exported) {
      const isClass = has(symbol, ts.SymbolFlags.Class);
      const text = homes.has(symbol) ? `${name}: see ${homes.get(symbol)}` : print(symbol);
      parts.push(isClass && !isValue ? `as a type: ${text}` : text);
      if (!homes.has(symbol)) homes.set(symbol, entry);
    }
  }
  const others = [...symbols].filter((symbol) => !homes.has(symbol)).map(print);
  return `${[...parts, '== named above, and exported by no entry', ...others.sort()].join('\n\n')}\n`;
}

if (isProgram(import.meta)) writeFileSync(apiFile, apiOf(root));
