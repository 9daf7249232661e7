// From 128 bits to the whole filter of a real list, by powers of two.
import { BloomFilter } from 'tamis';
import { fetchFile } from '../../fetch-file';
import { bytes as bytesOf, integer } from '../../format';
import { payloadOf, readBit, readU64 } from '../shared/bytes';
import type { FigureData, Mark, Scene, Step } from '../shared/model';

const ARRAY_AT = 16;
const FIRST = 128;
/** The largest height of the drawing, and what part of the width it takes on a narrow page. */
const HIGHEST = 320;
const SHARE = 0.51;

interface List {
  readonly payload: DataView;
  readonly bits: number;
  readonly hosts: number;
  readonly textBytes: number;
  readonly fileBytes: number;
}

async function loadList({ listUrl }: FigureData): Promise<List> {
  const [file, description] = await Promise.all([
    fetchFile(listUrl).then((response) => response.arrayBuffer()),
    fetchFile(listUrl.replace(/\.tamis$/, '.json')).then((response) => response.json()),
  ]);
  // A damaged file is an error here, and not a picture.
  const filter = BloomFilter.fromBytes(file);
  const payload = payloadOf(filter.toBytes());
  filter.dispose();
  const { hosts, textBytes } = description;
  return { payload, bits: readU64(payload, 0), hosts, textBytes, fileBytes: file.byteLength };
}

/** The set bits of the first `count` as one path; neighbours are one rectangle. */
function drawBits({ payload }: List, count: number, width: number): Scene {
  const columns = 2 ** Math.round(Math.log2(count) / 2 + 0.5);
  const size = (width - 2) / columns;
  const rows = Math.ceil(count / columns);
  const room = Math.min(HIGHEST, Math.ceil(width * SHARE));
  const side = Math.min(size, room / rows);
  const left = (width - columns * side) / 2;
  const gap = side > 6 ? 1 : 0;
  const parts: string[] = [];
  for (let row = 0; row < rows; row++) {
    const end = Math.min(columns, count - row * columns);
    let from = -1;
    for (let column = 0; column <= end; column++) {
      const set = column < end && readBit(payload, ARRAY_AT, row * columns + column);
      if (set && from < 0) from = column;
      if (from >= 0 && (!set || gap > 0)) {
        const box = [left + from * side, row * side, (column - from) * side - gap, side - gap];
        if (column > from) parts.push(pathOf(box));
        from = set ? column : -1;
      }
    }
  }
  const whole = pathOf([left, 0, columns * side, rows * side]);
  // The frame shows how much of this the step before showed.
  const before = count > FIRST ? 2 ** (Math.ceil(Math.log2(count)) - 1) : 0;
  const frame = pathOf([left, 0, columns * side, (before / columns) * side]);
  const marks: Mark[] = [
    { kind: 'path', key: 'ground', d: whole, tone: 'off', filled: true },
    { kind: 'path', key: `bits${count}`, d: parts.join(''), tone: 'on', filled: true },
    ...(before > 0 ? [{ kind: 'path', key: 'before', d: frame, tone: 'hit' } as const] : []),
  ];
  return { height: room + 4, marks };
}

function pathOf(box: readonly number[]): string {
  const [x, y, width, height] = box.map((value) => Math.round(value * 100) / 100);
  return `M${x} ${y}h${width}v${height}h-${width}z`;
}

/** Each step shows twice the bits of the one before, the last shows all. */
export async function listSteps(data: FigureData): Promise<readonly Step[]> {
  const list = await loadList(data);
  const { bits, hosts, textBytes, fileBytes } = list;
  const counts: number[] = [];
  for (let count = FIRST; count < bits; count *= 2) counts.push(count);
  counts.push(bits);
  return counts.map((count) => {
    const all = count === bits;
    let set = 0;
    for (let i = 0; i < count; i++) if (readBit(list.payload, ARRAY_AT, i)) set++;
    const share = `${integer(set)} of ${integer(count)} bits are set.`;
    const whole =
      `${integer(hosts)} phishing hosts take ${bytesOf(fileBytes)}. As text they take ` +
      `${bytesOf(textBytes)}.`;
    const part = `These are the first ${integer(count)} bits of a real filter of ${integer(hosts)} phishing hosts.`;
    const frame = count > FIRST ? ' The frame holds the bits of the step before.' : '';
    return {
      caption: `${all ? `This is the whole filter. ${whole}` : part} ${share}${frame}`,
      scene: (width) => drawBits(list, count, width),
      text: [all ? whole : part, share],
    };
  });
}
