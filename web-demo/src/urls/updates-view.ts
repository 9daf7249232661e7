import { byId, make, makeBar, makeRow } from '../dom';
import { integer, plural } from '../format';
import type { EntriesChart } from './entries-chart';
import type { Update } from './protocol';

/** The history survives a reload, as the list does. */
const STORED_AS = 'tamis-demo-updates';
const KEPT = 60;

const table = byId('updates', HTMLTableSectionElement);

function stored(): Update[] {
  try {
    return JSON.parse(localStorage.getItem(STORED_AS) ?? '[]');
  } catch {
    return [];
  }
}

function filesOf({ by, files }: Update): string {
  switch (by) {
    case 'none':
      return 'nothing new';
    case 'jump':
      return 'one delta';
    case 'deltas':
      return plural(files, 'delta');
    case 'snapshot':
      // The deltas that were fetched before a snapshot were useless.
      return files > 1 ? 'whole list, after a delta that was refused' : 'whole list';
    case 'refused':
      return 'refused';
  }
}

/** The effect of an update, in a sentence. */
export function sentenceOf(update: Update): string {
  const { by, version, manifestBytes, listBytes, damaged, failure } = update;
  const cost = `${integer(manifestBytes)} bytes of manifest, ${integer(listBytes)} of list`;
  const inUse = version === undefined ? 'There is no list.' : `In use: ${version}.`;
  switch (by) {
    case 'none':
      return listBytes === 0 && manifestBytes === 0
        ? `Nothing new: the server answered with a header only. ${inUse}`
        : `The same list, for longer: ${cost}. ${inUse}`;
    case 'jump':
    case 'deltas':
      return `Updated by ${filesOf(update)}: ${cost}. ${inUse}`;
    case 'snapshot':
      return damaged.length > 0
        ? `The damaged delta was refused, and the whole list fetched: ${cost}. ${inUse}`
        : `Fetched whole: ${cost}. ${inUse}`;
    case 'refused':
      return (
        `${damaged.length > 0 ? `Damaged on the way: ${damaged.join(', ')}. ` : ''}` +
        `Refused: ${failure?.code} (${failure?.message}). ` +
        `${version === undefined ? inUse : `The list in use stays: ${version}.`}`
      );
  }
}

/** Shows the cost of each search for an update as a table, and the entries as a chart. */
export class UpdatesView {
  #chart: EntriesChart | undefined;
  #updates = stored();

  constructor() {
    this.#show();
  }

  /** Draws the entries there from now on. */
  showIn(chart: EntriesChart): void {
    this.#chart = chart;
    chart.draw(this.#updates);
  }

  add(update: Update): void {
    this.#updates = [...this.#updates, update].slice(-KEPT);
    this.#show();
  }

  clear(): void {
    this.#updates = [];
    this.#show();
  }

  #show(): void {
    try {
      localStorage.setItem(STORED_AS, JSON.stringify(this.#updates));
    } catch {
      // If the browser allows no storage, the history is lost with the page.
    }
    this.#chart?.draw(this.#updates);
    const most = Math.max(1, ...this.#updates.map(({ listBytes }) => listBytes));
    const rows = this.#updates.map((update, i) => {
      const { by, version, manifestBytes, listBytes, entries, failure } = update;
      const cells = [manifestBytes, listBytes, entries].map(integer);
      const row = makeRow(filesOf(update), failure?.code ?? version ?? '', cells);
      row.className = by === 'refused' ? 'refused' : '';
      row.dataset.by = by;
      const bar = by === 'refused' ? 'bar-refused' : 'bar-filter';
      if (listBytes > 0) row.cells[2]?.append(makeBar(bar, listBytes / most));
      const before = this.#updates[i - 1]?.entries ?? entries;
      const change = entries - before;
      if (change !== 0) {
        const words = `${change > 0 ? '+' : '-'}${integer(Math.abs(change))}`;
        row.cells[3]?.append(make('small', '', words));
      }
      return row;
    });
    table.replaceChildren(...rows.reverse());
  }
}
