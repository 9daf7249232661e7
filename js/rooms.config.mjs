// The rooms of js/src, and the imports, also of types, that are allowed between them, as rules of dependency-cruiser.
// Each room knows only rooms before it in the table. So no arrow runs upward, and no two rooms know each other.

import { posix } from 'node:path';

const core = 'core core/border core/keys core/signed core/structures';
const keyless = 'core core/signed';
const lists = `${keyless} url/list url/signed`;

/** From the lowest up: a folder, or a file that is a room by itself, and the rooms and files that it may import. */
const ROOMS = {
  wasm: '',
  'wasm/parts': 'wasm',
  core: 'wasm',
  'core/border': 'wasm wasm/parts core',
  'core/keys': 'wasm wasm/parts core core/border',
  'core/signed': 'core',
  'core/structures': 'wasm core core/border core/keys',
  disk: 'core/errors.ts core/replace-file.ts',

  filters: `wasm/parts ${core}`,
  'filters/all.ts': 'filters',
  'any.ts': `${core} filters filters/all.ts`,
  'suggest.ts': `${core} filters`,
  'index.ts': `${core} filters any.ts suggest.ts`,

  schemes: `wasm/parts ${core}`,
  interop: `wasm wasm/parts ${core} filters/bloom.ts filters/blocked-bloom.ts schemes`,
  redis: `${core} filters/blocked-bloom.ts interop/redis-blocks.ts`,

  // The part of the core that knows no wasm.
  read: ['errors', 'key-types', 'normalize', 'options', 'streams', 'utf8']
    .map((name) => `core/${name}.ts`)
    .join(' '),
  pages: keyless,
  'pages/options.ts': `${core} pages`,
  'pages/builder': `${core} filters disk/index.ts pages pages/options.ts`,
  'pages/steps.ts': `${core} pages pages/options.ts pages/builder`,
  'pages/index.ts': `${core} pages pages/options.ts pages/builder`,
  remote: `${keyless} read pages`,

  feeds: ['errors', 'growing-bytes', 'host-names', 'key-types', 'options', 'streams']
    .map((name) => `core/${name}.ts`)
    .join(' '),

  'url/list': `wasm wasm/parts ${core}`,
  'url/signed': keyless,
  'url/client': lists,
  'url/guard': `${lists} url/client`,
  'url/server': `${lists} feeds/report.ts`,
  url: `${lists} url/client url/guard url/server`,
  'safe-browsing': `${lists} url/client url/guard`,

  // The command line, which takes the package by its name.
  'node/frame': 'disk/index.ts',
  'node/files': 'node/frame disk/index.ts',
  'node/filters': 'node/frame node/files',
  'node/pages': 'node/frame node/files disk/index.ts pages/steps.ts',
  'node/url': 'node/frame node/files node/filters disk/index.ts',
  'node/redis': 'node/frame node/files node/filters',
  node: 'node/frame node/files node/filters node/pages node/url node/redis disk/index.ts',
};

/** The packages that each room must not name: all, but for these rooms. */
function refusedOf(room) {
  if (room === 'wasm') return { pathNot: ['^(?:node:)?buffer$'] };
  if (room.startsWith('node')) return { path: '^js/src/' };
  const isForNode = ['disk', 'pages/builder', 'pages/index.ts'].includes(room);
  return isForNode ? { dependencyTypesNot: ['core'] } : {};
}

const isFile = (name) => name.endsWith('.ts');
const literal = (name) => name.replaceAll('.', '\\.');

/** The files of a room, or one file. A file of a folder that is a room by itself is not in the folder's. */
function patternOf(name) {
  if (isFile(name)) return `^js/src/${literal(name)}$`;
  const others = Object.keys(ROOMS).filter((room) => isFile(room) && posix.dirname(room) === name);
  const left = others.map((room) => `(?!${literal(posix.basename(room))}$)`).join('');
  return `^js/src/${name}/${left}[^/]+$`;
}

/** What these files may import of js/src, and no more. */
const rule = (name, from, known, { pathNot = [], ...refused }) => ({
  name,
  severity: 'error',
  from,
  to: { ...refused, pathNot: [...known.map(patternOf), ...pathNot] },
});

function rulesOf([room, names], index) {
  const known = names.split(' ').filter(Boolean);
  const before = Object.keys(ROOMS).slice(0, index);
  const late = known.find(
    (name) => !before.includes(name) && !before.includes(posix.dirname(name)),
  );
  if (late) throw new Error(`${room} knows ${late}, which does not stand before it`);
  const path = patternOf(room);
  const refused = refusedOf(room);
  if (room !== 'filters') return [rule(room, { path }, [...known, room], refused)];
  // No filter knows another one, but toBloom returns one.
  const counting = patternOf('filters/counting-bloom.ts');
  return [
    rule(room, { path, pathNot: counting }, known, refused),
    rule('counting', { path: counting }, [...known, 'filters/bloom.ts'], refused),
  ];
}

export default {
  forbidden: [
    ...Object.entries(ROOMS).flatMap(rulesOf),
    {
      name: 'in-no-room',
      severity: 'error',
      from: { path: '^js/src/', pathNot: Object.keys(ROOMS).map(patternOf) },
      to: {},
    },
    { name: 'no-circle', severity: 'error', from: {}, to: { circular: true } },
  ],
  options: { doNotFollow: 'node_modules/', tsPreCompilationDeps: true },
};
