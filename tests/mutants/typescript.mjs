// Mutants of TypeScript: how many small faults in five folders of js/src the tests of Jest notice.
//
//   node tests/mutants/typescript.mjs places --list FILE [--tree FOLDER] [--seed 1]
//   node tests/mutants/typescript.mjs instrument --list FILE --copy FOLDER [--tree FOLDER]
//   node tests/mutants/typescript.mjs reach --copy FOLDER --reach FILE [--set NAME=VALUE]
//   node tests/mutants/typescript.mjs run --copy FOLDER --reach FILE --results FILE [--jobs 1]
//     [--set NAME=VALUE]
//   node tests/mutants/typescript.mjs summary --list FILE --results FILE
//
// `places` chooses the mutants. `instrument` copies a tree that has been built, writes all mutants into the sources of
// the copy, and builds it again: the environment names the active ones. The list is good for other trees too: a place
// that moved is found by its lines. `reach` runs each test file once without a mutant, and notes the mutants that it
// reaches. `run` runs each test file with all mutants at once that it reaches and that no file has killed yet, first
// the file that reaches most a second. If it fails, each half of them is tried alone, and so on to the single ones that
// it kills. `reach` and `run` go on where they stopped.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import { root } from '../../js/scripts/run.mjs';
import { jestProgram } from '../../js/scripts/suites.mjs';

const folders = ['read', 'url/list', 'url/guard', 'core/keys', 'feeds'].map((n) => `js/src/${n}`);
const mutantsOfFolder = 40;
const kinds = ['operator', 'constant', 'condition', 'statement'];

const operators = {
  ...{ '+': '-', '-': '+', '*': '/', '/': '*', '%': '*', '**': '*', '<<': '>>', '>>': '<<' },
  ...{ '>>>': '>>', '&': '|', '|': '&', '^': '|', '<': '<=', '<=': '<', '>': '>=', '>=': '>' },
  ...{ '===': '!==', '!==': '===', '==': '!=', '!=': '==', '&&': '||', '||': '&&', '??': '&&' },
  ...{ '++': '--', '--': '++' },
};
/** The other operator, also for those with an assignment, such as +=. */
const otherOf = (sign) =>
  operators[sign] ?? (sign.endsWith('=') ? operators[sign.slice(0, -1)]?.concat('=') : undefined);

/** In parentheses, so that the other operator cannot take less or more as its operand. */
const operand = (node) =>
  ts.isBinaryExpression(node) || ts.isConditionalExpression(node) || ts.isArrowFunction(node)
    ? `(${node.getText()})`
    : node.getText();

function otherOperator(node) {
  if (ts.isBinaryExpression(node)) {
    const other = otherOf(node.operatorToken.getText());
    return other && `${operand(node.left)} ${other} ${operand(node.right)}`;
  }
  const text = node.getText();
  if (ts.isPostfixUnaryExpression(node)) return text.slice(0, -2) + operators[text.slice(-2)];
  if (!ts.isPrefixUnaryExpression(node)) return undefined;
  // `!x`, `-x` and `~x` become x.
  return /^(\+\+|--)/.test(text)
    ? operators[text.slice(0, 2)] + text.slice(2)
    : node.operand.getText();
}

function otherConstant(node) {
  const { parent } = node;
  if (parent?.name === node) return undefined;
  if (node.kind === ts.SyntaxKind.TrueKeyword) return 'false';
  if (node.kind === ts.SyntaxKind.FalseKeyword) return 'true';
  if (ts.isNumericLiteral(node)) return String(Number(node.text) + 1);
  if (ts.isBigIntLiteral(node)) return `${BigInt(node.text.slice(0, -1)) + 1n}n`;
  // A text with a space is a message for people.
  if (!ts.isStringLiteralLike(node) || node.text === '' || node.text.includes(' '))
    return undefined;
  const isImport = parent.expression?.kind === ts.SyntaxKind.ImportKeyword;
  return isImport || parent.argumentExpression === node || parent.tag ? undefined : "''";
}

function otherConditions(node) {
  const { parent } = node;
  const isOfExpression = [ts.isIfStatement, ts.isWhileStatement, ts.isDoStatement];
  const isCondition =
    parent?.condition === node ||
    (parent?.expression === node && isOfExpression.some((is) => is(parent)));
  if (!isCondition) return [];
  // A loop that always goes on never ends, which shows little and takes long.
  const isOfLoop = ts.isIterationStatement(parent, false);
  return isOfLoop ? ['false'] : ['true', 'false', `!(${node.getText()})`];
}

function isRemovable(node) {
  if (ts.isThrowStatement(node)) return true;
  if (ts.isReturnStatement(node)) {
    const around = ts.findAncestor(node, ts.isFunctionLike);
    return !node.expression || around?.type?.kind === ts.SyntaxKind.VoidKeyword;
  }
  return ts.isExpressionStatement(node) && !node.getText().startsWith('super(');
}

const withoutValues = [
  ...[ts.isTypeNode, ts.isInterfaceDeclaration, ts.isTypeAliasDeclaration, ts.isEnumDeclaration],
  ...[ts.isImportDeclaration, ts.isExportDeclaration],
  ({ modifiers }) => modifiers?.some(({ kind }) => kind === ts.SyntaxKind.DeclareKeyword),
];

/** Calls `add` with each mutant of a node and of those below. */
function visit(node, add) {
  if (withoutValues.some((is) => is(node))) return;
  const changes = [
    ['operator', otherOperator(node)],
    ['constant', otherConstant(node)],
    ...otherConditions(node).map((other) => ['condition', other]),
    ['statement', isRemovable(node) ? '' : undefined],
  ];
  for (const [kind, mutated] of changes) if (mutated !== undefined) add(node, kind, mutated);
  ts.forEachChild(node, (child) => visit(child, add));
}

function mutantsOf(tree, file) {
  const text = fs.readFileSync(join(tree, file), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lines = text.split('\n');
  const found = [];
  visit(source, (node, kind, mutated) => {
    const [start, end] = [node.getStart(), node.getEnd()];
    const { line, character } = source.getLineAndCharacterOfPosition(start);
    const context = [lines[line - 1], lines[line], lines[line + 1]];
    const original = text.slice(start, end);
    found.push({ file, start, end, original, mutated, kind, line: line + 1, character, context });
  });
  return found;
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Chooses mutants of all kinds in turn, each from one of the files that have the fewest. None is inside another. */
function choose(all, random) {
  const chosen = [];
  const isApart = (a, b) => a.file !== b.file || a.end <= b.start || b.end <= a.start;
  for (let i = 0; chosen.length < mutantsOfFolder && i < 10 * mutantsOfFolder; i++) {
    const ofKind = all.filter(({ kind }) => kind === kinds[i % kinds.length]);
    const free = ofKind.filter((one) => chosen.every((other) => isApart(one, other)));
    const countOf = ({ file }) => chosen.filter((one) => one.file === file).length;
    const fewest = Math.min(...free.map(countOf));
    const best = free.filter((one) => countOf(one) === fewest);
    if (best.length > 0) chosen.push(best[Math.floor(random() * best.length)]);
  }
  return chosen;
}

function places({ tree, list, seed }) {
  const random = randomFrom(Number(seed));
  const chosen = folders.flatMap((folder) => {
    // Not those that the build writes, which git does not know.
    const files = execFileSync('git', ['ls-files', `${folder}/*.ts`], { cwd: tree }).toString();
    const all = files
      .trim()
      .split('\n')
      .flatMap((file) => mutantsOf(tree, file));
    return choose(all, random);
  });
  chosen.sort((a, b) => (a.file === b.file ? a.start - b.start : a.file < b.file ? -1 : 1));
  const named = chosen.map((one, i) => ({ id: i + 1, ...one }));
  fs.writeFileSync(list, `${JSON.stringify(named, null, 1)}\n`);
}

/** Where a text has a place now, or undefined: in its old line, else in the only line like it. */
function findPlace({ line, character, context, original }, text) {
  const lines = text.split('\n');
  const isLike = (i) => lines[i] === context[1];
  const isSame = (i) => isLike(i) && lines[i - 1] === context[0] && lines[i + 1] === context[2];
  const all = [...lines.keys()];
  const ways = [[line - 1].filter(isSame), all.filter(isSame), all.filter(isLike)];
  const [at] = ways.find((some) => some.length === 1) ?? [];
  if (at === undefined) return undefined;
  const start = lines.slice(0, at).join('\n').length + (at > 0 ? 1 : 0) + character;
  return text.startsWith(original, start) ? start : undefined;
}

/** Goes to the end of each file with mutants. Declarations are there from the start, also in circles of imports. */
const isActive = `
var tamisMutants: any;
function tamisMutant(id: number): boolean {
  if (tamisMutants === undefined) {
    const process = (globalThis as any).process;
    const env = process?.env ?? {};
    const add = env.TAMIS_REACHED && process.getBuiltinModule('node:fs').appendFileSync;
    const active = (env.TAMIS_MUTANTS ?? '').split(',').map(Number);
    tamisMutants = { active, to: env.TAMIS_REACHED, add, seen: [] };
  }
  const { add, to, seen, active } = tamisMutants;
  if (add && !seen[id]) add(to, id + '\\n');
  if (add) seen[id] = true;
  return active.includes(id);
}
`;

/** The code that does one or the other. */
const both = ({ id, kind, original, mutated }) =>
  kind === 'statement'
    ? `{ if (!tamisMutant(${id})) ${original} }`
    : `(tamisMutant(${id}) ? (${mutated}) : (${original}))`;

/** Writes the mutants of one file, the last first. Those without a place get no `start`. */
function writeMutants(copy, file, all) {
  const path = join(copy, file);
  let text = fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : '';
  const mutants = all.filter((one) => one.file === file);
  for (const one of mutants) one.start = findPlace(one, text);
  const placed = mutants.filter(({ start }) => start !== undefined);
  for (const one of placed.sort((a, b) => b.start - a.start))
    text = text.slice(0, one.start) + both(one) + text.slice(one.start + one.original.length);
  if (placed.length > 0) fs.writeFileSync(path, text + isActive);
}

const readJson = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));
const linesOf = (file) => fs.readFileSync(file, 'utf8').split('\n').filter(Boolean);
/** The mutants of a copy, in the places that they have there. */
const listOf = (copy) => join(copy, 'build', 'mutants.json');

function instrument({ tree, list, copy }) {
  fs.mkdirSync(join(copy, 'build'), { recursive: true });
  // No links: what the copy's tests do must not reach the tree.
  for (const name of fs.readdirSync(tree).filter((one) => one !== 'build'))
    execFileSync('cp', ['-a', join(tree, name), copy]);
  for (const name of ['parts', 'wasm'].filter((one) => fs.existsSync(join(tree, 'build', one))))
    execFileSync('cp', ['-a', join(tree, 'build', name), join(copy, 'build')]);
  const mutants = readJson(list);
  for (const file of new Set(mutants.map((one) => one.file))) writeMutants(copy, file, mutants);
  fs.writeFileSync(listOf(copy), JSON.stringify(mutants));
  // Mutants may have wrong types.
  const config = join(copy, 'js', 'tsconfig.json');
  const { compilerOptions, ...others } = readJson(config);
  compilerOptions.noCheck = true;
  fs.writeFileSync(config, JSON.stringify({ compilerOptions, ...others }));
  const build = ['js/scripts/build.mjs', '--wasm', 'build/parts'];
  execFileSync(process.execPath, build, { cwd: copy, stdio: 'inherit' });
  for (const { id, file, line, start } of mutants)
    if (start === undefined) console.log(`mutant ${id} has no place here: ${file}:${line}`);
}

/** The first test that failed, by the output of Jest. */
const failedIn = (printed) => /^ {2}\u25cf (.*)$/m.exec(printed)?.[1] ?? printed.slice(-300);

/** Bash ends each process that uses more seconds of CPU than its $0, and prints what all have used. */
const limited = 'ulimit -c 0 -t "$0"; TIMEFORMAT="cpu %U %S"; time "$@"';

const running = new Set();
/** Kills all processes of a test: they are one session. */
function kill(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // they have ended
  }
}
process.on('exit', () => running.forEach(kill));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

/**
 * Runs a test file, and resolves to its end and its seconds of CPU time, whatever else the machine does meanwhile. What
 * takes `limit` of them hangs. So does what waits for 40 seconds: it is idle at every look.
 */
function runTest(copy, file, more, limit) {
  const temporary = fs.mkdtempSync(join(tmpdir(), 'mutants-'));
  const cache = `--cacheDirectory=${join(copy, 'build', 'jest')}`;
  const args = [...jestProgram, '--ci', '--runInBand', '--bail', cache, file];
  const env = { ...process.env, TMPDIR: temporary, ...more };
  return new Promise((resolve) => {
    const command = ['-c', limited, String(Math.ceil(limit)), process.execPath, ...args];
    const child = spawn('bash', command, { cwd: copy, env, detached: true });
    const { pid } = child;
    running.add(pid);
    let idle = 0;
    const looks = setInterval(() => {
      const { stdout } = spawnSync('ps', ['-L', '-o', 's=', '-s', String(pid)]);
      idle = /[RDT]/.test(String(stdout)) ? 0 : idle + 1;
      if (idle < 4) return;
      kill(pid);
      // What left the session may still hold them.
      for (const stream of [child.stdout, child.stderr]) stream.destroy();
    }, 10_000);
    let printed = '';
    const keep = (text) => {
      printed += text;
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', keep);
    child.on('close', (code) => {
      clearInterval(looks);
      running.delete(pid);
      fs.rmSync(temporary, { recursive: true, force: true });
      // Without a code it was idle; the others are those of SIGKILL and SIGXCPU.
      const failed = [null, 137, 152].includes(code) ? 'timed out' : 'killed';
      const end = code === 0 ? 'passed' : failed;
      const [, user = 0, system = 0] = /^cpu ([\d.]+) ([\d.]+)$/m.exec(printed) ?? [];
      const seconds = Number(user) + Number(system);
      resolve({ end, seconds, ...(end !== 'passed' && { test: failedIn(printed) }) });
    });
  });
}

/** Files of tests with the mutants that each reaches, and its time, as JSON. */
async function reach({ copy, reach: to, env }) {
  const done = fs.existsSync(to) ? readJson(to) : {};
  const files = ['js', 'built'].flatMap((folder) =>
    fs.readdirSync(join(copy, 'tests', folder)).map((name) => `tests/${folder}/${name}`),
  );
  const reached = `${to}.reached`;
  for (const file of files.filter((name) => name.endsWith('.test.ts') && !done[name])) {
    fs.writeFileSync(reached, '');
    let result = await runTest(copy, file, { ...env, TAMIS_REACHED: reached }, 1200);
    // The notes alone disturb a few, such as one where no file can be written.
    if (result.end !== 'passed') result = await runTest(copy, file, env, 1200);
    done[file] = { ...result, ids: [...new Set(linesOf(reached).map(Number))] };
    fs.writeFileSync(to, JSON.stringify(done));
    console.log(file, result);
  }
  fs.rmSync(reached, { force: true });
  const left = Object.keys(done).filter((file) => done[file].end !== 'passed');
  console.log(`left out, since they fail without a mutant: ${left.join(' ') || 'none'}`);
}

/** The mutants of some that a test file kills, each with its end. */
async function findKilled(copy, { name, seconds }, ids, env) {
  // Ten times its time alone.
  const limit = 10 * seconds + 20;
  const active = { ...env, TAMIS_MUTANTS: ids.join() };
  const { end, test } = await runTest(copy, name, active, limit);
  if (end === 'passed') return [];
  if (ids.length > 1) {
    const half = Math.ceil(ids.length / 2);
    const parts = [ids.slice(0, half), ids.slice(half)];
    const found = [];
    for (const part of parts) found.push(...(await findKilled(copy, { name, seconds }, part, env)));
    return found;
  }
  // On a busy machine some fail by chance.
  const without = await runTest(copy, name, env, limit);
  return without.end === 'passed' ? [{ id: ids[0], end, by: name, test }] : [];
}

async function runAll({ copy, reach: from, results, jobs, env }) {
  const tests = Object.entries(readJson(from)).map(([name, found]) => ({ name, ...found }));
  const { ended, files } = fs.existsSync(results) ? readJson(results) : { ended: {}, files: [] };
  const mutants = readJson(listOf(copy));
  for (const { id, start } of mutants) if (start === undefined) ended[id] = { end: 'gone' };
  const isAlive = (id) => ended[id] === undefined;
  const waiting = tests.filter(({ name, end }) => end === 'passed' && !files.includes(name));
  const left = ({ ids }) => ids.filter(isAlive);
  const runNext = async () => {
    const worth = (file) => left(file).length / file.seconds;
    const one = waiting.sort((a, b) => worth(a) - worth(b)).pop();
    const ids = left(one);
    const killed = ids.length > 0 ? await findKilled(copy, one, ids, env) : [];
    for (const { id, ...how } of killed) ended[id] ??= how;
    files.push(one.name);
    fs.writeFileSync(results, JSON.stringify({ ended, files }));
    const alive = mutants.filter(({ id }) => isAlive(id)).length;
    console.log(`${one.name}: ${killed.length} of ${ids.length} killed, ${alive} left`);
  };
  const work = async () => {
    while (waiting.length > 0) await runNext();
  };
  await Promise.all(Array.from({ length: jobs }, work));
}

function summary({ list, results }) {
  const mutants = readJson(list);
  const { ended } = readJson(results);
  const endOf = ({ id }) => ended[id]?.end ?? 'survived';
  const count = (name) => {
    const some = mutants.filter(({ file }) => file.startsWith(`${name}/`));
    const counts = {};
    for (const one of some) counts[endOf(one)] = (counts[endOf(one)] ?? 0) + 1;
    const parts = Object.entries(counts).map(([end, number]) => `${number} ${end}`);
    console.log(`${name}: ${some.length} mutants: ${parts.sort().join(', ')}`);
  };
  for (const folder of ['js', ...folders]) count(folder);
  const short = (text) => text.replace(/\s+/g, ' ').slice(0, 120);
  for (const one of mutants.filter((each) => !['killed', 'timed out'].includes(endOf(each)))) {
    const change = `${short(one.original)} -> ${short(one.mutated) || 'nothing'}`;
    console.log(`${one.id} ${endOf(one)}: ${one.file}:${one.line}: ${change}`);
  }
}

const text = { type: 'string' };
const { values, positionals } = parseArgs({
  options: {
    ...{ list: text, copy: text, reach: text, results: text },
    tree: { ...text, default: root },
    seed: { ...text, default: '1' },
    jobs: { ...text, default: '1' },
    set: { ...text, multiple: true, default: [] },
  },
  allowPositionals: true,
});
const commands = { places, instrument, reach, run: runAll, summary };
await commands[positionals[0]]({
  ...values,
  copy: values.copy && resolve(values.copy),
  jobs: Number(values.jobs),
  env: Object.fromEntries(values.set.map((one) => one.split(/=(.*)/s, 2))),
});
