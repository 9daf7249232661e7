// Texts of every kind and length as keys, on every path. The answers must not depend on an encoder.
import { BloomFilter, funnel, hashKey, hashKeys, key, missingFrom, RibbonFilter } from 'tamis';
import { guava } from 'tamis/interop';
import * as read from 'tamis/read';
import { guava64 } from 'tamis/schemes';
import { UrlList, UrlListBuilder } from 'tamis/url';

const scripts = ['a', '\u00e9', '\u6f22', '\ud83d\udc1d', 'abc\u00e9\ud83d\udc1d'];
const lengths = [...Array(100).keys(), 1000, 1278, 1279, 1280, 1281, 30_000, 200_000];
const units = (script, length) => script.repeat(length).slice(0, length);
const all = lengths.flatMap((length) => scripts.map((script) => units(script, length)));
const texts = [...new Set(all)].filter((text) => !/\p{Surrogate}/u.test(text));
const lone = all.filter((text) => /\p{Surrogate}/u.test(text));

const codeOf = (act) => {
  try {
    return act();
  } catch ({ name, code }) {
    return `${name} ${code}`;
  }
};

export function askTexts() {
  const filter = BloomFilter.from(texts, { fpr: 2 ** -30 });
  for (const text of texts) filter.add(text);
  const bytes = filter.toBytes();
  const reader = read.BloomFilter.fromBytes(bytes);
  const pair = funnel((text, sink) => sink.string(text).prefixedString(text));
  const list = new UrlListBuilder().addHosts(['evil.example']).build();
  const kept = UrlList.fromBytes(list.toBytes());
  return {
    missing: missingFrom(filter, texts).length + texts.filter((text) => !filter.has(text)).length,
    alone: reader.hasMany(texts).includes(0) || texts.some((text) => !reader.has(text)),
    hashes: [...new Set([hashKeys(texts).join(), texts.map((text) => hashKey(text)).join()])]
      .length,
    last: String(hashKeys(texts).reduce((sum, hash) => sum ^ hash, 0n)),
    ofReader: String(texts.reduce((sum, text) => sum ^ read.hashKey(text), 0n)),
    count: filter.count,
    lone: [
      ...new Set(
        lone.flatMap((text) => [
          codeOf(() => filter.has(text)),
          codeOf(() => filter.addMany([text])),
          codeOf(() => reader.has(text)),
          codeOf(() => pair(text)),
        ]),
      ),
    ],
    sums: texts.map((text) => pair(text).reduce((sum, byte) => (31 * sum + byte) % 65_521, 7)),
    utf16: [...key.utf16('\u00e9')],
    shipped: [...RibbonFilter.from(texts).toBytes()].slice(64, 90),
    foreign: guava
      .decode(guava.encode(BloomFilter.from(texts, { bits: 1 << 16, hashes: 7, scheme: guava64 })))
      .hasMany(texts)
      .includes(0),
    words: kept.checkMany([
      'http://u@a.EVIL.example:81/x',
      'http://good.example/',
      'mailto:a@b.example',
    ]),
    expressions: kept.hits('https://evil.example/a/b').map(({ expression }) => expression),
  };
}
