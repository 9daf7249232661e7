// The part of the publisher that needs the hosts themselves. It builds a version of the list, publishes it, and
// confirms its entries. It is fetched when one of these is needed.
import {
  createConfirmHandler,
  type Manifest,
  publishList,
  type UrlList,
  UrlListBuilder,
  type UrlStorage,
} from 'tamis/url';
import { History, type Version } from './history';
import { LIST_NAME } from './protocol';
import { gate } from './published.json';

const CONFIRM_TIMES = { cacheSeconds: 300, negativeSeconds: 1800 };

interface Built {
  readonly step: number;
  readonly list: UrlList;
  readonly confirm: (request: Request) => Promise<Response>;
  readonly version: Version;
}

/** A published version. */
export interface Made {
  readonly step: number;
  readonly manifest: Manifest;
  readonly version: Version;
  /** The name of the next version, or null at the end of the history. */
  readonly next: string | null;
}

/** The versions of the list, each of which is built on demand. */
export class ListMaker {
  readonly #history: History;
  #built: Built | undefined;

  private constructor(history: History) {
    this.#history = history;
  }

  /** Rejects if the history cannot be fetched. */
  static async load(historyUrl: string): Promise<ListMaker> {
    return new ListMaker(await History.load(historyUrl));
  }

  /** The list of a step, and its confirm server. */
  build(step: number): Built {
    if (this.#built?.step === step) return this.#built;
    const version = this.#history.at(step);
    // A few lines of the packages are not hosts. If there were many, the gate would reject the list.
    const builder = new UrlListBuilder({ skipInvalid: true }).addHosts(version.hosts);
    const previous = this.#built?.list;
    const list = builder.build({ gate, ...(previous && { previous }) });
    previous?.dispose();
    const confirm = createConfirmHandler(builder.fullHashes, CONFIRM_TIMES);
    this.#built = { step, list, confirm, version };
    return this.#built;
  }

  /** Publishes the version after `last`, or `last` again if there is no later version. */
  async publishAfter(last: number, storage: UrlStorage, keys: CryptoKeyPair): Promise<Made> {
    // The gate compares the new list with the published one.
    this.build(last);
    return this.publish(Math.min(last + 1, this.#history.steps - 1), storage, keys);
  }

  async publish(step: number, storage: UrlStorage, keys: CryptoKeyPair): Promise<Made> {
    const { list, version } = this.build(step);
    const options = { name: LIST_NAME, storage, signingKeys: keys, version: version.version };
    const manifest = await publishList(list, options);
    return { step, manifest, version, next: this.#history.nameOf(step + 1) ?? null };
  }

  /** The answer of the confirm server of a step. */
  confirm(step: number, request: Request): Promise<Response> {
    return this.build(step).confirm(request);
  }
}
