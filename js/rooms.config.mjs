// The rooms of js/src, and the imports, also of types, that are allowed between them, as rules of dependency-cruiser.
// Each room knows only rooms before it in the table. So no arrow runs upward, and no two rooms know each other.

import { posix } from 'node:path';

const core = ['core', 'core/border', 'core/keys', 'core/signed', 'core/structures'];
/** What of the packages a room must not name: all but Node's modules, or nothing. */
const onlyNode = { dependencyTypesNot: ['core'] };
const noneRefused = { path: '^js/src/' };
const signedLists = ['core', 'core/signed', 'url/list', 'url/signed'];
/** A room of the command line, which takes the package by its name. */
const ofCommand = (room, knows) => ({ room, knows, refused: noneRefused });

/**
 * From the lowest up: a folder, or a file that is a room by itself, and the rooms and files that it may import. Files of
 * one folder know each other, unless they are `apart`; `but` has a file, and another one that it may know all the same.
 * `refused` are packages; by default all.
 */
const ROOMS = [
  { room: 'wasm', knows: [], refused: { pathNot: ['^(?:node:)?buffer$'] } },
  { room: 'wasm/parts', knows: ['wasm'] },
  { room: 'core', knows: ['wasm'] },
  { room: 'core/border', knows: ['wasm', 'wasm/parts', 'core'] },
  { room: 'core/keys', knows: ['wasm', 'wasm/parts', 'core', 'core/border'] },
  { room: 'core/signed', knows: ['core'] },
  { room: 'core/structures', knows: ['wasm', 'core', 'core/border', 'core/keys'] },
  { room: 'disk', knows: ['core/errors.ts', 'core/replace-file.ts'], refused: onlyNode },

  {
    room: 'filters',
    knows: ['wasm/parts', ...core],
    apart: true,
    // toBloom returns one.
    but: ['filters/counting-bloom.ts', 'filters/bloom.ts'],
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
  { room: 'read', knows: ['core/errors.ts', 'core/key-types.ts', 'core/utf8.ts'] },
  { room: 'pages', knows: ['core', 'core/signed'] },
  { room: 'pages/options.ts', knows: [...core, 'pages'] },
  {
    room: 'pages/builder',
    knows: [...core, 'filters', 'disk/index.ts', 'pages', 'pages/options.ts'],
    refused: onlyNode,
  },
  { room: 'pages/steps.ts', knows: [...core, 'pages', 'pages/options.ts', 'pages/builder'] },
  {
    room: 'pages/index.ts',
    knows: [...core, 'pages', 'pages/options.ts', 'pages/builder'],
    refused: onlyNode,
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

const isFile = (name) => name.endsWith('.ts');
const literal = (name) => name.replaceAll('.', '\\.');

/** The files of a room, or one file. A file of a folder that is a room by itself is not in the folder's. */
function patternOf(name) {
  if (isFile(name)) return `^js/src/${literal(name)}$`;
  const others = ROOMS.map(({ room }) => room).filter(
    (room) => isFile(room) && posix.dirname(room) === name,
  );
  const left = others.map((room) => `(?!${literal(posix.basename(room))}$)`).join('');
  return `^js/src/${name}/${left}[^/]+$`;
}

/** What these files may import of js/src, and no more. */
const rule = (name, from, known, refused = {}) => ({
  name,
  severity: 'error',
  from,
  to: { ...refused, pathNot: [...known.map(patternOf), ...(refused.pathNot ?? [])] },
});

function rulesOf({ room, knows, apart, but: [file, other] = [], refused }, index) {
  const before = ROOMS.slice(0, index).map((one) => one.room);
  const late = knows.find(
    (name) => !before.includes(name) && !before.includes(posix.dirname(name)),
  );
  if (late) throw new Error(`${room} knows ${late}, which does not stand before it`);
  const path = patternOf(room);
  if (!apart) return [rule(room, { path }, [...knows, room], refused)];
  return [
    rule(room, { path, pathNot: patternOf(file) }, knows, refused),
    rule(file, { path: patternOf(file) }, [...knows, other], refused),
  ];
}

export default {
  forbidden: [
    ...ROOMS.flatMap(rulesOf),
    {
      name: 'in-no-room',
      severity: 'error',
      from: { path: '^js/src/', pathNot: ROOMS.map(({ room }) => patternOf(room)) },
      to: {},
    },
    { name: 'no-circle', severity: 'error', from: {}, to: { circular: true } },
  ],
  options: {
    doNotFollow: 'node_modules/',
    tsPreCompilationDeps: true,
  },
};
