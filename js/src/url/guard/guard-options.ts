// The options of UrlGuard: each is checked before anything is fetched.

import { mustBe, rangeError } from '../../core/errors.js';
import { flag, need, oneOf, type Reader, readOptions } from '../../core/options.js';
import type { PublicKey } from '../../core/signed/keys.js';
import {
  type CheckerConfig,
  checkerReaders,
  readCheckerOptions,
  type UrlCheckerOptions,
} from '../client/checker-options.js';
import type { HostRule } from '../list/expressions.js';
import { actions, type ListAction, type ListRole } from './policy.js';

/** One of the lists of a UrlGuard. */
export interface GuardList {
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
  /** What you do with a URL that it has. */
  readonly action: ListAction;
  /** Default true. False: no override and no `allow` opens what it has, as with a company's list. */
  readonly canOverride?: boolean;
  /** Default false: while it is missing nothing is 'safe'. True: it counts where it is in hand. */
  readonly isOptional?: boolean;
  /** The rule of host suffixes; default 'labels5'. */
  readonly rule?: HostRule;
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
  readonly lists: Readonly<Record<string, GuardList>>;
}

/** One list as it is opened. */
export interface ListConfig {
  readonly role: ListRole;
  readonly config: CheckerConfig;
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

const roleReaders = {
  action: oneOf(actions),
  canOverride: flag,
  isOptional: flag,
};

/** Throws TypeError and RangeError. */
export async function readGuardOptions(options: UrlGuardOptions): Promise<readonly ListConfig[]> {
  const { manifest, list, publicKeys, confirm, rule, ...shared } = checkerReaders;
  const ofList = { manifest, list, publicKeys, confirm, rule, ...roleReaders };
  const given = readOptions(options, { ...shared, lists: listsReader }, what);
  need(given, what, 'lists', 'storage', 'onMissing', 'onConfirmError');
  // One storage for all lists: 'memory' would be another for each.
  const { lists, ...common } = given;
  const seen = new Map<string, string>();
  const read = Object.entries(lists).map(async ([name, one]): Promise<ListConfig> => {
    const where = `${what}: lists.${name}`;
    const own = readOptions(one, ofList, where);
    need(own, where, 'action');
    const { action, canOverride = true, isOptional = false, ...rest } = own;
    const other = rest.manifest && seen.get(rest.manifest);
    if (other) throw rangeError(`${where} must have another manifest than lists.${other}`);
    if (rest.manifest) seen.set(rest.manifest, name);
    const config = await readCheckerOptions({ ...common, ...rest } as UrlCheckerOptions, where);
    return { role: { name, action, canOverride, isOptional }, config };
  });
  return Promise.all(read);
}
