// One wrong bit in a published list. The checksum finds it, or else the digest, or else the signature.

import { memoryStorage, publishList, UrlChecker, UrlList, verifyManifest } from 'tamis/url';
import { hexOf } from '../../format';
import { payloadOf } from '../shared/bytes';
import { makeGrid } from '../shared/grid';
import type { Mark, Scene, Step, Tone } from '../shared/model';
import { listOf } from '../shared/words';
import { level, line, shorten } from './draw';
import { entriesOf, hex, hosts, makeBuilder, readList } from './list';

const ORIGIN = 'https://lists.example/';
const MANIFEST = 'manifest.json';
const NAME = 'phish';
const HEADER = 64;
const PAYLOAD_CRC = 56;
const HEADER_CRC = 60;

interface Published {
  readonly publicKey: CryptoKey;
  readonly manifest: Uint8Array<ArrayBuffer>;
  readonly snapshot: Uint8Array<ArrayBuffer>;
}

async function publish(): Promise<Published> {
  const keys = (await crypto.subtle.generateKey('Ed25519', true, [
    'sign',
    'verify',
  ])) as CryptoKeyPair;
  const folder = memoryStorage();
  const list = makeBuilder().build();
  const { snapshot } = await publishList(list, { name: NAME, storage: folder, keys });
  list.dispose();
  const read = (name: string) => folder.get(name) as Uint8Array<ArrayBuffer>;
  return {
    publicKey: keys.publicKey,
    manifest: read(MANIFEST),
    snapshot: read(snapshot.url),
  };
}

/** CRC-32C: section 2.2. */
function crcOf(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  return ~crc >>> 0;
}

/** The bytes with both checksums corrected. */
function mend(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const mended = new Uint8Array(bytes);
  const view = new DataView(mended.buffer);
  view.setUint32(PAYLOAD_CRC, crcOf(mended.subarray(HEADER)), true);
  view.setUint32(HEADER_CRC, crcOf(mended.subarray(0, HEADER_CRC)), true);
  return mended;
}

function flip(bytes: Uint8Array, bit: number): Uint8Array<ArrayBuffer> {
  const flipped = new Uint8Array(bytes);
  flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
  return flipped;
}

/** The package's error, or undefined if it accepts the bytes. */
async function refusalOf(take: () => unknown): Promise<string | undefined> {
  try {
    await take();
    return undefined;
  } catch (error) {
    return (error as { readonly code: string }).code;
  }
}

const loadList = (bytes: Uint8Array): readonly number[] => {
  const list = UrlList.fromBytes(bytes);
  const { prefixes } = readList(list);
  list.dispose();
  return prefixes;
};

/**
 * The last bit of the prefixes whose flip gives another valid list. A reader accepts that list once the checksums
 * match.
 */
async function findBit(snapshot: Uint8Array): Promise<number> {
  for (let bit = 8 * snapshot.length - 1; bit >= 8 * (HEADER + 80); bit--) {
    const refusal = await refusalOf(() => loadList(mend(flip(snapshot, bit))));
    if (refusal === undefined) return bit;
  }
  throw new Error('each flipped bit makes bytes that are no list');
}

type Files = Pick<Published, 'manifest' | 'snapshot'>;

/** A checker in this page, which fetches the current result of `served`. */
function openChecker(publicKey: CryptoKey, served: () => Files): Promise<UrlChecker> {
  return UrlChecker.open({
    manifest: ORIGIN + MANIFEST,
    list: NAME,
    publicKeys: [publicKey],
    storage: 'memory',
    confirm: null,
    onMissing: 'unknown',
    onConfirmError: 'unknown',
    updateEveryMs: 0,
    fetch: async (url) =>
      new Response(url.endsWith(MANIFEST) ? served().manifest : served().snapshot),
  });
}

/** The error of an update to other files, and the checker's answer for a listed host afterwards. */
async function tryUpdate(first: Published, later: Files) {
  let served: Files = first;
  const checker = await openChecker(first.publicKey, () => served);
  try {
    await checker.update();
    served = later;
    const refusal = await refusalOf(() => checker.update());
    return { refusal, check: checker.check(`http://${hosts[0]}/`) };
  } finally {
    checker.close();
  }
}

/** The error of a checker that has no list and fetches such files. */
async function tryFirst(publicKey: CryptoKey, files: Files): Promise<string | undefined> {
  const checker = await openChecker(publicKey, () => files);
  try {
    return await refusalOf(() => checker.update());
  } finally {
    checker.close();
  }
}

async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return hexOf(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
}

function identityOf(bytes: Uint8Array): string {
  const list = UrlList.fromBytes(bytes);
  const identity = hexOf(list.identity);
  list.dispose();
  return identity;
}

/** The manifest with the digests of another list, and with its old signature. */
async function forge({ manifest, snapshot }: Files, other: Uint8Array<ArrayBuffer>) {
  const text = new TextDecoder().decode(manifest);
  const forged = text
    .replaceAll(await digestOf(snapshot), await digestOf(other))
    .replaceAll(identityOf(snapshot), identityOf(other));
  return new TextEncoder().encode(forged);
}

interface Shown {
  readonly title: string;
  readonly bytes: Uint8Array;
  /** The bytes as they were published. */
  readonly before: Uint8Array;
  readonly note: string;
  /** True if the bytes are shown as characters, and not in hexadecimal. */
  readonly isText?: boolean;
}

function drawBytes({ title, bytes, before, note, isText }: Shown, width: number): Scene {
  const top = 28;
  const counts = isText ? { wide: 56, narrow: 36 } : { wide: 32, narrow: 16 };
  const grid = makeGrid(bytes.length, { width, top, ...counts, largest: 26, name: 'byte' });
  const toneOf = (i: number): Tone => (bytes[i] === before[i] ? 'off' : 'wrong');
  const cells = [...bytes].map((byte, i) =>
    grid.mark(i, toneOf(i), isText ? String.fromCharCode(byte) : hexOf(Uint8Array.of(byte))),
  );
  const marks: Mark[] = [line('title', 1, 12, shorten(title, width), true), ...cells];
  return {
    height: top + grid.height + 34,
    marks: [...marks, line('note', 1, top + grid.height + 16, shorten(note, width))],
  };
}

/** The number of differing places up to which they are listed one by one. */
const MANY = 12;

const differenceOf = (bytes: Uint8Array, before: Uint8Array): string => {
  const places = [...bytes.keys()].filter((i) => bytes[i] !== before[i]);
  if (places.length === 0) return 'No byte differs.';
  if (places.length <= MANY) return `Other bytes than published: ${listOf(places)}.`;
  return `${places.length} bytes differ from the published ones, between ${places[0]} and ${places.at(-1)}.`;
};

function makeStep(
  shown: Shown,
  caption: string,
  answer: Step['answer'],
  more: readonly string[],
): Step {
  return {
    caption,
    ...(answer ? { answer } : {}),
    scene: (width) => drawBytes(shown, width),
    text: [`${shown.title}. ${shown.note}`, differenceOf(shown.bytes, shown.before), ...more],
  };
}

const refused = (code: string): NonNullable<Step['answer']> => ({
  verdict: 'refused',
  words: `Refused: ${code}`,
});

/** The steps of an attack that begins with one bit. */
export async function flipSteps(): Promise<readonly Step[]> {
  const published = await publish();
  const { snapshot, manifest, publicKey } = published;
  const bit = await findBit(snapshot);
  const flipped = flip(snapshot, bit);
  const mended = mend(flipped);
  const forged = await forge(published, mended);
  const first = await refusalOf(() => UrlList.fromBytes(flipped));
  const second = await tryFirst(publicKey, { manifest, snapshot: mended });
  const third = await refusalOf(() =>
    verifyManifest(forged, { publicKeys: [publicKey], list: NAME }),
  );
  const kept = await tryUpdate(published, { manifest: forged, snapshot: mended });
  if (!first || !second || !third || !kept.refusal) throw new Error('the package took wrong bytes');
  const truth = loadList(snapshot);
  const others = loadList(mended).filter((prefix) => !truth.includes(prefix));
  const [from, to] = [snapshot, flipped].map((bytes) =>
    (bytes[bit >> 3] as number).toString(2).padStart(8, '0'),
  );
  const list = { before: snapshot, note: `${snapshot.length} bytes` };
  const place = `Byte ${bit >> 3}: ${from} becomes ${to}.`;
  const { byteLength } = payloadOf(snapshot);
  return level([
    makeStep(
      { ...list, title: 'The list as published', bytes: snapshot },
      'A publisher serves this list, and a manifest that it signed. Somebody on the way wants to change the list.',
      { verdict: 'absent', words: `The package takes it: ${entriesOf(truth.length)}.` },
      [`The header has ${HEADER} bytes, the payload ${byteLength}.`],
    ),
    makeStep(
      { ...list, title: 'One bit is flipped', bytes: flipped, note: place },
      'One bit of one entry is flipped. The checksum in the header no longer fits, and the package refuses the bytes.',
      refused(first),
      [`UrlList.fromBytes throws ${first}.`],
    ),
    makeStep(
      { ...list, title: 'The checksums are corrected', bytes: mended, note: place },
      'Anybody can compute a checksum. With both corrected, these bytes are a valid list with one different entry.',
      { verdict: 'wrong', words: 'UrlList.fromBytes takes it: a checksum stops no attacker.' },
      [`New entries: ${others.map(hex).join(' ')}.`],
    ),
    makeStep(
      { ...list, title: 'The manifest knows better', bytes: mended, note: place },
      'The checker does not believe a list by itself. The manifest names the SHA-256 of its bytes, and that differs.',
      refused(second),
      [`UrlChecker.update rejects with ${second}.`],
    ),
    makeStep(
      {
        title: 'The manifest, with the other digests',
        bytes: forged,
        before: manifest,
        note: `${manifest.length} bytes of JSON`,
        isText: true,
      },
      'So the attacker writes the other digests into the manifest. Nobody without the private key can sign that.',
      refused(third),
      [`verifyManifest rejects with ${third}.`],
    ),
    makeStep(
      { ...list, title: 'The list in use', bytes: snapshot },
      'The checker refuses the update as a whole. It goes on with the list that it has.',
      { verdict: 'absent', words: `A listed host is still '${kept.check}'.` },
      [`UrlChecker.update rejects with ${kept.refusal}.`, `check gives '${kept.check}'.`],
    ),
  ]);
}
