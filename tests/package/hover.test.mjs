// What an editor shows over the first names of each entry, and over the calls that make an object.
// Run by `node --test tests/package/hover.test.mjs`.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';
import { compilerOptions, readTypes } from './api.mjs';
import { app, installed } from './app.mjs';

const most = 300;

/** The places that an editor is asked about: a name, and the calls that make an object if it is a class. */
function placesOf({ name, symbol }) {
  if ((symbol.flags & ts.SymbolFlags.Class) === 0) return [name];
  const [own] = symbol.members.get('__constructor')?.declarations ?? [];
  const isPrivate = own && ts.getCombinedModifierFlags(own) & ts.ModifierFlags.Private;
  return [name, `${name}.from`, `${name}.fromBytes`, ...(isPrivate ? [] : [`new ${name}`])];
}

const { entries } = readTypes(installed);
/** A module for each entry, with a line for each place. */
const modules = Object.entries(entries).map(([entry, exported], i) => {
  const values = exported.filter(({ isValue }) => isValue).slice(0, 10);
  const names = values.map(({ name }) => name);
  const file = join(app, `hover-${i}.mts`);
  const places = values.flatMap(placesOf);
  writeFileSync(file, [`import { ${names} } from '${entry}'`, ...places, ''].join(';\n'));
  return { entry, file, places };
});
const service = ts.createLanguageService({
  getCompilationSettings: () => compilerOptions,
  getScriptFileNames: () => modules.map(({ file }) => file),
  getScriptVersion: () => '1',
  getScriptSnapshot: (path) => ts.ScriptSnapshot.fromString(readFileSync(path, 'utf8')),
  getCurrentDirectory: () => app,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: ts.sys.fileExists,
  readFile: ts.sys.readFile,
});

/** What an editor shows over the end of a line: the signature, and the first paragraph of the documentation. */
function hoverAt(file, line) {
  const source = service.getProgram().getSourceFile(file);
  const info = service.getQuickInfoAtPosition(file, source.getLineStarts()[line + 1] - 2);
  if (info === undefined) return undefined;
  const [signature, text] = [info.displayParts, info.documentation].map(ts.displayPartsToString);
  return [signature, text.split('\n\n')[0]].join('\n');
}

for (const { entry, file, places } of modules) {
  test(`of ${entry} is short, and shows no internal type`, () => {
    const shown = places.map((place, i) => [place, hoverAt(file, i + 1)]);
    const known = shown.filter(([, text]) => text !== undefined);
    assert.ok(known.length >= places.length / 3, `${known.length} of ${places.length}`);
    const wrong = known.filter(
      ([, text]) => text.length > most || /this:|\b(Adopted|ClassOf|Container)\b/.test(text),
    );
    const said = wrong.map(([place, text]) => `${place}: ${text.length} characters\n${text}`);
    assert.ok(wrong.length === 0, said.join('\n\n'));
  });
}
