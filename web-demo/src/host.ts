/**
 * The key that is looked up in the filter: the trimmed text in lower case, or the host if the text is a URL. Nothing
 * else is changed: no Unicode or IDNA mapping, no removal of `www.`, no parent domains.
 */
export function hostOf(text: string): string {
  const rest = text
    .trim()
    .toLowerCase()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//, '');
  const authority = rest.split(/[/?#\\]/, 1)[0] ?? '';
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  return host.replace(/^([^:]*|\[.*\]):\d*$/, '$1');
}

const FIRST = ['amber', 'brisk', 'calm', 'dusty', 'early', 'frosty', 'gentle', 'hollow', 'ivory'];
const SECOND = ['anchor', 'bakery', 'cellar', 'drum', 'engine', 'ferry', 'garden', 'inn', 'kiln'];

/**
 * The i-th made-up host. All are under `.example`, which RFC 2606 reserves, so nobody can register one. No such host is
 * on any list, so every "probably listed" is false.
 */
export function madeUpHost(i: number): string {
  const first = FIRST[i % FIRST.length];
  const second = SECOND[Math.floor(i / FIRST.length) % SECOND.length];
  return `${first}-${second}-${i}.example`;
}
