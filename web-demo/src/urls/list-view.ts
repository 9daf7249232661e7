import { byId } from '../dom';
import { fillFigures } from '../figures-view';
import { integer, oneIn, plural } from '../format';
import type { State } from './protocol';

const figures = byId('figures', HTMLDListElement);

const SOURCES: Readonly<Record<State['source'], string>> = {
  none: 'there is none',
  storage: 'IndexedDB',
  network: 'the network',
};

function ageOf(ageMs: number | undefined): string {
  if (ageMs === undefined) return '-';
  const minutes = Math.round(ageMs / 60_000);
  if (minutes < 1) return 'under a minute';
  if (minutes < 120) return plural(minutes, 'minute');
  return minutes < 2880
    ? plural(Math.round(minutes / 60), 'hour')
    : plural(Math.round(minutes / 1440), 'day');
}

/** Shows the list that the browser has now. */
export function showList(state: State): void {
  const { version, entries, sizeBytes, ageMs, isStale, source, openMs } = state;
  fillFigures(figures, [
    ['Version', version ?? 'none'],
    ['Entries', integer(entries)],
    [
      'In memory',
      `${integer(sizeBytes)} bytes`,
      entries > 0 ? `${(sizeBytes / entries).toFixed(2)} bytes an entry` : undefined,
    ],
    ['Came from', SOURCES[source]],
    ['First answer after', `${openMs.toFixed(0)} ms`, 'download or storage, and verification'],
    ['Published', ageMs === undefined ? '-' : `${ageOf(ageMs)} ago`, 'good for a week'],
    ['State', entries === 0 ? 'no list' : isStale ? 'expired' : 'in use'],
    ['False positives', entries > 0 ? oneIn(entries / 2 ** 32) : '-', 'of expressions not listed'],
  ]);
}
