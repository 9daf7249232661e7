import { pagesInfo } from 'virtual:pages-info';
import type { PagesManifest } from 'tamis/remote';
import { byId, make } from '../dom';
import { fillFigures } from '../figures-view';
import { integer, plural } from '../format';
import type { LookUps, Task } from './look-ups';
import { answerOf, costOf, isAbort, outcomeOf, pagesOf, roleOf, saidOf } from './tell';
import type { Exchange } from './traffic';

const { textBytes, filterBytes } = pagesInfo;

const list = byId('requests', HTMLOListElement);
const totals = byId('totals', HTMLDListElement);

function verdictOf({ answer, error, isDone }: Task): string {
  if (answer?.isListed) return 'on the list, or a false positive';
  if (answer) return 'certainly not on the list';
  if (!isDone) return 'on its way';
  return isAbort(error) ? 'broken off' : 'no answer';
}

function titleOf(task: Task): string {
  const { kind, number, error } = task;
  if (kind === 'look-up') return `Look-up ${number}: ${verdictOf(task)}`;
  return error === undefined ? 'Open the list' : 'The list did not open';
}

function purposeOf(exchange: Exchange, manifest: PagesManifest | undefined): string {
  const pages = manifest ? pagesOf(exchange, manifest) : [];
  const [first, last] = [pages[0], pages.at(-1)];
  if (manifest === undefined || first === undefined || last === undefined) return 'The manifest';
  const of = `of ${integer(manifest.pages)}`;
  if (first === last) return `Page ${integer(first + 1)} ${of}`;
  return `Pages ${integer(first + 1)} to ${integer(last + 1)} ${of}`;
}

function requestRow(
  task: Task,
  exchange: Exchange,
  manifest: PagesManifest | undefined,
): HTMLLIElement {
  const { url, range, status, bytes, transferBytes } = exchange;
  const role = roleOf(task, exchange, manifest);
  const outcome = outcomeOf(task, exchange, role);
  const row = make('li', 'request');
  Object.assign(row.dataset, { role, outcome, bytes, range: range ?? '', status: status ?? '' });
  if (transferBytes !== undefined) row.dataset.transfer = String(transferBytes);
  const purpose = make('p', 'request-for', purposeOf(exchange, manifest));
  purpose.append(make('span', 'tag', saidOf(outcome, role)));
  const asked = make('p', 'request-asked');
  asked.append(make('code', '', `GET ${new URL(url).pathname}`));
  if (range !== undefined) asked.append(make('code', '', `Range: ${range}`));
  row.append(purpose, asked, make('p', 'note', answerOf(exchange)));
  return row;
}

function taskRow(task: Task, manifest: PagesManifest | undefined): HTMLLIElement {
  const row = make('li', 'task');
  row.dataset.kind = task.kind;
  const head = make('div', 'task-head');
  head.append(make('h3', '', titleOf(task)), make('p', 'task-cost', costOf(task)));
  row.append(head);
  if (task.exchanges.length > 0) {
    const requests = make('ol', 'task-requests');
    requests.append(...task.exchanges.map((one) => requestRow(task, one, manifest)));
    row.append(requests);
  }
  return row;
}

/** All requests, each with its purpose, and their total cost. */
export class RequestsView {
  readonly #rows = new Map<Task, HTMLLIElement>();
  /** The last manifest in use. The requests of a closed list were made for its pages. */
  #manifest: PagesManifest | undefined;

  show({ tasks, status }: LookUps): void {
    this.#manifest = status?.manifest ?? this.#manifest;
    for (const task of tasks) {
      const row = taskRow(task, this.#manifest);
      const before = this.#rows.get(task);
      // An unchanged row stays in place, so that a visitor's text selection in it stays too.
      if (before?.isEqualNode(row)) continue;
      if (before === undefined) list.prepend(row);
      else before.replaceWith(row);
      this.#rows.set(task, row);
    }
    this.#showTotals(tasks, status?.cachedPages ?? 0);
  }

  #showTotals(tasks: readonly Task[], cachedPages: number): void {
    const exchanges = tasks.flatMap(({ exchanges }) => exchanges);
    const sumOf = (size: (exchange: Exchange) => number): number =>
      exchanges.reduce((sum, exchange) => sum + size(exchange), 0);
    const lookUps = tasks.filter(({ kind }) => kind === 'look-up');
    const free = lookUps.filter(({ answer, exchanges }) => answer && exchanges.length === 0);
    const counted = exchanges.filter(({ transferBytes }) => transferBytes !== undefined);
    fillFigures(totals, [
      ['Look-ups', integer(lookUps.length), `${integer(free.length)} without a request`],
      ['Requests', integer(exchanges.length), 'the manifest too'],
      ['Bodies', `${integer(sumOf(({ bytes }) => bytes))} bytes`],
      [
        'With headers',
        `${integer(sumOf(({ transferBytes = 0 }) => transferBytes))} bytes`,
        `of ${plural(counted.length, 'request')}, by the browser's count`,
      ],
      ['Pages in memory', `${integer(cachedPages)} of ${integer(this.#manifest?.pages ?? 0)}`],
      ['The list as text', `${integer(textBytes)} bytes`],
      ['One filter of all', `${integer(filterBytes)} bytes`, 'to fetch once, whole'],
    ]);
  }
}
