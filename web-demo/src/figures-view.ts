import type { BloomFilter } from 'tamis';
import { byId, make } from './dom';
import { bytes, integer, percent } from './format';
import type { ListInfo } from './list';

type Figure = readonly [label: string, value: string, note?: string];

export function fillFigures(list: HTMLDListElement, figures: readonly Figure[]): void {
  list.replaceChildren(
    ...figures.map(([label, value, note]) => {
      const row = make('div');
      const answer = make('dd', '', value);
      if (note) answer.append(make('small', '', note));
      row.append(make('dt', '', label), answer);
      return row;
    }),
  );
}

/** Gives bars their shares of the width, and shows a sentence that says the same. */
export function showBars(shares: Readonly<Record<string, number>>, sentence: string): void {
  for (const [name, share] of Object.entries(shares)) {
    byId(`bar-${name}`, HTMLSpanElement).style.width = `${100 * Math.min(1, share)}%`;
  }
  byId('sizes-note', HTMLParagraphElement).textContent = sentence;
}

/** The bytes of a list as text, as gzipped text, and as the file that the page fetched. */
export interface Sizes {
  readonly textBytes: number;
  readonly textGzipBytes: number;
  readonly filterBytes: number;
}

/** The bars of these sizes, and a sentence that says the same. `what` names the file that the page fetched. */
export function showSizes({ textBytes, textGzipBytes, filterBytes }: Sizes, what: string): void {
  showBars(
    { text: 1, gzip: textGzipBytes / textBytes, filter: filterBytes / textBytes },
    `The list as text: ${bytes(textBytes)}. Gzipped: ${bytes(textGzipBytes)}. ` +
      `${what}: ${bytes(filterBytes)}, ${(textBytes / filterBytes).toFixed(1)} times smaller.`,
  );
}

/** The figures of the loaded filter, next to those of its list. */
export function showFigures(filter: BloomFilter, info: ListInfo): void {
  const missed = info.hosts - filter.count;
  fillFigures(byId('figures', HTMLDListElement), [
    ['Type', filter.type],
    ['Keys', integer(filter.count), `${missed} of ${integer(info.hosts)} looked present already`],
    ['Size', `${integer(info.filterBytes)} bytes`, `${integer(filter.bits)} bits`],
    ['Bits per key', filter.bitsPerKey.toFixed(2)],
    ['Bits per look-up', integer(filter.hashes)],
    ['Bits set', percent(filter.fillRatio)],
    ['Designed rate', percent(filter.fpr), 'of false positives'],
    ['Estimated rate', percent(filter.estimatedFpr), 'from the bits now set'],
  ]);
  showSizes(info, 'The filter');
}
