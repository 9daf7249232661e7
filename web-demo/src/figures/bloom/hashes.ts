// The same names and bits with 1 to 12 bits a name: too few tell little, too many fill the filter.
import { bloomRate } from 'tamis';
import { percent } from '../../format';
import { makeGrid } from '../shared/grid';
import type { Mark, Scene, Step } from '../shared/model';
import { members } from '../shared/names';
import { BITS, bitsOf, makeFilter } from './filter';

const MOST = 12;
const CHART_HEIGHT = 150;
const LEFT = 58;

const rateOf = (hashes: number): number => bloomRate({ bits: BITS, hashes, count: members.length });

function drawChart(rates: readonly number[], hashes: number, width: number, top: number): Mark[] {
  const highest = Math.max(...rates);
  const x = (k: number) => LEFT + ((k - 0.5) / MOST) * (width - LEFT - 2);
  const bar = Math.min(18, (width - LEFT) / MOST - 4);
  const text = 'False positives, for 1 to 12 bits a name';
  const marks: Mark[] = [{ kind: 'text', key: 'title', x: 1, y: top - 18, text, bold: true }];
  rates.forEach((rate, i) => {
    const k = i + 1;
    const height = (rate / highest) * CHART_HEIGHT;
    const box = { x: x(k) - bar / 2, y: top + CHART_HEIGHT - height, width: bar, height };
    marks.push({ kind: 'cell', key: `rate${k}`, ...box, tone: k === hashes ? 'hit' : 'off' });
    const label = {
      x: x(k),
      y: top + CHART_HEIGHT + 14,
      text: String(k),
      anchor: 'middle',
    } as const;
    marks.push({ kind: 'text', key: `k${k}`, ...label, bold: k === hashes });
  });
  const at = { x: LEFT - 6, anchor: 'end' } as const;
  marks.push({ kind: 'text', key: 'top', ...at, y: top + 8, text: percent(highest) });
  marks.push({ kind: 'text', key: 'zero', ...at, y: top + CHART_HEIGHT, text: '0 %' });
  return marks;
}

/** One step for each number of hashes. */
export function hashesSteps(): readonly Step[] {
  const rates = Array.from({ length: MOST }, (_, i) => rateOf(i + 1));
  const best = rates.indexOf(Math.min(...rates)) + 1;
  return rates.map((rate, i) => {
    const hashes = i + 1;
    const filter = makeFilter(members, hashes);
    const bits = bitsOf(filter);
    filter.dispose();
    const share = bits.filter(Boolean).length / bits.length;
    const state =
      `With ${hashes} ${hashes === 1 ? 'bit' : 'bits'} a name, ${percent(share)} of the bits are set. ` +
      `${percent(rate)} of absent names are false positives.`;
    const scene = (width: number): Scene => {
      const grid = makeGrid(bits.length, { width, wide: 32, narrow: 16, largest: 34 });
      const cells = bits.map((set, bit) => grid.mark(bit, set ? 'on' : 'off', set ? '1' : '0'));
      const top = grid.height + 52;
      return {
        height: top + CHART_HEIGHT + 26,
        marks: [...cells, ...drawChart(rates, hashes, width, top)],
      };
    };
    return {
      caption: `${state} ${judge(hashes, best)}`,
      scene,
      text: [
        state,
        judge(hashes, best),
        `The rate with ${best} bits a name is ${percent(rates[best - 1] as number)}.`,
      ],
    };
  });
}

function judge(hashes: number, best: number): string {
  if (hashes === best) return 'That is the best number: about half of the bits are set.';
  return hashes < best
    ? 'More bits a name would tell more.'
    : 'So many bits a name fill the filter.';
}
