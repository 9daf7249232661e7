import type { BloomFilter } from 'tamis';
import { loadHosts } from './list';

/** Facts that only the list itself can tell: the hosts that are on it, and the hosts that set a bit. */
export class Owners {
  readonly hosts: readonly string[];
  readonly #listed: ReadonlySet<string>;
  readonly #hashes: number;
  /** The positions of all hosts, k for each host. */
  readonly #positions: Float64Array;

  constructor(filter: BloomFilter, hosts: readonly string[]) {
    this.hosts = hosts;
    this.#listed = new Set(hosts);
    this.#hashes = filter.hashes;
    this.#positions = Float64Array.from(hosts.flatMap((host) => filter.positions(host)));
  }

  has(host: string): boolean {
    return this.#listed.has(host);
  }

  /** The listed hosts that set the bit. */
  of(position: number): readonly string[] {
    const found = new Set<string>();
    this.#positions.forEach((at, i) => {
      if (at === position) found.add(this.hosts[Math.floor(i / this.#hashes)] ?? '');
    });
    return [...found];
  }
}

let owners: Promise<Owners> | undefined;

/** Loads the list on the first call. If a call failed, the next one tries again. */
export function loadOwners(filter: BloomFilter): Promise<Owners> {
  const found = owners ?? loadHosts('phishing').then((hosts) => new Owners(filter, hosts));
  owners = found;
  found.catch(() => {
    owners = undefined;
  });
  return found;
}
