import { BloomFilter } from 'tamis';

/** What build-data.mjs wrote beside the filter. */
export interface ListInfo {
  readonly list: string;
  readonly version: string;
  readonly builtOn: string;
  readonly hosts: number;
  readonly filterBytes: number;
  readonly textBytes: number;
  readonly textGzipBytes: number;
  readonly picks: Readonly<Record<PickKind, readonly string[]>>;
}

export type PickKind = 'listed' | 'legitimate' | 'unlucky';

async function get(name: string): Promise<Response> {
  const response = await fetch(`${import.meta.env.BASE_URL}${name}`);
  if (!response.ok) throw new Error(`${name}: the server said ${response.status}`);
  return response;
}

export async function loadInfo(): Promise<ListInfo> {
  return (await get('phishing.json')).json();
}

export async function loadFilter(): Promise<BloomFilter> {
  const { body } = await get('phishing.tamis');
  if (!body) throw new Error('phishing.tamis: the answer has no body');
  return BloomFilter.fromStream(body);
}

/** The lists themselves, which the page needs only to say who set a bit, or to build from. */
export async function loadHosts(list: 'phishing' | 'legitimate'): Promise<readonly string[]> {
  return (await (await get(`${list}-hosts.txt`)).text()).trimEnd().split('\n');
}
