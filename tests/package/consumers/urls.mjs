// Both entries of the package at once: each knows the structures of the other.
import { fromBytes, TamisError } from 'tamis';
import { canonicalize, UrlList, UrlListBuilder } from 'tamis/url';

export function urls() {
  const built = new UrlListBuilder().addHosts(['evil.example']).build();
  const bytes = built.toBytes();
  const list = UrlList.fromBytes(bytes);
  let refusal;
  try {
    fromBytes(bytes);
  } catch (error) {
    refusal = [error.code, error instanceof TamisError];
  }
  return {
    words: list.checkMany([
      'http://u@a.EVIL.example:81/x',
      'http://good.example/',
      'mailto:a@b.example',
    ]),
    canonical: canonicalize('http://b\u00fccher.example'),
    refusal,
  };
}
