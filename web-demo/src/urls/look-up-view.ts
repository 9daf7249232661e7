import { byId, make } from '../dom';
import type { LookUp } from './protocol';

/** The digits of the four bytes that the list stores of an entry, and those of the rest that is shown. */
const PREFIX_DIGITS = 8;
const REST_DIGITS = 16;

const canonical = byId('canonical', HTMLElement);
const rows = byId('expressions', HTMLTableSectionElement);

/** Shows the canonical form, and the expressions with their hashes. */
export function showLookUp(lookUp: LookUp | undefined): void {
  canonical.textContent = lookUp?.canonical ?? '\u00a0';
  const expressions = lookUp?.expressions ?? [];
  rows.replaceChildren(
    ...expressions.map(({ text, hash, isHit }) => {
      const row = make('tr', isHit ? 'hit' : '');
      const head = make('th');
      head.scope = 'row';
      head.append(make('code', '', text));
      const digits = make('td');
      const shown = make('code', 'hash');
      shown.append(
        make('b', '', hash.slice(0, PREFIX_DIGITS)),
        `${hash.slice(PREFIX_DIGITS, PREFIX_DIGITS + REST_DIGITS)}...`,
      );
      digits.append(shown);
      row.append(head, digits, make('td', isHit ? '' : 'ink-clear', isHit ? 'hit' : 'no'));
      return row;
    }),
  );
}
