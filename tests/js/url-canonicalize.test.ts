/** The canonical form of URLs, compared with the platform's parser, and invalid URLs. */

import { describe, expect, test } from '@jest/globals';
import { canonicalize, navigationUrl } from 'tamis/url';
import { budget } from './support/budget.js';
import { expectCode, expectOption } from './support/errors.js';
import { fc } from './support/fast-check.js';
import { latin1 } from './support/url-vectors.js';

/** Undefined without a canonical form. A canonical form is its own canonical form. */
function canonical(url: string | Uint8Array): string | undefined {
  let text: string;
  try {
    text = canonicalize(url);
  } catch (error) {
    expect((error as { code?: string }).code).toBe('ERR_TAMIS_INVALID_URL');
    return undefined;
  }
  expect(text).toMatch(/^[a-z][a-z\d+.-]*:\/\/[!-~]+$/);
  expect(canonicalize(text)).toBe(text);
  return text;
}

describe('beside the platform', () => {
  const host = fc.oneof(
    fc.domain(),
    fc.ipV4(),
    fc.ipV4Extended(),
    fc.ipV6().map((address) => `[${address}]`),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
    fc.tuple(fc.string({ unit: 'grapheme', maxLength: 6 }), fc.domain()).map((two) => two.join('')),
  );
  const tail = fc.string({ unit: fc.constantFrom(...'/..%25aZ?#=&\\ '), maxLength: 20 });
  const url = fc.tuple(fc.constantFrom('http', 'https', 'ftp'), host, tail);

  test('whatever it accepts is canonical once, and has its host', () => {
    const cases = budget(3000, 1000);
    let accepted = 0;
    fc.assert(
      fc.property(url, ([scheme, name, rest]) => {
        let parsed: URL;
        try {
          parsed = new URL(`${scheme}://${name}/${rest}`);
        } catch {
          return;
        }
        const text = canonical(parsed.href);
        if (text === undefined) return;
        accepted++;
        // Leading, trailing and repeated dots are dropped. An IPv6 address may contain an IPv4 address.
        if (!/^\.|\.\.|\.$|^\[/.test(parsed.hostname)) {
          expect(text.split('/')[2]).toBe(parsed.hostname);
        }
      }),
      { numRuns: cases },
    );
    expect(accepted).toBeGreaterThan(cases / 2);
  });

  /** The rules as written, step by step, on the platform's parsed URL. */
  function byTheBook({ protocol, hostname, port, href }: URL): string {
    let whole = href.replace(/#.*/, '');
    for (let before = ''; before !== whole; ) {
      before = whole;
      whole = whole.replace(/%([0-9a-f]{2})/gi, (_, hex) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      );
    }
    const rest = whole.slice(`${protocol}//${hostname}`.length + (port && `:${port}`).length);
    const [, way = '', query = ''] = /^([^?]*)(\?[\s\S]*)?$/.exec(rest) ?? [];
    const segments: string[] = [];
    const all = way.split('/').slice(1);
    all.forEach((segment, i) => {
      if (segment === '..') segments.pop();
      if (segment !== '..' && segment !== '.') segments.push(segment);
      else if (i === all.length - 1) segments.push('');
    });
    const escaped = `/${segments.join('/')}`.replace(/\/+/g, '/') + query;
    const host = hostname.replace(/\.+/g, '.').replace(/^\.|\.$/g, '');
    return `${protocol}//${host}${escaped.replace(
      /[^!-~]|[#%]/g,
      (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    )}`;
  }

  test('paths and queries are by the book', () => {
    const unit = fc.oneof(
      fc.constantFrom(...'/./../?%25%2e%2f%3f%23%5c=&#a\\~ \u00fc'),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
      fc.nat(255).map((byte) => `%${byte.toString(16).padStart(2, '0')}`),
    );
    const rest = fc.array(unit, { maxLength: 30 }).map((units) => units.join(''));
    const start = fc.constantFrom(
      'http://a.example',
      'https://b.a.example:81',
      'ftp://xn--bcher-kva..x.',
    );
    fc.assert(
      fc.property(start, rest, (origin, tail) => {
        const url = new URL(`${origin}/${tail}`);
        expect(canonical(url.href)).toBe(byTheBook(url));
      }),
      { numRuns: budget(5000, 1500) },
    );
  });

  test('hosts beyond ASCII are those that it opens', () => {
    const names = [
      ['B\u00fccher.de', 'xn--bcher-kva.de'],
      ['fa\u00df.de', 'xn--fa-hia.de'],
      ['\u4f8b\u3048\u3002\u30c6\u30b9\u30c8', 'xn--r8jz45g.xn--zckzah'],
      ['\uff25\uff56\uff49\uff4c\uff0ecom', 'evil.com'],
      ['\uff11\uff12\uff17.1', '127.0.0.1'],
      ['a_\u00fc.example', 'xn--a_-yka.example'],
    ];
    for (const [name, ascii] of names) {
      expect(new URL(`http://${name}/`).hostname).toBe(ascii);
      expect(canonicalize(`http://${name}/`)).toBe(`http://${ascii}/`);
      expect(canonicalize(`http://${encodeURIComponent(name as string)}/`)).toBe(
        `http://${ascii}/`,
      );
      expect(canonicalize(new TextEncoder().encode(name))).toBe(`http://${ascii}/`);
    }
  });

  test('no part of a host is lost to its parser', () => {
    expect(canonical('http://%C3%BC%23.evil.example/')).toBe('http://%C3%BC%23.evil.example/');
    expect(canonical('http://%C3%BC%5C.evil.example/')).toBe('http://%C3%BC\\.evil.example/');
    expect(canonical('http://%C3%BC%09.evil.example/')).toBe('http://%C3%BC%09.evil.example/');
    expect(canonical('http://%C3%BC%3A80%3A/')).toBe(undefined);
    // The platform refuses this host, so its bytes stay.
    expect(canonical('http://%EF%BF%BE.example/')).toBe('http://%EF%BF%BE.example/');
    expect(canonical(latin1('http://\xff\xfe.example/'))).toBe('http://%FF%FE.example/');
  });
});

describe('bad input', () => {
  test('a host beyond ASCII, where the platform has no TextDecoder', () => {
    const { TextDecoder } = globalThis;
    try {
      globalThis.TextDecoder = undefined as never;
      expectCode(() => canonicalize('http://b\u00fccher.example/'), 'UNSUPPORTED');
      expect(canonicalize('http://buecher.example/')).toBe('http://buecher.example/');
    } finally {
      globalThis.TextDecoder = TextDecoder;
    }
  });

  test.each([
    '',
    ' ',
    'http://',
    'javascript:alert(1)',
    'data:text/html,x',
    'mailto:a@b.example',
    'blob:https://a.example/1',
    'about:blank',
    'file:///etc/passwd',
    'http://\ud800.example/',
    'http://a.example/\udc00',
    `http://a.example/${'x'.repeat(2 ** 21 - 16)}`,
    `http://a.example/${'x'.repeat(2 ** 22)}`,
    `http://a.example/${'\u00fc'.repeat(2 ** 20)}`,
  ])('%#: no canonical form', (url) => {
    expectCode(() => canonicalize(url), 'INVALID_URL');
  });

  test('bytes: none, too many, detached', () => {
    expectCode(() => canonicalize(new Uint8Array(0)), 'INVALID_URL');
    expectCode(() => canonicalize(new Uint8Array(2 ** 21 + 1).fill(97)), 'INVALID_URL');
    expect(canonicalize(new Uint8Array(2 ** 21).fill(97))).toHaveLength(
      2 ** 21 + 'http:///'.length,
    );
  });

  test('the fragment is not measured', () => {
    const longest = `http://a.example/${'x'.repeat(2 ** 21 - 17)}`;
    expect(canonicalize(longest)).toBe(longest);
    for (const fragment of ['#', `#${'x'.repeat(2 ** 21)}`, '#\ud800']) {
      expect(canonicalize(longest + fragment)).toBe(longest);
      const bytes = new TextEncoder().encode(longest + fragment);
      expect(canonicalize(bytes)).toBe(longest);
      expectCode(() => canonicalize(`${longest}x${fragment}`), 'INVALID_URL');
    }
  });

  test.each([undefined, null, 1, {}, [], new URL('http://a.example')])(
    '%p is a TypeError',
    (url) => {
      expectOption(() => canonicalize(url as string), TypeError);
    },
  );
});

describe('navigationUrl: what a browser would open', () => {
  test.each([
    ['https://a.example/x?y#z', 'https://a.example/x?y#z'],
    ['a.example', 'http://a.example/'],
    ['\u00a0\ufeffHTTP://A.example\\x', 'http://a.example/x'],
    ['http://user:word@a.example/', 'http://a.example/'],
    ['http://a.example/@b', 'http://a.example/@b'],
    ['a.example:80/x', 'a.example:80/x'],
    ['http://a b/', 'http://a b/'],
    ['', ''],
  ])('%j is %j', (text, expected) => {
    expect(navigationUrl(text)).toBe(expected);
  });

  test.each([undefined, null, 7, {}, new Uint8Array(3)])('%p is a TypeError', (text) => {
    expectOption(() => navigationUrl(text as string), TypeError);
  });
});
