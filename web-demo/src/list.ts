import { BloomFilter } from 'tamis';
import { fetchFile } from './fetch-file';

/** The description that build-data.mjs wrote next to the filter. */
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

export const FILTER_URL = `${import.meta.env.BASE_URL}phishing.tamis`;

export async function loadFilter(): Promise<BloomFilter> {
  const { body } = await fetchFile(FILTER_URL);
  if (!body) throw new Error('phishing.tamis: the answer has no body');
  return BloomFilter.fromStream(body);
}

const loading = new Map<string, Promise<readonly string[]>>();

/** The lists themselves. The page needs them only to name the hosts that set a bit, or to build from them. */
export function loadHosts(list: 'phishing' | 'legitimate'): Promise<readonly string[]> {
  const load = async (): Promise<readonly string[]> => {
    const response = await fetchFile(`${import.meta.env.BASE_URL}${list}-hosts.txt`);
    return (await response.text()).trimEnd().split('\n');
  };
  const hosts = loading.get(list) ?? load();
  loading.set(list, hosts);
  hosts.catch(() => loading.delete(list));
  return hosts;
}
