// What feeds except, and what of a list that takes away.

import type { FeedEntry } from '../../feeds/report.js';

/** Bits of an exception: for the host and all below it, or for it alone; and whether an important rule heeds it. */
const wide = 1;
const exact = 2;
const wideImportant = 4;
const exactImportant = 8;

type Flags = Pick<FeedEntry, 'isExact' | 'isImportant'>;

/** Calls `test` with the expressions of the hosts above one, the nearest first, until it says true. */
function someParent(expression: string, test: (parent: string) => boolean): boolean {
  for (let at = expression.indexOf('.') + 1; at > 0; at = expression.indexOf('.', at) + 1) {
    if (test(expression.slice(at))) return true;
  }
  return false;
}

const isHost = (expression: string): boolean => expression.indexOf('/') === expression.length - 1;

/** What one feed says of its entries. */
export type FeedRules = ReturnType<Exceptions['ofFeed']>;

/** The exceptions of all feeds. Hosts are expressions: `good.example/`. */
export class Exceptions {
  readonly #excepted = new Map<string, number>();
  /** Entries whose feeds all mean the host without its subdomains. */
  readonly #exact = new Set<string>();
  /** Entries that have an important rule. */
  readonly #important = new Set<string>();
  /** Entries whose feed took its own rule away, where no other listed them. */
  readonly #cancelled = new Set<string>();
  /** Of each feed that has not ended, the entries that it alone lists. */
  readonly #added = new Set<Set<string>>();

  hosts(): string[] {
    return Array.from(this.#excepted.keys(), (expression) => expression.slice(0, -1));
  }

  /** Says that an entry is listed with its subdomains, by a call that no feed can take back. */
  list(expression: string): void {
    this.#exact.delete(expression);
    this.#share(expression);
  }

  /** What one feed says, until its end. */
  ofFeed() {
    const added = new Set<string>();
    const cancelled: [string, boolean][] = [];
    this.#added.add(added);
    return {
      list: (expression: string, isNew: boolean, { isExact, isImportant }: Flags): void => {
        if (isNew) added.add(expression);
        else this.#share(expression, added);
        if (!isExact) this.#exact.delete(expression);
        else if (isNew) this.#exact.add(expression);
        if (isImportant) this.#important.add(expression);
      },
      allow: (expression: string, { isExact, isImportant }: Flags): void => {
        const bit = isExact
          ? isImportant
            ? exactImportant
            : exact
          : isImportant
            ? wideImportant
            : wide;
        this.#excepted.set(expression, (this.#excepted.get(expression) ?? 0) | bit);
      },
      cancel: (expression: string, { isImportant = false }: { isImportant?: boolean }): void => {
        cancelled.push([expression, isImportant]);
      },
      /** The feed came to its end: it may take its rules away. */
      apply: (): void => {
        for (const [expression, isImportant] of cancelled) {
          const isOwn = added.has(expression) && this.#important.has(expression) === isImportant;
          if (isOwn) this.#cancelled.add(expression);
        }
      },
      close: (): void => {
        this.#added.delete(added);
      },
    };
  }

  /** An entry that others list too is no feed's own. */
  #share(expression: string, own?: Set<string>): void {
    this.#cancelled.delete(expression);
    for (const added of this.#added) if (added !== own) added.delete(expression);
  }

  /** The entries that no exception takes away. */
  applyTo<T>(entries: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
    if (this.#excepted.size + this.#cancelled.size === 0) return entries;
    const kept = new Map<string, T>();
    for (const [expression, value] of entries) {
      if (!this.#takesAway(expression)) kept.set(expression, value);
    }
    return kept;
  }

  /** The hosts that are excepted, and that a list of these entries has all the same. */
  unmetIn(kept: ReadonlyMap<string, unknown>): string[] {
    const isListed = (expression: string) => kept.has(expression);
    return [...this.#excepted.keys()]
      .filter((one) => isListed(one) || someParent(one, isListed))
      .map((expression) => expression.slice(0, -1));
  }

  #takesAway(expression: string): boolean {
    if (this.#cancelled.has(expression)) return true;
    if (!isHost(expression)) return false;
    const isImportant = this.#important.has(expression);
    const ofParents = isImportant ? wideImportant : wide | wideImportant;
    const ofExact = isImportant ? exactImportant : exact | exactImportant;
    const own = this.#exact.has(expression) ? ofParents | ofExact : ofParents;
    const has = (host: string, bits: number) => ((this.#excepted.get(host) ?? 0) & bits) !== 0;
    return has(expression, own) || someParent(expression, (parent) => has(parent, ofParents));
  }
}
