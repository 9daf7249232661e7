// Fills cpp/FORMAT.md: the annotated dump, from the golden file of three keys, and the beginning of the
// reader, from cpp/format/read_format.py. `node js/scripts/format-dump.mjs [--check]`; with --check it writes
// nothing and fails where FORMAT.md says something else.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { updateBlocks } from './marked-block.mjs';

const root = new URL('../../', import.meta.url);
const vectors = new URL('tests/vectors/v1/', root);

// Offset, size, what it is; a function says it of the value.
const FIELDS = [
  [0, 8, () => 'magic: \\x89 T M S CR LF ^Z LF'],
  [8, 2, (value) => `format version ${value}`],
  [10, 1, (value) => `type id ${value}: bloom`],
  [11, 1, (value) => `hash id ${value}: XXH3-64`],
  [12, 4, () => 'reserved'],
  [16, 8, (value) => `seed ${value}`],
  [24, 8, () => 'key id: none'],
  [32, 8, (value) => `capacity ${value}`],
  [40, 8, (value) => `count ${value}`],
  [48, 8, (value) => `payload length ${value}`],
  [56, 4, () => 'CRC-32C of bytes 64 to 87'],
  [60, 4, () => 'CRC-32C of bytes 0 to 59'],
  [64, 8, (value) => `record: ${value} bits`],
  [72, 4, (value) => `record: ${value} hashes`],
  [76, 4, () => 'record: zero'],
  [80, 8, (value) => `bits set: ${bitsOf(value).join(' ')}`],
];

function bitsOf(word) {
  return [...word.toString(2)].reverse().flatMap((bit, index) => (bit === '1' ? [index] : []));
}

const littleEndian = (bytes) =>
  bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);

/** One line per field: offset, bytes, meaning. */
function dump(bytes) {
  const last = FIELDS.at(-1);
  if (bytes.length !== last[0] + last[1]) throw new Error(`expected 88 bytes, got ${bytes.length}`);
  return FIELDS.map(([offset, size, meaning]) => {
    const field = bytes.subarray(offset, offset + size);
    const hex = [...field].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    return `${offset.toString(16).padStart(4, '0')}  ${hex.padEnd(24)} ${meaning(littleEndian(field))}`;
  }).join('\n');
}

/** The golden file to show: the first valid `bloom` of three keys under the default scheme. */
function threeKeys() {
  const { lists, files } = JSON.parse(readFileSync(new URL('manifest.json', vectors), 'utf8'));
  for (const { file, type, valid, present } of files) {
    if (!valid || type !== 'bloom') continue;
    const bytes = readFileSync(new URL(file, vectors));
    const keys = lists[present];
    if (bytes[11] === 1 && bytes.length === 88 && keys.length === 3) {
      return { file, bytes, keys: keys.map((hex) => Buffer.from(hex, 'hex').toString()) };
    }
  }
  throw new Error('tests/vectors/v1 has no bloom of 88 bytes with three keys under hash id 1');
}

const { file, bytes, keys } = threeKeys();
const program = readFileSync(new URL('cpp/format/read_format.py', root), 'utf8');
const reader = /# reader:start\n([\s\S]*?)\n# reader:end/.exec(program)?.[1];
if (reader === undefined) throw new Error('cpp/format/read_format.py has no marked part');
const isCurrent = updateBlocks(
  fileURLToPath(new URL('cpp/FORMAT.md', root)),
  {
    dump:
      `\`tests/vectors/v1/${file}\`, capacity 3, fpr 0.01, the keys ` +
      `${keys.map((key) => `\`${key}\``).join(', ')}:\n\n\`\`\`text\n${dump(bytes)}\n\`\`\``,
    reader: `\`\`\`python\n${reader.trim()}\n\`\`\``,
  },
  { check: process.argv.includes('--check'), command: 'node js/scripts/format-dump.mjs' },
);
if (!isCurrent) process.exitCode = 1;
