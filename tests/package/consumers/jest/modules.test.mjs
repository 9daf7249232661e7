import { BloomFilter } from 'tamis';
import { canonicalize } from 'tamis/url';

test('works in an ES module', () => {
  expect(BloomFilter.from(['a']).has('a')).toBe(true);
  expect(canonicalize('http://EVIL.example')).toBe('http://evil.example/');
});
