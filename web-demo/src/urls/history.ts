// A real history of a list: the entries of two npm packages, version after version (build-url-list.mjs).

import { fetchFile } from '../fetch-file';

export interface Version {
  readonly version: string;
  readonly textBytes: number;
  readonly textGzipBytes: number;
  readonly hosts: readonly string[];
}

interface Change extends Omit<Version, 'hosts'> {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** The versions of a list. Each version is made from the last one and a few changes. */
export class History {
  readonly #changes: readonly Change[];

  private constructor(changes: readonly Change[]) {
    this.#changes = changes;
  }

  static async load(url: string): Promise<History> {
    const { body } = await fetchFile(url);
    if (!body) throw new Error('the history is empty');
    const text = body.pipeThrough(new DecompressionStream('gzip'));
    return new History(await new Response(text).json());
  }

  get steps(): number {
    return this.#changes.length;
  }

  /** The name of a step, or undefined past the end. */
  nameOf(step: number): string | undefined {
    return this.#changes[step]?.version;
  }

  at(step: number): Version {
    const last = this.#changes[step];
    if (!last) throw new Error(`the history has no step ${step}`);
    const hosts = new Set<string>();
    for (const { added, removed } of this.#changes.slice(0, step + 1)) {
      for (const host of removed) hosts.delete(host);
      for (const host of added) hosts.add(host);
    }
    const { version, textBytes, textGzipBytes } = last;
    return { version, textBytes, textGzipBytes, hosts: [...hosts] };
  }
}
