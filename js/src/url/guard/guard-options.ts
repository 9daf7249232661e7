// The options of UrlGuard: each is checked before anything is fetched.

import { mustBe, rangeError } from '../../core/errors.js';
import { flag, need, oneOf, type Reader, readOptions, type Values } from '../../core/options.js';
import type { PublicKey } from '../../core/signed/keys.js';
import {
  type CheckerConfig,
  checkerReaders,
  readCheckerOptions,
  type SharedConfig,
  type UrlCheckerOptions,
  withDefaults,
} from '../client/checker-options.js';
import type { HostRule } from '../list/expressions.js';
import type { ListSource } from './list-source.js';
import { actions, type ListAction, type ListRole } from './policy.js';

/** What you say of a list, or of a source. */
interface RoleOptions {
  /** What you do with a URL that it has. */
  readonly action: ListAction;
  /** Default true. False: no override and no `allow` opens what it has, as with a company's list. */
  readonly canOverride?: boolean;
  /** Default false: while it is missing nothing is 'safe'. True: it counts where it is in hand. */
  readonly isOptional?: boolean;
}

/** One of the lists of a UrlGuard. */
export interface GuardList extends RoleOptions {
  /** Where the signed manifest is; relative to the page, if there is one. Each list has its own. */
  readonly manifest: string | URL;
  /**
   * The name that the publisher gave it. A signature says who published, and the name says what: without it the server
   * could send another list of the same key.
   */
  readonly list: string;
  /** 1 to 16 keys, any of which may have signed. */
  readonly publicKeys: readonly PublicKey[];
  /** The confirm server of this list; null: there is none, as UrlCheckerOptions has it. */
  readonly confirm: string | URL | null;
  /** The rule of host suffixes; default 'labels5'. */
  readonly rule?: HostRule;
}

/** One of the lists of a UrlGuard that something else keeps. */
export interface GuardSource extends RoleOptions {
  /** SafeBrowsing of `tamis/safe-browsing`, a UrlChecker, or a program of yours. The guard does not close it. */
  readonly source: ListSource;
}

/** Options of `UrlGuard.open`. Those that UrlChecker has too hold for every list. */
export interface UrlGuardOptions
  extends Pick<
    UrlCheckerOptions,
    | 'storage'
    | 'onMissing'
    | 'onConfirmError'
    | 'allow'
    | 'decoys'
    | 'updateEveryMs'
    | 'downloadTimeoutMs'
    | 'confirmTimeoutMs'
    | 'maxBytes'
    | 'fetch'
    | 'now'
    | 'random'
  > {
  /**
   * 1 to 32 lists by names of yours, of 1 to 32 lower-case letters, digits and '-'. Their order counts where two lists
   * want the same. Names of digits alone come first, as in every object.
   */
  readonly lists: Readonly<Record<string, GuardList | GuardSource>>;
}

/** One list as it is opened. */
export type ListConfig = { readonly role: ListRole } & (
  | { readonly config: CheckerConfig; readonly source?: undefined }
  | { readonly source: ListSource }
);

/** The options as they are used. */
export interface GuardConfig {
  /** What holds for all lists. */
  readonly shared: SharedConfig;
  readonly lists: readonly ListConfig[];
}

const what = 'UrlGuard.open';

type Lists = UrlGuardOptions['lists'];

const listsReader: Reader<Lists> = (value, name) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw mustBe('an object', name, value);
  }
  const names = Object.keys(value);
  const areRight = names.every((one) => /^[a-z0-9-]{1,32}$/.test(one));
  if (areRight && names.length > 0 && names.length <= 32) return value as Lists;
  const expected = "1 to 32 names of 1 to 32 lower-case letters, digits and '-'";
  throw rangeError(`${name} must have ${expected}, got '${names.join().slice(0, 40)}'`);
};

const sourceReader: Reader<ListSource> = (value, name) => {
  const source = Object(value) as ListSource;
  const methods = [source.check, source.verify, source.update, source.onUpdate];
  if (methods.every((method) => typeof method === 'function')) return source;
  throw mustBe('a ListSource', name, value);
};

const ofRole = {
  action: oneOf(actions),
  canOverride: flag,
  isOptional: flag,
};

/** Throws TypeError and RangeError. */
export async function readGuardOptions(options: UrlGuardOptions): Promise<GuardConfig> {
  const { manifest, list, publicKeys, confirm, rule, ...ofAll } = checkerReaders;
  const ofList = { manifest, list, publicKeys, confirm, rule, ...ofRole };
  const given = readOptions(options, { ...ofAll, lists: listsReader }, what);
  need(given, what, 'lists', 'storage', 'onMissing', 'onConfirmError');
  // One storage for all lists: 'memory' would be another for each.
  const { lists, ...common } = given;
  const seen = new Map<unknown, string>();
  const checkNew = (name: string, member: 'manifest' | 'source', value: unknown) => {
    const other = value && seen.get(value);
    if (other) {
      throw rangeError(`${what}: lists.${name} must have another ${member} than lists.${other}`);
    }
    seen.set(value, name);
  };
  const toRole = (name: string, own: Values<typeof ofRole>): ListRole => {
    need(own, `${what}: lists.${name}`, 'action');
    const { action, canOverride = true, isOptional = false } = own;
    return { name, action, canOverride, isOptional };
  };
  const read = Object.entries(lists).map(async ([name, one]): Promise<ListConfig> => {
    const where = `${what}: lists.${name}`;
    if (Object.hasOwn(Object(one), 'source')) {
      const own = readOptions(one, { source: sourceReader, ...ofRole }, where);
      need(own, where, 'source');
      checkNew(name, 'source', own.source);
      return { role: toRole(name, own), source: own.source };
    }
    const { action, canOverride, isOptional, ...own } = readOptions(one, ofList, where);
    checkNew(name, 'manifest', own.manifest);
    const role = toRole(name, { action, canOverride, isOptional } as Values<typeof ofRole>);
    const config = await readCheckerOptions({ ...common, ...own } as UrlCheckerOptions, where);
    return { role, config };
  });
  return { shared: withDefaults(common), lists: await Promise.all(read) };
}
