import { type PagesManifest, RemoteFilter } from 'tamis/remote';

/**
 * The numbers of the pages in a range, from that part of the range's address. Near pages share a request, which
 * includes the pages between them.
 */
export function pagesOfRange(
  url: string,
  range: string,
  { stride, pagesPerPart }: PagesManifest,
): number[] {
  const [, part = '0'] = /\.(\d+)\.pages$/.exec(url) ?? [];
  const [, first = '0', last = '0'] = /^bytes=(\d+)-(\d+)/.exec(range) ?? [];
  const from = Number(part) * pagesPerPart + Number(first) / stride;
  return Array.from({ length: (Number(last) + 1 - Number(first)) / stride }, (_, i) => from + i);
}

/**
 * Finds the page of a key without a request. It is a RemoteFilter whose `fetch` sends nothing. The request that it
 * would make names the page. It does so even if the real look-up hides the page among decoys.
 */
export class PageFinder {
  readonly #filter: RemoteFilter;
  /** The page that it tried to fetch for the present key, as a list of one. */
  readonly #asked: number[];

  private constructor(filter: RemoteFilter, asked: number[]) {
    this.#filter = filter;
    this.#asked = asked;
  }

  static async open(
    url: string,
    manifest: PagesManifest,
    publicKeys: readonly string[],
  ): Promise<PageFinder> {
    const asked: number[] = [];
    const fetch = async (url: string, { headers }: RequestInit): Promise<Response> => {
      const range = new Headers(headers).get('Range');
      if (range === null) return new Response(JSON.stringify(manifest));
      asked.push(...pagesOfRange(url, range, manifest));
      return Response.error();
    };
    const { name } = manifest;
    const options = { name, publicKeys, fetch, retries: 0, maxAgeMs: 0 };
    return new PageFinder(await RemoteFilter.open(url, options), asked);
  }

  /** The page of a key. Rejects with a TypeError if the text has no UTF-8 form. */
  async pageOf(key: string): Promise<number> {
    this.#asked.length = 0;
    await this.#filter.has(key).catch((error: unknown) => {
      if (this.#asked.length === 0) throw error;
    });
    return this.#asked[0] as number;
  }

  close(): void {
    this.#filter.close();
  }
}
