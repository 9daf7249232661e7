import { pagesInfo } from 'virtual:pages-info';
import { byId, make } from '../dom';
import { integer } from '../format';
import type { LookUps, Task } from './look-ups';
import { pagesOf } from './tell';

const cells = byId('page-cells', HTMLDivElement);
const note = byId('host-note', HTMLParagraphElement);

/** The host's view of a look-up, in sentences. */
function sentenceOf({ page, exchanges }: Task, pages: number, decoys: number): string {
  if (page === undefined) return '';
  const number = `page ${integer(page + 1)} of ${integer(pages)}`;
  if (exchanges.length === 0) {
    return `The last look-up needed ${number}, which was here. The host saw nothing of it.`;
  }
  const shared = integer(Number((pagesInfo.keys / pages).toPrecision(3)));
  const hidden = decoys === 0 ? '' : ` It also saw requests for ${integer(decoys)} other pages.`;
  return (
    `The host saw a request for ${number}.${hidden} About ${shared} listed passwords share that page, ` +
    `and 1 of ${integer(pages)} of all others. It cannot tell which of them you typed.`
  );
}

/** The pages of the list, with a mark on those that the host sent. */
export class HostView {
  show({ tasks, status }: LookUps): void {
    const manifest = status?.manifest;
    if (manifest === undefined) return;
    const { pages } = manifest;
    const seen = new Map<number, 'wanted' | 'decoy'>();
    const decoys = new Set<number>();
    const last = tasks.findLast(({ kind, page }) => kind === 'look-up' && page !== undefined);
    for (const task of tasks) {
      for (const exchange of task.exchanges) {
        for (const page of pagesOf(exchange, manifest)) {
          const isDecoy = page !== task.page;
          if (isDecoy && task === last) decoys.add(page);
          if (!isDecoy || !seen.has(page)) seen.set(page, isDecoy ? 'decoy' : 'wanted');
        }
      }
    }
    const row = Array.from({ length: pages }, (_, page) => {
      const cell = make('i', seen.get(page) ?? '');
      if (page === last?.page) cell.classList.add('last');
      return cell;
    });
    cells.replaceChildren(...row);
    const sentence = last && sentenceOf(last, pages, decoys.size);
    cells.ariaLabel =
      `${integer(pages)} pages, ${integer(seen.size)} of them fetched` +
      (last?.page === undefined ? '' : `, page ${integer(last.page + 1)} by the last look-up`);
    note.textContent = sentence ?? 'The host has seen no request for a page yet.';
  }
}
