// Sample files, made here by the package.

import { BloomFilter, CuckooFilter, RibbonFilter } from 'tamis';
import { UrlListBuilder } from 'tamis/url';

const names = ['Ada', 'Grace', 'Edsger', 'Barbara', 'Donald', 'Margaret', 'Tony', 'Leslie'];

/** Many keys, so that there are pages to turn. */
const many = Array.from({ length: 20_000 }, (_, i) => `host-${i}.example`);

function makeUrlList(): Uint8Array {
  const builder = new UrlListBuilder();
  builder.addHosts(['evil.example', 'worse.example']);
  return builder.build().toBytes();
}

function flipBit(bytes: Uint8Array, at: number): Uint8Array {
  bytes[at] = (bytes[at] as number) ^ 4;
  return bytes;
}

const small = (): Uint8Array => BloomFilter.from(names, { fpr: 0.01 }).toBytes();

const samples: Readonly<Record<string, () => Uint8Array>> = {
  bloom: small,
  cuckoo: () => CuckooFilter.from(names).toBytes(),
  ribbon: () => RibbonFilter.from(many, { fpr: 0.001 }).toBytes(),
  'url-list': makeUrlList,
  flipped: () => flipBit(small(), 70),
  cut: () => small().subarray(0, 70),
};

export function makeSample(name: string): Uint8Array {
  const make = samples[name];
  if (!make) throw new Error(`there is no sample ${name}`);
  return make();
}
