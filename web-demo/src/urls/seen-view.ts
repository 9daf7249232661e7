import { byId, make } from '../dom';
import { integer } from '../format';
import type { Seen } from './protocol';

const list = byId('seen', HTMLOListElement);

/** Shows all requests to the publisher, the last first. */
export function showSeen(seen: readonly Seen[]): void {
  const rows = seen.map(({ method, path, headers, sent, status, bytes }) => {
    const row = make('li');
    Object.assign(row.dataset, { method, path, sent, status, bytes });
    row.dataset.headers = JSON.stringify(headers);
    const question = sent === '' ? '' : `, asks ${sent.replace(/.{8}\B/g, '$& ')}`;
    const name = path
      .slice(path.lastIndexOf('/') + 1)
      .replace(/([0-9a-f]{8})[0-9a-f]{56}/, '$1...');
    row.append(
      make('code', '', `${method} ${name}${question}`),
      `: ${status}, ${integer(bytes)} bytes`,
    );
    return row;
  });
  list.replaceChildren(...rows.reverse());
}
