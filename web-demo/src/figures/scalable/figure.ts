// A scalable Bloom filter: layers, each larger and stricter than the one before it.
import { ScalableBloomFilter } from 'tamis';
import { integer } from '../../format';
import { indicesOf, makeBitField, range } from '../shared/bit-field';
import { payloadOf, readBits, readU64 } from '../shared/bytes';
import { type Call, drawCall, makeStep, makeTurns, type Turn } from '../shared/calls';
import { CHIP_HEIGHT } from '../shared/chips';
import type { FigureType, Mark, Scene, Step } from '../shared/model';
import { members, others } from '../shared/names';
import { chanceOf } from '../shared/words';

const OPTIONS = { capacity: 4, fpr: 0.001 };

interface Layer {
  readonly bits: readonly boolean[];
  readonly capacity: number;
  readonly count: number;
  /** The rate that the layer keeps at its capacity. */
  readonly rate: number;
}

/** The layers, from the filter's bytes. */
function layersOf(filter: ScalableBloomFilter): Layer[] {
  const payload = payloadOf(filter.toBytes());
  const count = payload.getUint32(4, true);
  const [rate, tightening] = [8, 16].map(
    (at) => Number(payload.getBigUint64(at, true)) / 2 ** 64,
  ) as [number, number];
  let data = 24 + 32 * count;
  return range(count).map((i) => {
    const record = 24 + 32 * i;
    const size = readU64(payload, record);
    const bits = readBits(payload, data, size);
    data += Math.ceil(size / 64) * 8;
    return {
      bits,
      capacity: readU64(payload, record + 8),
      count: readU64(payload, record + 16),
      rate: rate * (1 - tightening) * tightening ** i,
    };
  });
}

/** The data that is read from the filter around each call. */
interface Reading {
  readonly layers: readonly Layer[];
  /** The probability of a false positive. */
  readonly chance: number;
}

type Shown = Turn<Reading>;

const describeLayer = ({ bits, capacity, count, rate }: Layer, i: number): string =>
  `Layer ${i + 1}: ${count} of ${capacity} keys, ${integer(bits.length)} bits, a rate of ${chanceOf(rate)}.`;

function drawLayers(shown: Shown, sizes: readonly number[], width: number): Scene {
  const { layers } = shown.now;
  const columns = width >= 640 ? 64 : 32;
  const side = Math.min(14, Math.floor((width - 4) / columns));
  const marks: Mark[] = [drawCall(shown, width)];
  let top = CHIP_HEIGHT + 22;
  sizes.forEach((size, i) => {
    const layer = layers[i];
    if (layer) {
      const { bits, capacity, count } = layer;
      const name = `layer ${i}`;
      const text =
        width >= 640 ? describeLayer(layer, i) : `Layer ${i + 1}: ${count} of ${capacity} keys`;
      const newest = i === layers.length - 1;
      marks.push({
        kind: 'text',
        key: name,
        x: 2,
        y: top,
        text,
        bold: newest,
        tone: newest ? 'new' : 'faint',
      });
      const field = makeBitField({
        name,
        left: 2,
        top: top + 14,
        columns,
        side,
        gap: side > 8 ? 2 : 1,
      });
      const set = indicesOf(bits);
      marks.push(field.mark('ground', range(bits.length), 'off'), field.mark('bits', set, 'on'));
      marks.push(
        field.mark(
          'fresh',
          set.filter((bit) => !shown.before.layers[i]?.bits[bit]),
          'new',
        ),
      );
    }
    top += 14 + Math.ceil(size / columns) * side + 22;
  });
  return { height: top - 10, marks };
}

function captionOf({ called, now, before }: Shown): string {
  const { layers, chance } = now;
  const newest = layers.at(-1) as Layer;
  if (!called) {
    return `This filter begins with one small layer, for ${newest.capacity} keys. You need not know how many keys will come.`;
  }
  const { do: name, key, result } = called;
  const all = `All layers together give a false positive with a chance of ${chanceOf(chance)}.`;
  if (name === 'has') {
    return result
      ? `A look-up goes through the layers. One of them has all bits of ${key}. ${all}`
      : `A look-up goes through the layers. None has all bits of ${key}. ${all}`;
  }
  if (!result) return `${key} seems to be in already. The add changes nothing.`;
  if (layers.length > before.layers.length) {
    const last = before.layers.at(-1) as Layer;
    return `Layer ${before.layers.length} was full. Layer ${layers.length} is for ${newest.capacity} keys, and stricter: ${chanceOf(newest.rate)}, not ${chanceOf(last.rate)}.`;
  }
  return `${key} goes into the newest layer, which holds ${newest.count} of ${newest.capacity} keys now.`;
}

function makeSteps(): readonly Step[] {
  const filter = new ScalableBloomFilter(OPTIONS);
  try {
    const calls: Call[] = members.map((key) => ({ do: 'add', key }));
    for (const key of [members[0], others[0]] as string[]) calls.push({ do: 'has', key });
    const read = (): Reading => ({ layers: layersOf(filter), chance: filter.estimatedFpr });
    const turns = makeTurns(filter, calls, read);
    const sizes = layersOf(filter).map(({ bits }) => bits.length);
    return turns.map((turn) =>
      makeStep(turn, {
        caption: captionOf(turn),
        scene: (width) => drawLayers(turn, sizes, width),
        text: [
          ...turn.now.layers.map(describeLayer),
          ...turn.now.layers.map(
            ({ bits }, i) =>
              `Layer ${i + 1} has these bits set: ${indicesOf(bits).join(' ') || 'none'}.`,
          ),
        ],
      }),
    );
  } finally {
    filter.dispose();
  }
}

export const figure: FigureType = {
  title: 'A scalable Bloom filter that grows',
  initial: {},
  controls: () => [],
  steps: makeSteps,
};
