import { byId, make, makeRow } from '../dom';
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
      const digits = make('code', 'hash');
      digits.append(
        make('b', '', hash.slice(0, PREFIX_DIGITS)),
        `${hash.slice(PREFIX_DIGITS, PREFIX_DIGITS + REST_DIGITS)}...`,
      );
      const answer = make('span', isHit ? '' : 'ink-clear', isHit ? 'hit' : 'no');
      const row = makeRow(make('code', '', text), '', [digits, answer]);
      row.className = isHit ? 'hit' : '';
      return row;
    }),
  );
}
