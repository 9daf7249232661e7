import { pagesInfo } from 'virtual:pages-info';
import type { RemoteStatus } from 'tamis/remote';
import { byId } from '../dom';
import { fillFigures, showBars } from '../figures-view';
import { bytes, integer, oneIn, percent, plural } from '../format';

const { textBytes, filterBytes, fpr } = pagesInfo;

/** Shows the contents of the list's manifest. */
export function showList({ manifest }: RemoteStatus): void {
  const { keys, pages, stride, parts, keyId = '', notAfter } = manifest;
  fillFigures(byId('figures', HTMLDListElement), [
    ['Passwords', integer(keys), 'made up by a program'],
    [
      'Pages',
      integer(pages),
      `${integer(stride)} bytes each, for ${integer(Math.round(keys / pages))} passwords`,
    ],
    ['On this host', bytes(pages * stride), `in ${plural(parts, 'file')} and a manifest`],
    ['False positives', percent(fpr), `${oneIn(fpr)} of those not listed`],
    ['Signed by', keyId.slice(0, 8), 'Ed25519; this page has the key'],
    ['Good until', notAfter.slice(0, 10)],
  ]);
}

/** Shows the fetched bytes next to those of the list as text, and of one filter for the whole list. */
export function showFetched(fetchedBytes: number): void {
  showBars(
    { text: 1, filter: filterBytes / textBytes, fetched: fetchedBytes / textBytes },
    `The list as text: ${bytes(textBytes)}. One filter of all of it: ${bytes(filterBytes)}. ` +
      `Fetched so far: ${bytes(fetchedBytes)}.`,
  );
}
