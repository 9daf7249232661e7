// The options of UrlGuard. Each is checked before the first request.

import { mustBe, rangeError } from '../../core/errors.js';
import {
  callable,
  flag,
  need,
  oneOf,
  type Reader,
  readOptions,
  urlReader,
} from '../../core/options.js';
import {
  type CheckerConfig,
  checkerReaders,
  readCheckerOptions,
  type UrlCheckerOptions,
  withDefaults,
} from '../client/checker-options.js';
import type { CheckerAnswer, CheckerStatus } from '../client/list-verdicts.js';
import type { UpdateResult } from '../client/update-schedule.js';
import type { Verification } from '../client/url-checker.js';
import { actions, type ListAction, type ListRole } from './policy.js';

/** The final verdict of a ListSource on a URL. */
export interface SourceVerdict extends Verification {
  /** The action, if the verdict is 'unsafe'. If absent or unknown, the guard uses its own `action` for the source. */
  readonly action?: ListAction;
  /** The listed page, folder or host, if the verdict is 'unsafe'. */
  readonly expression?: string;
  /** The threats, if the verdict is 'unsafe'. */
  readonly threats?: readonly string[];
}

/** A list that another object updates: SafeBrowsing of `tamis/safe-browsing`, a UrlChecker, or your own object. */
export interface ListSource {
  /** Answers synchronously. Only 'safe' means safe; 'unknown' means that the list is missing. */
  check(url: string): CheckerAnswer;
  /** Resolves to the final verdict. Rejects with the reason of `signal` when the signal aborts. */
  verify(url: string, options: { readonly signal: AbortSignal }): Promise<SourceVerdict>;
  readonly status: CheckerStatus;
  /** Updates the list. */
  update(): Promise<UpdateResult>;
  /** Calls `listener` after each switch to another version. Returns a function that removes it. */
  onUpdate(listener: (result: UpdateResult) => void): () => void;
}

interface RoleOptions {
  /** The action for a URL on this list. */
  readonly action: ListAction;
  /** If false, as for a company's list, neither a user's 'allow' nor the option `allow` overrides it. Default true. */
  readonly canOverride?: boolean;
  /** If false, no URL is 'safe' while this list is missing. If true, the guard works without it. Default false. */
  readonly isOptional?: boolean;
}

/** A list of a UrlGuard. No two lists may have the same `manifest`. */
export interface GuardList
  extends RoleOptions,
    Pick<UrlCheckerOptions, 'name' | 'publicKeys' | 'confirm' | 'rule'> {
  /** The URL of the signed manifest. In a page it may be relative. */
  readonly manifest: string | URL;
}

/** A list of a UrlGuard that another object keeps up to date. */
export interface GuardSource extends RoleOptions {
  /** SafeBrowsing of `tamis/safe-browsing`, a UrlChecker, or your own object. The guard does not close it. */
  readonly source: ListSource;
}

/** Options of `UrlGuard.open`. The options that UrlChecker has too apply to every list. */
export interface UrlGuardOptions
  extends Pick<
    UrlCheckerOptions,
    | 'storage'
    | 'whenMissing'
    | 'whenUnconfirmed'
    | 'allow'
    | 'decoys'
    | 'updateEveryMs'
    | 'downloadTimeoutMs'
    | 'confirmTimeoutMs'
    | 'maxBytes'
    | 'fetch'
  > {
  /**
   * 1 to 32 lists, each under a name of your choice: 1 to 32 lower-case letters, digits and '-'. If two lists with the
   * same action contain a URL, the first decides. As in every object, names that consist of digits come first.
   */
  readonly lists: Readonly<Record<string, GuardList | GuardSource>>;
  /**
   * Returns true for a host such as `co.uk` or `github.io`, under which different people have sites. `overrides.add`
   * then refuses an 'allow' with the scope 'site', which covers all of them. By default it accepts every host.
   */
  readonly publicSuffixes?: (host: string) => boolean;
}

export interface SourceMember {
  readonly role: ListRole;
  readonly source: ListSource;
  readonly keeper: undefined;
}

/** A list before it is opened: a source, or the options of a ListKeeper. */
type ListConfig =
  | SourceMember
  | { readonly role: ListRole; readonly config: CheckerConfig; readonly source: undefined };

const what = 'UrlGuard.open';

type Lists = UrlGuardOptions['lists'];

const listsReader: Reader<Lists> = (value, name) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw mustBe('an object', name, value);
  }
  const names = Object.keys(value);
  const areRight = names.every((one) => /^[a-z0-9-]{1,32}$/.test(one));
  if (areRight && names.length > 0 && names.length <= 32) return value as Lists;
  const expected = "1 to 32 lists, with names of 1 to 32 lower-case letters, digits and '-'";
  throw rangeError(`${name} must be ${expected}, got ${names.join().slice(0, 40) || 'none'}`);
};

const sourceReader: Reader<ListSource> = (value, name) => {
  const source: ListSource = Object(value);
  const methods = [source.check, source.verify, source.update, source.onUpdate];
  if (methods.every((method) => typeof method === 'function')) return source;
  throw mustBe('a ListSource', name, value);
};

const roleReaders = { action: oneOf(actions), canOverride: flag, isOptional: flag };

/** Reads the options. The result's `shared` contains all options except `lists`. Throws TypeError and RangeError. */
export async function readGuardOptions(options: UrlGuardOptions) {
  const { name, publicKeys, confirm, rule, ...sharedReaders } = checkerReaders();
  const listReaders = { manifest: urlReader, name, publicKeys, confirm, rule, ...roleReaders };
  const guardReaders = {
    lists: listsReader,
    publicSuffixes: callable<(host: string) => boolean>(),
  };
  const values = readOptions(options, { ...sharedReaders, ...guardReaders }, what);
  need(values, what, 'lists', 'storage', 'whenMissing', 'whenUnconfirmed');
  // `common` has one storage object for all lists. With the name 'memory', each list would get its own storage.
  const { lists, publicSuffixes, ...common } = values;
  /** The name of each list, by its manifest or source. */
  const nameBy = new Map<unknown, string>();
  const checkDistinct = (name: string, member: 'manifest' | 'source', value: unknown) => {
    const other = nameBy.get(value);
    if (other) {
      throw rangeError(`${what}: lists.${name} must have another ${member} than lists.${other}`);
    }
    nameBy.set(value, name);
  };
  const reading = Object.entries(lists).map(async ([name, one]): Promise<ListConfig> => {
    const where = `${what}: lists.${name}`;
    if (Object.hasOwn(Object(one), 'source')) {
      const values = readOptions(one, { source: sourceReader, ...roleReaders }, where);
      need(values, where, 'source', 'action');
      const { source, action, canOverride = true, isOptional = false } = values;
      checkDistinct(name, 'source', source);
      return { role: { name, action, canOverride, isOptional }, source, keeper: undefined };
    }
    const values = readOptions(one, listReaders, where);
    need(values, where, 'manifest', 'action');
    const { manifest, action, canOverride = true, isOptional = false, ...rest } = values;
    checkDistinct(name, 'manifest', manifest);
    const options = { ...common, ...rest } as UrlCheckerOptions;
    const config = await readCheckerOptions(manifest, options, where);
    return { role: { name, action, canOverride, isOptional }, config, source: undefined };
  });
  return { shared: { ...withDefaults(common), publicSuffixes }, lists: await Promise.all(reading) };
}
