// Wrong calls. The types refuse each that they can, and the error says what to do: the tables have its whole text.
// Run by `node --test tests/package/messages.test.mjs`.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';
import { compilerOptions } from './api.mjs';
import { app } from './app.mjs';
import { messages } from './messages.mjs';
import { head, newcomers, setup, unrefused } from './newcomers.mjs';
import { output, root, run } from './workspace.mjs';

const rowsOf = (table) =>
  Object.entries(table).flatMap(([code, rows]) =>
    Object.entries(rows).map(([call, message]) => ({ code, call, message })),
  );
const first = rowsOf(newcomers);
const all = [...first, ...rowsOf(messages)];

const programOf = (start, rows) =>
  `${start}export const calls = [\n${rows.map(({ call }) => `  async () => ${call},\n`).join('')}];\n`;

test('the types refuse what newcomers write', () => {
  const file = join(app, 'newcomers.mts');
  writeFileSync(file, programOf(head, first));
  const program = ts.createProgram([file], compilerOptions);
  const source = program.getSourceFile(file);
  const lines = ts.getPreEmitDiagnostics(program, source).map(({ start }) => {
    const { line } = source.getLineAndCharacterOfPosition(start);
    return line - head.split('\n').length;
  });
  assert.ok(
    lines.every((line) => line in first),
    'the head compiles',
  );
  const compiled = first.filter((_, i) => !lines.includes(i)).map(({ call }) => call);
  assert.deepEqual(compiled.sort(), Object.keys(unrefused).sort());
  assert.ok(first.length - compiled.length >= 28);
});

test('the errors say what to do', () => {
  const file = join(app, 'messages.mjs');
  const tell = `
const told = [];
for (const call of calls) {
  const { code = 'none', message } = await call().then(() => ({ message: 'no error' }), (error) => error);
  told.push({ code, message });
}
console.log(JSON.stringify(told));
process.exit();`;
  writeFileSync(file, `${programOf(head + setup, all)}${tell}`);
  const told = JSON.parse(output('node', [file], { cwd: app }));
  // As rows of the tables, for a text that was meant to change.
  const wrong = told.flatMap(({ code, message }, i) => {
    const row = all[i];
    if (code === row.code && message === row.message) return [];
    return [`${code}: ${JSON.stringify(row.call)}: ${JSON.stringify(message)},`];
  });
  assert.deepEqual(wrong, []);
});

test('the guide shows them', () => {
  const args = ['js/scripts/documents.mjs', '--check', 'docs/guide/errors.md'];
  const { status, stderr } = run('node', args, { cwd: root });
  assert.equal(status, 0, stderr);
});
