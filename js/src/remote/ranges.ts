// Which pages share a request: a round trip costs more than some bytes that nobody wants.

import type { Layout } from '../pages/layout.js';

/** The most bytes between two pages of one request. At 10 Mbit/s they take the 50 ms of a round trip. */
const mostGapBytes = 2 ** 16;
/** The most bytes of a request for several pages: what is lost where it breaks off. */
const mostRangeBytes = 2 ** 22;

/**
 * The pages in ascending order, in groups that are a range of one part each. Nothing but the pages decides, so no
 * group tells which of them are decoys.
 */
export function rangesOf(
  pages: readonly number[],
  { stride, pagesPerPart }: Pick<Layout, 'stride' | 'pagesPerPart'>,
): readonly number[][] {
  const ranges: number[][] = [];
  let range: number[] = [];
  for (const page of [...pages].sort((one, other) => one - other)) {
    const [first = page] = range;
    const last = range.at(-1) ?? -Infinity;
    if (
      (page - last - 1) * stride > mostGapBytes ||
      (page - first + 1) * stride > mostRangeBytes ||
      Math.floor(page / pagesPerPart) > Math.floor(first / pagesPerPart)
    ) {
      range = [];
      ranges.push(range);
    }
    range.push(page);
  }
  return ranges;
}
