// The types of the published package: what they name, and what they leave out.
// Run by `node --test tests/package/types.test.mjs`.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import ts from 'typescript';
import { apiFile, apiOf, readTypes } from './api.mjs';
import { app, installed, read } from './app.mjs';
import { output, packed } from './workspace.mjs';

const advice = 'If you meant to change the API, run `npm run api` and commit js/api.txt';

test('are the API that js/api.txt shows', () => {
  const [expected, found] = [readFileSync(apiFile, 'utf8'), apiOf(installed)].map((text) =>
    text.split('\n'),
  );
  const at = found.findIndex((line, i) => line !== expected[i]);
  const differs = at >= 0 || found.length !== expected.length;
  assert.ok(!differs, `${advice}. Line ${at + 1}:\n- ${expected[at]}\n+ ${found[at]}`);
});

test('show no internal name', () => {
  const internal = /\b(ClassOf|callOrThrow|Core|derive|Handle|Host|Owned|tell|TrustedKey)\b/;
  const files = packed.files.filter((file) => file.endsWith('.d.ts'));
  assert.ok(files.length >= 10);
  for (const file of files) {
    // Some of them are words of sentences too.
    const code = read(file).replace(/\/\*.*?\*\//gs, '');
    assert.doesNotMatch(code, internal, file);
  }
});

test('say that an entry exports as values what it does export', () => {
  const { entries } = readTypes(installed);
  const script = `
    const entries = ${JSON.stringify(Object.keys(entries))};
    const names = entries.map(async (entry) => [entry, Object.keys(await import(entry)).sort()]);
    console.log(JSON.stringify(Object.fromEntries(await Promise.all(names))));`;
  const exported = JSON.parse(output('node', ['--input-type=module', '-e', script], { cwd: app }));
  for (const [entry, list] of Object.entries(entries)) {
    const values = list.filter(({ isValue }) => isValue).map(({ name }) => name);
    assert.deepEqual(values, exported[entry], entry);
  }
});

test('have one word for one idea', () => {
  const { entries, symbols, checker } = readTypes(installed);
  const named = Object.values(entries).flatMap((exported) => exported.map(({ symbol }) => symbol));
  const wrong = [];
  for (const symbol of new Set([...symbols, ...named])) {
    for (const member of symbol.members?.values() ?? []) {
      const [declaration] = member.declarations ?? [];
      if (!ts.isPropertySignature(declaration) && !ts.isPropertyDeclaration(declaration)) continue;
      const text = checker.typeToString(checker.getTypeOfSymbol(member));
      const isWord = /^on[A-Z]/.test(member.name) && !text.includes('=>');
      const isSecret = member.name === 'key' && text.includes('Uint8Array');
      // A signed manifest has this field in its bytes.
      const isName =
        member.name === 'list' && text.includes('string') && symbol.name !== 'ManifestFields';
      if (isWord || isSecret || isName) wrong.push(`${symbol.name}.${member.name}: ${text}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('order arguments alike in functions of one name', () => {
  const { entries, checker } = readTypes(installed);
  const orders = new Map();
  for (const { name, symbol } of Object.values(entries).flat()) {
    if ((symbol.flags & ts.SymbolFlags.Function) === 0) continue;
    const [signature] = checker.getTypeOfSymbol(symbol).getCallSignatures();
    const order = signature.parameters.map((one) => one.name).join();
    orders.set(name, (orders.get(name) ?? new Set()).add(order));
  }
  const shared = [...orders].filter(([, found]) => found.size > 1);
  assert.deepEqual(shared, []);
  assert.ok(orders.has('fromBytes') && orders.has('hashKey'));
});
