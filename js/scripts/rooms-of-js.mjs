// The rooms of js/src, and the imports that are allowed between them. Each room knows only rooms before it in the
// table. So no arrow runs upward, and no two rooms know each other.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';

const core = ['core', 'core/border', 'core/keys', 'core/signed', 'core/structures'];
/** Modules for Node alone. */
const node = /^node:/;
const signedLists = ['core', 'core/signed', 'url/list', 'url/signed'];
/** A room of the command line, which takes the package by its name. */
const ofCommand = (room, knows) => ({ room, knows, packages: /^[^#.]/ });

/**
 * From the lowest up: a folder, or a file that is a room by itself, and the rooms and files that it may import. Files of
 * one folder know each other, unless they are `apart`; `but` names files that may know one other all the same.
 * `packages` are the packages that a room may name; default none.
 */
const ROOMS = [
  { room: 'wasm', knows: [], packages: /^node:buffer$/ },
  { room: 'wasm/parts', knows: ['wasm'] },
  { room: 'core', knows: ['wasm'] },
  { room: 'core/border', knows: ['wasm', 'wasm/parts', 'core'] },
  { room: 'core/keys', knows: ['wasm', 'wasm/parts', 'core', 'core/border'] },
  { room: 'core/signed', knows: ['core'] },
  { room: 'core/structures', knows: ['wasm', 'core', 'core/border', 'core/keys'] },
  { room: 'disk', knows: ['core/errors.ts'], packages: node },

  {
    room: 'filters',
    knows: ['wasm/parts', ...core],
    apart: true,
    // toBloom returns one.
    but: { 'filters/counting-bloom.ts': 'filters/bloom.ts' },
  },
  { room: 'filters/all.ts', knows: ['filters'] },
  { room: 'any.ts', knows: [...core, 'filters', 'filters/all.ts'] },
  { room: 'suggest.ts', knows: [...core, 'filters'] },
  { room: 'index.ts', knows: [...core, 'filters', 'any.ts', 'suggest.ts'] },

  { room: 'schemes', knows: ['wasm/parts', ...core] },
  {
    room: 'interop',
    knows: [
      'wasm',
      'wasm/parts',
      ...core,
      'filters/bloom.ts',
      'filters/blocked-bloom.ts',
      'schemes',
    ],
  },
  { room: 'redis', knows: [...core, 'filters/blocked-bloom.ts', 'interop/redis-blocks.ts'] },

  // The part of the core that knows no wasm.
  { room: 'read', knows: ['core/errors.ts', 'core/key-types.ts', 'core/tags.ts', 'core/utf8.ts'] },
  { room: 'pages', knows: ['core', 'core/signed'] },
  { room: 'pages/options.ts', knows: [...core, 'pages'] },
  {
    room: 'pages/builder',
    knows: [...core, 'filters', 'disk/index.ts', 'pages', 'pages/options.ts'],
    packages: node,
  },
  { room: 'pages/steps.ts', knows: [...core, 'pages', 'pages/options.ts', 'pages/builder'] },
  {
    room: 'pages/index.ts',
    knows: [...core, 'pages', 'pages/options.ts', 'pages/builder'],
    packages: node,
  },
  { room: 'remote', knows: ['core', 'core/signed', 'read', 'pages'] },

  {
    room: 'feeds',
    knows: [
      ...['errors', 'growing-bytes', 'host-names', 'key-types', 'options', 'streams'].map(
        (name) => `core/${name}.ts`,
      ),
    ],
  },

  { room: 'url/list', knows: ['wasm', 'wasm/parts', ...core] },
  { room: 'url/signed', knows: ['core', 'core/signed'] },
  { room: 'url/client', knows: signedLists },
  { room: 'url/guard', knows: [...signedLists, 'url/client'] },
  { room: 'url/server', knows: [...signedLists, 'feeds/report.ts'] },
  { room: 'url', knows: [...signedLists, 'url/client', 'url/guard', 'url/server'] },
  { room: 'safe-browsing', knows: [...signedLists, 'url/client', 'url/guard'] },

  ofCommand('node/frame', ['disk/index.ts']),
  ofCommand('node/files', ['node/frame', 'disk/index.ts']),
  ofCommand('node/signing', ['node/frame']),
  ofCommand('node/filters', ['node/frame', 'node/files']),
  ofCommand('node/pages', [
    ...['node/frame', 'node/files', 'node/signing'],
    ...['disk/index.ts', 'pages/steps.ts'],
  ]),
  ofCommand('node/url', [
    ...['node/frame', 'node/files', 'node/signing', 'node/filters', 'disk/index.ts'],
  ]),
  ofCommand('node/redis', ['node/frame', 'node/files', 'node/filters']),
  ofCommand(
    'node',
    ['frame', 'files', 'filters', 'pages', 'url', 'redis']
      .map((name) => `node/${name}`)
      .concat('disk/index.ts'),
  ),
];

const named = new Map(ROOMS.map((one) => [one.room, one]));

/** The room of a file of js/src. */
const roomOf = (file) => named.get(file) ?? named.get(posix.dirname(file));

/** Faults of the table itself: a sentence for each room that knows a room after it. */
function checkTable() {
  const before = new Set();
  const wrong = [];
  for (const { room, knows } of ROOMS) {
    for (const name of knows) {
      const isBefore = before.has(name) || before.has(posix.dirname(name));
      if (!isBefore) wrong.push(`${room} knows ${name}, which does not stand before it`);
    }
    before.add(room);
  }
  return wrong;
}

/** The reason that forbids an import of a file; undefined if it is allowed. */
function refusal(file, { room, knows, apart = false, but = {}, packages }, name) {
  if (packages?.test(name)) return undefined;
  if (!name.startsWith('.')) return `${room} takes no package of this name`;
  const target = posix.join(posix.dirname(file), name).replace(/\.js$/, '.ts');
  const other = roomOf(target);
  if (other === undefined) return 'js/src has no such room';
  const isOwn = other.room === room && (!apart || but[file] === target);
  if (isOwn || knows.includes(target) || knows.includes(other.room)) return undefined;
  return `beside itself, ${room} knows only ${knows.join(', ') || 'packages'}`;
}

/**
 * Calls `report` with the file, the line and a sentence for each import that the table does not allow. Returns the
 * number of files that it read.
 */
export function checkImports(root, report) {
  for (const sentence of checkTable()) report('js/scripts/rooms-of-js.mjs', 1, sentence);
  const folder = join(root, 'js/src');
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true }).sort() : [];
  const files = names.filter((name) => /\.[cm]?[jt]sx?$/.test(name));
  if (files.length === 0) report('js/src', 1, 'is empty: no import was checked');
  for (const file of files) {
    const path = posix.join('js/src', file);
    const room = roomOf(file);
    if (room === undefined) {
      report(path, 1, 'lies in no room: add it to js/scripts/rooms-of-js.mjs');
      continue;
    }
    const text = readFileSync(join(folder, file), 'utf8');
    for (const { fileName, pos } of ts.preProcessFile(text).importedFiles) {
      const why = refusal(file, room, fileName);
      const line = text.slice(0, pos).split('\n').length;
      if (why !== undefined) report(path, line, `imports ${fileName}: ${why}`);
    }
  }
  return files.length;
}
