const { BloomFilter } = require('tamis');
const { canonicalize } = require('tamis/url');

test('works in CommonJS', () => {
  expect(BloomFilter.from(['a']).has('a')).toBe(true);
  expect(canonicalize('http://EVIL.example')).toBe('http://evil.example/');
});
