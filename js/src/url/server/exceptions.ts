// The exceptions of feeds, and the list entries that they remove.

import type { FeedEntry } from '../../feeds/report.js';

/** Empty sets for excepted hosts: `wide` ones with their subdomains, `exact` ones alone. */
const emptySets = () => ({ wide: new Set<string>(), exact: new Set<string>() });

type Flags = Pick<FeedEntry, 'isExact' | 'isImportant'>;

/** True if `test` is true for one of the parent domains of a host's expression. The nearest comes first. */
function someParent(expression: string, test: (parent: string) => boolean): boolean {
  for (let dot = expression.indexOf('.'); dot >= 0; dot = expression.indexOf('.', dot + 1)) {
    if (test(expression.slice(dot + 1))) return true;
  }
  return false;
}

/** True for the expression of a host: `good.example/`. */
export const isHost = (expression: string): boolean =>
  expression.indexOf('/') === expression.length - 1;

export type FeedRules = ReturnType<Exceptions['ofFeed']>;

/** The exceptions of all feeds. Hosts are expressions: `good.example/`. */
export class Exceptions {
  /** All excepted hosts, in their order. */
  readonly #hosts = new Set<string>();
  readonly #exceptions = emptySets();
  readonly #importantExceptions = emptySets();
  /** Entries that every feed lists without their subdomains. */
  readonly #exact = new Set<string>();
  /** Entries that have an important rule. */
  readonly #important = new Set<string>();
  /** Entries whose only feed cancelled its own rule. */
  readonly #cancelled = new Set<string>();
  /** For each open feed, the entries that only this feed lists. */
  readonly #added = new Set<Set<string>>();

  hosts(): string[] {
    return Array.from(this.#hosts, (expression) => expression.slice(0, -1));
  }

  /** Records an entry of a call other than addFeed. It covers subdomains, and no feed can cancel it. */
  recordEntry(expression: string): void {
    this.#exact.delete(expression);
    this.#share(expression);
  }

  /** Starts the rules of one feed. */
  ofFeed() {
    /** The entries that only this feed lists. */
    const added = new Set<string>();
    const cancellations: { expression: string; isImportant: boolean }[] = [];
    this.#added.add(added);
    return {
      /** Records an entry. `isNew` is false if this or another feed, or a call, has added it before. */
      recordEntry: (expression: string, isNew: boolean, { isExact, isImportant }: Flags): void => {
        if (isNew) added.add(expression);
        else this.#share(expression, added);
        // Exact only if all its rules are.
        if (!isExact) this.#exact.delete(expression);
        else if (isNew) this.#exact.add(expression);
        if (isImportant) this.#important.add(expression);
      },
      allow: (expression: string, { isExact, isImportant }: Flags): void => {
        const { wide, exact } = isImportant ? this.#importantExceptions : this.#exceptions;
        (isExact ? exact : wide).add(expression);
        this.#hosts.add(expression);
      },
      /** Records that the feed cancels its rule for a host. */
      cancel: (expression: string, { isImportant = false }: { isImportant?: boolean }): void => {
        cancellations.push({ expression, isImportant });
      },
      /** Called at the end of the feed: its cancellations take effect. */
      apply: (): void => {
        for (const { expression, isImportant } of cancellations) {
          // A rule is cancelled only by one of the same importance.
          const isSameRank = this.#important.has(expression) === isImportant;
          if (added.has(expression) && isSameRank) this.#cancelled.add(expression);
        }
      },
      close: (): boolean => this.#added.delete(added),
    };
  }

  /** Notes another rule for an entry: no cancellation applies to it, and no open feed but `except` lists it alone. */
  #share(expression: string, except?: Set<string>): void {
    this.#cancelled.delete(expression);
    for (const added of this.#added) if (added !== except) added.delete(expression);
  }

  /** The entries that remain after all exceptions. */
  applyTo<T>(entries: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
    if (this.#hosts.size + this.#cancelled.size === 0) return entries;
    const kept = new Map<string, T>();
    for (const [expression, value] of entries) {
      if (!this.#removes(expression)) kept.set(expression, value);
    }
    return kept;
  }

  /** The excepted hosts that a list of these entries still covers. */
  unmetIn(kept: ReadonlyMap<string, unknown>): string[] {
    const isListed = (expression: string) => kept.has(expression);
    return [...this.#hosts]
      .filter((one) => isListed(one) || someParent(one, isListed))
      .map((expression) => expression.slice(0, -1));
  }

  /** True if an exception or a cancellation removes the entry. */
  #removes(expression: string): boolean {
    if (this.#cancelled.has(expression)) return true;
    if (!isHost(expression)) return false;
    // Only an important exception overrides an important rule.
    const isImportant = this.#important.has(expression);
    const exceptions = [this.#importantExceptions, ...(isImportant ? [] : [this.#exceptions])];
    const isWide = (host: string) => exceptions.some(({ wide }) => wide.has(host));
    if (isWide(expression) || someParent(expression, isWide)) return true;
    return this.#exact.has(expression) && exceptions.some(({ exact }) => exact.has(expression));
  }
}
