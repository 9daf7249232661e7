/** Publishers of several lists on one in-memory network, and guards that use them. */
import { afterEach } from '@jest/globals';
import {
  createConfirmHandler,
  type GuardList,
  type PublishOptions,
  publishList,
  UrlChecker,
  type UrlCheckerOptions,
  UrlGuard,
  type UrlGuardOptions,
  type UrlList,
  UrlListBuilder,
} from 'tamis/url';

import type { Seams } from './seams.js';
import { Clock, newKeys, START, TestStorage } from './url-publisher.js';

export const keys = await newKeys();

type Width = 4 | 8 | 16 | 32;
type Answer = (request: Request) => Response | Promise<Response>;

/** A list and its host, NAME.example, which also has the confirm server. */
export class ListHost {
  readonly storage = new TestStorage();
  /** Answers to return instead of the host's. */
  instead: { manifest?: Answer; confirm?: Answer } = {};
  /** Requests to the confirm server, in order. */
  readonly questions: Request[] = [];
  #confirm: Answer = () => new Response(null, { status: 404 });

  constructor(readonly name: string) {}

  get url(): string {
    return `https://${this.name}.example/`;
  }

  async publish(
    entries: readonly string[],
    {
      prefixBytes = 4 as Width,
      ...more
    }: Partial<PublishOptions> & Seams & { prefixBytes?: Width } = {},
  ): Promise<void> {
    const builder = new UrlListBuilder({ prefixBytes }).addExpressions(entries);
    await this.publishBuilt(builder.build(), more);
    const times = { cacheSeconds: 100, negativeSeconds: 1000 };
    this.#confirm = createConfirmHandler(builder.fullHashes, times);
  }

  async publishBuilt(list: UrlList, more: Partial<PublishOptions> = {}): Promise<void> {
    const options = {
      name: this.name,
      storage: this.storage,
      signingKeys: keys,
      now: () => START,
      ...more,
    };
    await publishList(list, options);
    list.dispose();
  }

  async answer(request: Request): Promise<Response> {
    const path = request.url.slice(this.url.length);
    if (path === 'confirm') {
      this.questions.push(request.clone());
      return (this.instead.confirm ?? this.#confirm)(request);
    }
    if (path === 'manifest.json' && this.instead.manifest) return this.instead.manifest(request);
    const bytes = this.storage.files.get(path);
    if (bytes === undefined) return new Response(null, { status: 404 });
    return new Response(bytes.slice());
  }

  /** The list as an option of a guard. */
  as(action: GuardList['action'], more: Partial<GuardList> = {}): GuardList {
    return {
      manifest: `${this.url}manifest.json`,
      name: this.name,
      publicKeys: [keys.publicKey],
      confirm: null,
      action,
      ...more,
    };
  }

  get confirmUrl(): string {
    return `${this.url}confirm`;
  }
}

/** Hosts for this many lists, named 'a', 'b' and so on. */
export function network(count: number) {
  const hosts = Array.from({ length: count }, (_, i) => new ListHost(`l${i}`));
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const host = hosts.find((one) => url.startsWith(one.url));
    if (host === undefined) throw new TypeError(`nobody has ${url}`);
    return host.answer(new Request(url, init));
  };
  return { hosts, fetch };
}

const opened: { close(): void }[] = [];

export type Common = Omit<UrlGuardOptions, 'lists'> & Seams;

export const common = (fetch: UrlGuardOptions['fetch'], more: Partial<Common> = {}): Common => ({
  storage: 'memory',
  whenMissing: 'unknown',
  whenUnconfirmed: 'unknown',
  updateEveryMs: 0,
  ...(fetch && { fetch }),
  now: new Clock().now,
  random: () => 0.5,
  ...more,
});

export async function openGuard(options: UrlGuardOptions): Promise<UrlGuard> {
  const guard = await UrlGuard.open(options);
  opened.push(guard);
  return guard;
}

export async function openChecker(
  manifestUrl: string | URL,
  options: UrlCheckerOptions,
): Promise<UrlChecker> {
  const checker = await UrlChecker.open(manifestUrl, options);
  opened.push(checker);
  return checker;
}

afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});
