// The rules of feeds, which list expressions, except hosts, or cancel other rules. Decides which entries remain.

import type { FeedEntry } from '../../feeds/report.js';

/** The part of a feed entry that describes its rule, without its text. */
type Terms = Omit<FeedEntry, 'line' | 'text' | 'tags' | 'cancels'>;

type Cancellation = Pick<FeedEntry, 'cancels' | 'isExact' | 'variant'>;

/** A rule of one source, which may apply to many hosts. Equal rules of a source are the same object. */
type Rule = { readonly [Name in keyof Required<Terms>]: Terms[Name] | undefined } & {
  readonly source: Source;
};

/** The rules for each expression. No two rules of the same source are equal. */
type Rules = Map<string, readonly Rule[]>;

function addTo(rules: Rules, expression: string, alone: readonly [Rule]): void {
  const others = rules.get(expression);
  if (others === undefined) rules.set(expression, alone);
  else if (!others.includes(alone[0])) rules.set(expression, [...others, alone[0]]);
}

/** Drops this source's rules that cover a host with its subdomains, if `test` is true for them. */
function dropFrom(
  rules: Rules,
  expression: string,
  source: Source,
  test: (rule: Rule) => boolean,
): void {
  const kept = rules.get(expression)?.filter((one) => !(isWideOf(one, source) && test(one)));
  if (kept?.length) rules.set(expression, kept);
  else rules.delete(expression);
}

const isWideOf = (rule: Rule, source: Source): boolean =>
  rule.source === source && !rule.isExact && !rule.isBelow;

/** True for exceptions of DNS resolvers, which a rule nearer to a name overrides in the same feed. */
const isByDistance = ({ precedence }: Terms | Rule): boolean =>
  precedence === 'nearest' || precedence === 'last' || precedence === 'final';

const isWeak = ({ precedence }: Rule): boolean => precedence === 'weak';

/** True if `test` is true for a parent domain of a host's expression. The nearest parent is tested first. */
function someParent(expression: string, test: (parent: string) => boolean): boolean {
  for (let dot = expression.indexOf('.'); dot >= 0; dot = expression.indexOf('.', dot + 1)) {
    if (test(expression.slice(dot + 1))) return true;
  }
  return false;
}

/** True for the expression of a host: `good.example/`. */
export const isHost = (expression: string): boolean =>
  expression.indexOf('/') === expression.length - 1;

const hostOf = (expression: string): string => expression.slice(0, expression.indexOf('/') + 1);

/** A feed, or all calls of the builder other than `addFeed`. */
export class Source {
  /** The rules, by their terms. Most expressions have only one rule, and share its array to save memory. */
  readonly #rules = new Map<string, readonly [Rule]>();
  /** The rules that the feed takes back. */
  readonly #cancelled = new Set<string>();

  /** Returns the rule with these terms, in an array of one. */
  ruleOf({ kind, isExact, isBelow, isImportant, precedence, variant }: Terms): readonly [Rule] {
    const key = `${kind} ${isExact} ${isBelow} ${isImportant} ${precedence} ${variant}`;
    const known = this.#rules.get(key);
    if (known !== undefined) return known;
    const terms = { kind, isExact, isBelow, isImportant, precedence, variant };
    const rule = [{ ...terms, source: this }] as const;
    this.#rules.set(key, rule);
    return rule;
  }

  cancel(expression: string, { cancels = 'host', isExact, variant }: Cancellation): void {
    this.#cancelled.add(`${cancels} ${expression} ${isExact} ${variant}`);
  }

  hasCancelled(expression: string, { kind, isExact, variant }: Rule): boolean {
    if (this.#cancelled.size === 0) return false;
    return this.#cancelled.has(`${kind} ${expression} ${isExact} ${variant}`);
  }
}

/** The rules of all feeds, and of all other calls of a builder. A host is given as an expression: `good.example/`. */
export class FeedRules {
  readonly #listed: Rules = new Map();
  readonly #excepted: Rules = new Map();
  readonly #sources = new Set<Source>();

  /** Records that a source lists an expression. */
  list(expression: string, terms: Terms, source: Source): void {
    const rule = source.ruleOf(terms);
    const [{ precedence }] = rule;
    if (this.#excepted.size > 0 && isWideOf(rule[0], source)) {
      const exceptions = this.#excepted.get(expression) ?? [];
      const isExcepted = exceptions.some((one) => isWideOf(one, source) && isByDistance(one));
      if (isExcepted && precedence === 'weak') return;
      if (isExcepted) dropFrom(this.#excepted, expression, source, isByDistance);
    }
    addTo(this.#listed, expression, rule);
  }

  /** True if a source lists a host with its subdomains. */
  isListed(expression: string, source: Source): boolean {
    return this.#listed.get(expression)?.some((one) => isWideOf(one, source)) ?? false;
  }

  /** Records that a source excepts a host. */
  except(expression: string, terms: Terms, source: Source): void {
    if (isByDistance(terms)) {
      const isBeaten = terms.precedence === 'nearest' ? isWeak : () => true;
      dropFrom(this.#listed, expression, source, isBeaten);
      dropFrom(this.#excepted, expression, source, isByDistance);
      if (this.isListed(expression, source)) return;
    }
    addTo(this.#excepted, expression, source.ruleOf(terms));
  }

  /** Records that a source takes back its rules for an expression. */
  cancel(expression: string, cancellation: Cancellation, source: Source): void {
    source.cancel(expression, cancellation);
    this.#sources.add(source);
  }

  /** Returns the entries that remain after all exceptions. */
  applyTo<T>(entries: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
    if (this.#excepted.size + this.#sources.size === 0) return entries;
    const kept = new Map<string, T>();
    for (const [expression, value] of entries) {
      const rules = this.#listed.get(expression) ?? [];
      if (rules.some((rule) => this.#remains(expression, rule))) kept.set(expression, value);
    }
    return kept;
  }

  /** Returns the excepted hosts without entries of their own. Exceptions for subdomains alone do not count. */
  allowedIn(kept: ReadonlyMap<string, unknown>): string[] {
    const hosts = new Set(
      this.#hosts().filter((host) => this.#exceptionsOf(host).some(({ isBelow }) => !isBelow)),
    );
    if (hosts.size > 0) {
      for (const expression of kept.keys()) hosts.delete(hostOf(expression));
    }
    return toNames(hosts);
  }

  /** Returns the excepted hosts that a list of these entries still covers. */
  unmetIn(kept: ReadonlyMap<string, unknown>): string[] {
    const isListed = (expression: string) => kept.has(expression);
    return toNames(this.#hosts().filter((one) => isListed(one) || someParent(one, isListed)));
  }

  #hosts(): string[] {
    return [...this.#excepted.keys()].filter((one) => this.#exceptionsOf(one).length > 0);
  }

  #exceptionsOf(expression: string): readonly Rule[] {
    const rules = this.#excepted.get(expression) ?? [];
    return this.#sources.size === 0
      ? rules
      : rules.filter((rule) => !rule.source.hasCancelled(expression, rule));
  }

  /** True if neither the rule's own feed nor an exception takes the rule back. */
  #remains(expression: string, rule: Rule): boolean {
    if (rule.source.hasCancelled(expression, rule)) return false;
    if (rule.isExact && this.#isSilenced(expression, rule.source)) return false;
    const isPart = !isHost(expression);
    const host = hostOf(expression);
    const isBeaten = (exception: Rule): boolean =>
      // Only an important exception overrides an important rule.
      (exception.isImportant || !rule.isImportant) &&
      // An exception removes pages only of its own feed. `except` has applied resolvers' exceptions to their own feed.
      (exception.source === rule.source ? !isByDistance(exception) : !isPart);
    const isSameScope = ({ isExact, isBelow, precedence }: Rule): boolean =>
      precedence === 'always' || (isExact ? isPart || !!rule.isExact : !isBelow || !!rule.isBelow);
    if (this.#exceptionsOf(host).some((one) => isBeaten(one) && isSameScope(one))) return false;
    return !someParent(host, (parent) =>
      this.#exceptionsOf(parent).some((one) => isBeaten(one) && !one.isExact),
    );
  }

  /** True if the nearest exception of a source is 'final', which overrides exact hosts. */
  #isSilenced(expression: string, source: Source): boolean {
    let nearest: Rule | undefined;
    const find = (host: string): boolean => {
      nearest = this.#exceptionsOf(host).find((one) => one.source === source);
      return nearest !== undefined;
    };
    if (!find(expression)) someParent(expression, find);
    return nearest?.precedence === 'final';
  }
}

const toNames = (expressions: Iterable<string>): string[] =>
  Array.from(expressions, (expression) => expression.slice(0, -1));
