// Wrong calls, by the code of the error: the call, and the whole text. With those of newcomers.mjs there is one row for
// each kind of text that a program in Node meets without a network.
// `node js/scripts/documents.mjs docs/guide/errors.md` writes them into the guide.

export const messages = {
  ERR_TAMIS_INVALID_OPTION: {
    'new BloomFilter()': 'BloomFilter: expected { capacity, fpr? } or { bits, hashes }',
    'new BloomFilter({ bits: 1000, hashes: 4, capacity: 9 })':
      'BloomFilter: bits and hashes do not go with capacity or fpr',
    'new BloomFilter({ bits: 100, hashes: 0 })':
      'BloomFilter: hashes must be a whole number from 1 to 64, got 0',
    'new BloomFilter({ capacity: 9, seed: 2 ** 53 })':
      'BloomFilter: seed must be a whole number from 0 to 9007199254740991, got 9007199254740992',
    "new BloomFilter({ capacity: 9, secret: 'secret' })":
      'BloomFilter: secret must be a Uint8Array of 16 bytes, got a string of length 6',
    'new BloomFilter({ capacity: 9, secret: new Uint8Array(8) })':
      'BloomFilter: secret must have 16 bytes, got 8',
    "new BloomFilter({ capacity: 9, scheme: 'guava64' })":
      "BloomFilter: scheme must be a value of tamis/schemes, as in `import { guava64 } from 'tamis/schemes'`, got a string of length 7",
    'new BloomFilter({ capacity: 9, scheme: schemes.guava64, secret })':
      'BloomFilter: secret and scheme do not go together',
    'new BloomFilter({ capacity: 9, scheme: schemes.guava64, seed: 1 })':
      "BloomFilter: the scheme 'guava64' takes no seed",
    'new BloomFilter({ capacity: 9, scheme: schemes.parquet })':
      "BloomFilter: only BlockedBloomFilter has the scheme 'parquet'",
    'new BloomFilter({ bits: 100, hashes: 3, scheme: schemes.guava64 })':
      "BloomFilter: the scheme 'guava64' takes a multiple of 64 bits, got 100",
    'new BloomFilter(Object.create({ capacity: 9 }))':
      'BloomFilter: the option "capacity" must not be inherited',
    'new BlockedBloomFilter({ capacity: 9, fpr: 1e-12 })':
      'BlockedBloomFilter: fpr must be at least 2^-24; BloomFilter reaches lower rates',
    'new CuckooFilter({ capacity: 9, fpr: 0.1, fingerprintBits: 8 })':
      'CuckooFilter: fpr and fingerprintBits do not go together',
    'new CuckooFilter({ capacity: 9, fpr: 1e-12 })':
      'CuckooFilter: fpr must be at least about 2^-29',
    'new ScalableBloomFilter({ capacity: 9, tightening: 1 })':
      'ScalableBloomFilter: tightening must be from 0.5 to 0.99, got 1',
    "ExactFilter.from({ include: ['alice'] })": 'ExactFilter.from: expected { include, exclude }',
    "BloomierMap.from(['alice'], { valueBits: 8 })":
      'expected an entry [key, value], got a string of length 5',
    "BloomierMap.from([['alice', 256]], { valueBits: 8 })":
      'a value must be a whole number from 0 to 255, got 256',
    "BloomFilter.fromAsync(['alice'])":
      'BloomFilter.fromAsync: source must be a ReadableStream or an AsyncIterable, such as keyBatchesFrom(response.body), got Array',
    'BloomFilter.fromAsync(new Response())':
      'BloomFilter.fromAsync: source must be a ReadableStream or an AsyncIterable, such as keyBatchesFrom(response.body), got Response',
    'bits.set(100)': 'set: index 100 is outside 0..99',
    'bits.clear(5)': 'clear() deletes all; use unset(index) for one bit',
    'bits.toBitString(5, 3)':
      'toBitString: expected whole numbers 0 <= from <= to <= 100, got 5 and 3',
    'filter.addHashes([1n])': 'hashes must be the BigUint64Array of hashKeys, got Array',
    'filter.equals(reader)': 'other must be a filter or another object of tamis, got Object',
    "(0, BloomFilter.from)(['alice'])":
      'call static methods on a class, as in BloomFilter.fromBytes(bytes)',
    'fromBytes(detached)': 'fromBytes: the buffer was transferred or resized',
    'fromBytesOf(CuckooFilter, bytes)':
      "fromBytesOf: classes must be an array of classes of 'tamis', got Function",
    'fromStream(stream(), { signal: new AbortController() })':
      'fromStream: signal must be an AbortSignal, got AbortController',
    "keysFromLines('alice')": 'keysFromLines: bytes must be a Uint8Array, got a string of length 5',
    'bloomSizing({ fpr: 0.1 })': 'bloomSizing: expected { capacity, fpr? } or { bits, capacity }',
    'suggestFilter({ capacity: 100, static: true, deletes: true })':
      'suggestFilter: static and deletes do not go together: static means built once',
    'new read.BloomFilter(bytes)': "load with fromBytes; build with 'tamis'",
    "read.fromBytes(bytes, { secret: 'secret' })": 'secret must be a Uint8Array of 16 bytes',
    'read.fromBytesOf(read.CuckooFilter, bytes)':
      "classes must be an array of classes of 'tamis/read'",
    'read.fromStream(stream(), { signal: 5 })':
      'signal must be an AbortSignal, onProgress a function',
    'reader.hasHashes([1n])': 'hashes must be a BigUint64Array',
    'reader.equals(filter)': "expected a filter of 'tamis/read'",
    'readBits.has(100)': 'index must be a whole number from 0 to 99',
    "read.BloomFilter.prototype.has.call({}, 'alice')": "expected a filter of 'tamis/read'",
    'readFeed(new Response())':
      'readFeed: source must be a ReadableStream or an AsyncIterable, such as response.body, got Response',
    "firstOf(readFeed('a b c'))": 'readFeed: no format fits the lines',
    "firstOf(readFeed('{}'))": 'readFeed: the content is JSON, but not in a known list format',
    "firstOf(readFeed('PK\\x03\\x04'))": 'readFeed: the content is zip: pass a list as text',
    "firstOf(readFeed('0.0.0.0 a.example\\na b c'))":
      "readFeed: no format fits ('hosts' understands 50 % of the lines): pass the option format",
    "readFeed('', { format: 'csv' })": "readFeed: the format 'csv' needs the option column",
    'firstOf(readFeed(new Blob([Uint8Array.of(0x1f, 0x8b)]).stream()))':
      "readFeed: the feed is gzip; pipe it through DecompressionStream('gzip')",
    "guava.create({ capacity: 9, fpr: 0.01, strategy: 'mitz' })":
      "guava.create: strategy must be one of 'mitz64', 'mitz32', got 'mitz'",
    'spark.create({ capacity: 9, fpr: 0.01, version: 1, seed: 5 })':
      'spark.create: version 1 has no seed',
    "redisBloom.decode([[1, 'text']])":
      'redisbloom: chunk 0: the Redis client decoded it as text; ask for bytes: callBuffer of ioredis, or a type mapping of node-redis',
    'redisBloom.decode([5])':
      'redisbloom: chunks must be an array of [iterator, bytes], or one Uint8Array of all, got 5',
    'bloomFiltersJson.decode(5)':
      'bloom-filters: data must be JSON as a string, as bytes or parsed, got 5',
    "buildPages(['alice'], 5, { name: 'users' })": 'buildPages: folder must be a string, got 5',
    "buildPages(['alice'], 'new', { name: 'users', type: 'exact' })":
      "buildPages: the type 'exact' needs the option exclude",
    "buildPages(['alice'], 'new', { name: 'users', pages: 2 })":
      '`pages` 2: expected at most 1, one per key',
    "buildPages([], 'new', { name: 'users' })": 'buildPages: expected a key, got none',
    "buildPages(['alice'], 'new', { name: 'users', signingKeys: {} })":
      'buildPages: signingKeys must be { privateKey, publicKey }, got Object',
    "buildPages(['alice'], 'new', { name: 'users', signingKeys: { privateKey, publicKey: otherKey } })":
      'publicKey must belong to privateKey',
    "RemoteFilter.open('manifest.json', remote)":
      'RemoteFilter.open: manifestUrl must be an absolute URL, got a string of length 13',
    "RemoteFilter.open(url, { name: 'users' })":
      'RemoteFilter.open: expected the options name and publicKeys',
    'RemoteFilter.open(url, { ...remote, publicKeys: [] })':
      'RemoteFilter.open: publicKeys must have 1 to 16 public keys, got 0',
    "RemoteFilter.open(url, { ...remote, publicKeys: ['abc'] })":
      'publicKeys[0] must be 64 digits of lower-case hexadecimal',
    'RemoteFilter.open(url, { ...remote, publicKeys: [null] })':
      'publicKeys[0] must be an Ed25519 public key, got null',
    "RemoteFilter.open(url, { ...remote, storage: 'memory' })":
      'RemoteFilter.open: storage must be an object with get and set, got a string of length 6',
    'new RemoteFilter()': 'use await RemoteFilter.open or RemoteMap.open',
    "RedisFilter.open({ call }, '{seen}')":
      'RedisFilter.open: name must be a text without { and }, got a string of length 6',
    "RedisFilter.open({ call }, 'seen')":
      'RedisFilter.open: the filter does not exist; pass capacity to create it',
    "RedisFilter.open({ call }, 'seen', { capacity: 9, shards: 2, shardBytes: 99999 })":
      'RedisFilter.open: pass shards or shardBytes, not both',
    'new UrlListBuilder().addHosts([5])': 'an entry must be a string, got 5',
    'new UrlListBuilder({ prefixBytes: 5 })':
      'UrlListBuilder: prefixBytes must be 4, 8, 16 or 32, got 5',
    "new UrlListBuilder({ rule: 'psl' })":
      "UrlListBuilder: rule must be 'parents', 'labels5' or { name, registrableDomain }, got a string of length 3",
    'list.check(new URL(url))': 'a URL must be a string, such as url.href, got URL',
    'UrlList.fromPrefixes(new Uint8Array(5), { prefixBytes: 4 })':
      'UrlList.fromPrefixes: prefixes must have a length that is a multiple of prefixBytes (4, 8, 16 or 32), and be strictly increasing',
    "createConfirmHandler([], confirm)('a')":
      'createConfirmHandler: request must be a Request, got a string of length 1',
    'publishList({}, publish)': 'publishList: list must be a UrlList, got Object',
    "publishList(list, { ...publish, name: '' })":
      'publishList: name must be 1 to 64 characters of printable ASCII',
    "publishList(list, { ...publish, report: 'http://a.example' })":
      'publishList: report must be an https URL with {url} in its path or query',
    'publishList(list, { ...publish, now: () => 5 })':
      'the clock says 1970-01-01T00:00:00.005Z, but the last version was made 2020-01-01T00:00:00.000Z; set the clock',
    "signManifest({ ...manifest, created: '2020-01-01' }, signingKeys)":
      'manifest.created must be a time as Date.toISOString() writes it, got a string of length 10',
    "UrlChecker.open(url, { ...check, storage: 'disk' })":
      "UrlChecker.open: storage must be 'indexeddb', 'cache', 'memory' or an object with get and set, got a string of length 4",
    'UrlChecker.open(url, { ...check, allow: list })':
      'UrlChecker.open: allow must have prefixBytes of 16 or 32, got 4',
    'UrlChecker.open(url, { ...check, allow: filter })':
      'UrlChecker.open: allow must have an fpr of 2 ** -20 or less, or be a Set',
    'UrlGuard.open({ ...guard, lists: {} })':
      "UrlGuard.open: lists must be 1 to 32 lists, with names of 1 to 32 lower-case letters, digits and '-', got none",
    "(await UrlGuard.open({ ...guard, lists: { own: { source: offline, action: 'block' } }, publicSuffixes: () => true })).overrides.add({ url: 'https://co.uk', scope: 'site', verdict: 'allow' })":
      "overrides.add: scope must be 'host' or 'page' for a public suffix, got 'site'",
    'SafeBrowsing.open({ ...search, apiKey: null })':
      'SafeBrowsing.open: apiKey is null: pass endpoint, the URL of your proxy that adds the key',
    "SafeBrowsing.open({ ...search, rule: 'parents' })":
      "SafeBrowsing.open: rule must be 'labels5' or { name, registrableDomain }, got 'parents'",
    "SafeBrowsing.open({ ...search, lists: ['x'] })":
      "SafeBrowsing.open: lists must be 1 to 31 names such as 'se-4b', each once, got Array",
  },
  ERR_TAMIS_INVALID_KEY: {
    "table.add('al')": 'a key must have 5 bytes',
    "filter.add('\\ud800')":
      'a key must be a well-formed string or a Uint8Array, got a lone surrogate',
    'filter.add(detached)': 'a key: the buffer was transferred or resized',
    "filter.addMany(['alice', 5n])":
      'a key must be a well-formed string or a Uint8Array, got 5n; use key.int32(n), key.int64(n) or key.float64(n)',
    'filter.addFrom(stream())': 'addFrom: source is a stream of bytes; pass keyBatchesFrom(stream)',
    'key.int32(2 ** 31)':
      'int32: expected a whole number from -2147483648 to 2147483647, got 2147483648',
    'linesFrom(new Blob([Uint8Array.of(0xff)]).stream()).next()':
      'linesFrom: a line is not UTF-8; keyBatchesFrom takes any bytes',
    'reader.has(5)': 'a key must be a string or a Uint8Array, got number',
    "reader.hasMany('alice')": 'keys must be an iterable',
    'encodings.decimal(1.5)':
      'decimal: expected a whole number of at most 2^53 - 1, or a bigint, got 1.5',
    "encodings.bytes('alice')": 'bytes: expected a Uint8Array, got a string of length 5',
  },
  ERR_TAMIS_TOO_LARGE: {
    'new BloomFilter({ capacity: 1e10, fpr: 0.001 })':
      'BloomFilter: needs about 17972106934 bytes; the limit is 512 MiB; use fewer keys, a higher fpr, or tamis/pages',
    'fromBytes(bytes, { maxBytes: 70 })': 'the bytes exceed `maxBytes` (70)',
    "linesFrom(new Blob(['alice']).stream(), { maxLineBytes: 3 }).next()":
      'linesFrom: a line has more than 3 bytes; see maxLineBytes',
    'read.fromBytes(bytes, { maxBytes: 70 })': '208 bytes are more than maxBytes (70)',
    "firstOf(readFeed('['.repeat(99), { format: 'urlhaus-json' }))":
      'readFeed: the JSON is deeper than 64 levels',
  },
  ERR_TAMIS_FULL: {
    'small.addMany(names)':
      'no room: created for 2 keys, contains 8; pass a larger `capacity`, or add each key only once',
  },
  ERR_TAMIS_TOMBSTONED: {
    "deleted.add('bob')": 'this key was deleted, or looks deleted; nothing was changed',
  },
  ERR_TAMIS_NOT_DELETABLE: {
    "locked.delete('name 0')": 'other keys may share all bits of this key; nothing was changed',
  },
  ERR_TAMIS_CONFLICT: {
    "ExactFilter.from({ include: ['alice', 'bob'], exclude: ['bob'] })":
      'ExactFilter.from: a key is in include and in exclude; number of such keys: 1',
    "BloomierMap.from([['alice', 1], ['alice', 2]], { valueBits: 8 })":
      'BloomierMap.from: a key has two values; number of such keys: 1',
  },
  ERR_TAMIS_INCOMPATIBLE: {
    'filter.merge(new BloomFilter({ capacity: 200 }))':
      'the two have different options: bits is 962 here and 1921 there; make one with `other.emptyCopy()`',
    'filter.merge(new CuckooFilter({ capacity: 100 }))':
      'the two have different types: type is bloom here and cuckoo there',
    "keyed.merge(BloomFilter.from(['alice'], { secret: other }))": 'the two have different secrets',
    'guava.encode(filter)':
      "guava: expected a filter of type bloom whose scheme is 'guava-32' or 'guava64', got the scheme 'mcg'",
    "buildPages(['alice'], 'users', { name: 'others' })":
      "users: the folder contains the list 'users', not 'others'",
    "RemoteFilter.open(url, { ...remote, name: 'others' })":
      "the manifest is of 'users', not of 'others'",
    'list.diff(long)': 'the older list has another `rule` or `prefixBytes`; use the same for both',
    'long.apply(list.diff(list))': 'the delta is for another list',
    'ruled.check(url)':
      "the list was built with the rule 'psl'; pass that rule in the option `rule`",
    'UrlList.fromBytes(list.toBytes(), { rule })':
      "the list was built with the rule 'parents', not with 'psl'",
    "publishList(list, { ...publish, name: 'good' })":
      "the manifest is for the list 'bad', not for 'good'",
    'publishList(ruled, publish)':
      "'bad' is published with the rule 'parents', and this list has 'psl': build it with the published rule, or publish it under another name",
    "RedisFilter.open({ call: wrongType }, 'seen', { capacity: 9 })":
      'seen:meta has another type in Redis',
  },
  ERR_TAMIS_UNSUPPORTED: {
    "foreign.addHashes(hashKeys(['alice']))": 'the scheme needs the keys, not hashes',
    'fromBytes(foreign.toBytes())':
      "the bytes have the scheme 'guava64'; pass it in the option schemes: `import { guava64 } from 'tamis/schemes'`",
    'read.fromBytes(foreign.toBytes())': "only 'tamis' loads this scheme, not 'tamis/read'",
    'guava.decode(html)': 'guava: unknown strategy 60; the data looks like HTML',
    'RemoteFilter.open(url, { ...remote, types: [read.CuckooFilter] })':
      "the pages have type 'ribbon': add its class, from 'tamis/read', to the option types",
    "RedisFilter.open({ call: () => 'OK' }, 'seen')": 'seen:meta: the client returned no array',
  },
  ERR_TAMIS_DISPOSED: {
    "disposed.has('alice')": 'the structure was disposed of; load it again',
    "closed.has('alice')": 'disposed of, or transferred; load it again',
  },
  ERR_TAMIS_NOT_TAMIS: {
    'fromBytes(html)': 'expected the bytes of toBytes, got HTML; check response.ok and the URL',
    "fromBytes(utf8('{}'))":
      'expected the bytes of toBytes, got JSON; check response.ok and the URL',
    'read.fromBytes(html)':
      'expected the bytes of toBytes, got HTML; check response.ok and the URL',
  },
  ERR_TAMIS_UNSUPPORTED_VERSION: {
    'fromBytes(newer)': 'the bytes are from a later release; update tamis',
    'read.fromBytes(newer)': 'version 9 is too new; update tamis',
  },
  ERR_TAMIS_UNKNOWN_TYPE: {
    'fromBytes(newType)': 'the bytes are from a later release; update tamis',
  },
  ERR_TAMIS_WRONG_TYPE: {
    'fromBytes(bits.toBytes())':
      'the bytes have the type bit-array: load them with BitArray.fromBytes',
    'fromBytes(list.toBytes())':
      "the bytes have the type url-list: load them with UrlList.fromBytes of 'tamis/url'",
    'CuckooFilter.fromBytes(bytes)': 'the bytes have another type; `fromBytes` loads any filter',
    'fromBytesOf([CuckooFilter], bytes)':
      'the bytes have the type bloom: no class that you passed loads it',
    'read.CuckooFilter.fromBytes(bytes)':
      'expected cuckoo, got type 1; the function fromBytes loads any filter',
    'read.fromBytesOf([read.CuckooFilter], bits.toBytes())':
      'expected cuckoo, got a bit-array: use BitArray.fromBytes',
  },
  ERR_TAMIS_TRUNCATED: {
    'fromBytes(cut)': 'the bytes end too early; fetch them again',
    'read.fromBytes(cut)': 'expected 208 bytes, got 70; fetch again',
    "firstOf(readFeed('url,url_status\\n\"a', { format: 'urlhaus-csv' }))":
      'readFeed: the quotes in line 2 are never closed',
    "firstOf(readFeed('{\"a\":', { format: 'metamask' }))":
      'readFeed: the JSON of the feed ends too early',
    'guava.decode(Uint8Array.of(1, 8))':
      'guava: the data is too short: expected 4 bytes at offset 2',
  },
  ERR_TAMIS_CORRUPT: {
    'fromBytes(damaged)': 'the bytes are damaged; fetch them again',
    'read.fromBytes(damaged)': 'damaged bytes; fetch them again',
    "firstOf(readFeed('{\"blacklist\": }', { format: 'metamask' }))":
      'readFeed: the JSON of the feed is damaged',
    'guava.decode(new Uint8Array(9))': 'guava: damaged data, or another format: it has 0 words',
    'RemoteFilter.open(url, { ...remote, publicKeys })':
      'not a manifest: manifest.keyId must be 16 digits of lower-case hexadecimal, got undefined',
  },
  ERR_TAMIS_KEY_REQUIRED: {
    'fromBytes(keyed.toBytes())': 'the structure has a secret: pass the option `secret`',
    'read.fromBytes(keyed.toBytes())': 'keyed bytes: pass the secret',
    "RemoteFilter.open(url, { ...remote, fetch: fetchPages('keyed') })":
      'the pages have a secret: pass the option secret',
  },
  ERR_TAMIS_WRONG_KEY: {
    'fromBytes(keyed.toBytes(), { secret: other })': 'the structure has another `secret`, or none',
    'read.fromBytes(keyed.toBytes(), { secret: other })': 'the bytes have another secret, or none',
    'RemoteFilter.open(url, { ...remote, secret })': 'the pages have another secret, or none',
  },
  ERR_TAMIS_INVALID_URL: {
    "new UrlListBuilder().addHosts(['http://evil.example/'])":
      "addHosts: 'http://evil.example/' is no host, but a URL",
    "new UrlListBuilder().addHosts(['0.0.0.0 evil.example'])":
      "addHosts: '0.0.0.0 evil.example' is no host, but a line of a hosts file",
    "new UrlListBuilder().addUrls(['http:///'])": "addUrls: 'http:///' is no URL",
    "new UrlListBuilder().addExpressions(['evil.example'])":
      "addExpressions: 'evil.example' can match nothing; expected 'evil.example/'",
    "list.hits('mailto:alice@a.example')": 'the URL has no host or no `//`, or is over 2 MiB',
    "canonicalize('\\ud800')": 'the URL has a lone surrogate',
  },
  ERR_TAMIS_REFUSED: {
    "new UrlListBuilder().addFeed(readFeed('# none\\n', { format: 'domains' }))":
      'addFeed: the feed has no entries',
    "evil().build({ gate: { mustNotMatch: ['http://evil.example/'] } })":
      "sites of mustNotMatch are on the list (entries: 1): 'http://evil.example/' is on the list as 'evil.example/'",
    'evil().build({ gate: { minEntries: 5 } })': 'the list has fewer than 5 entries: 1',
    'evil().build({ gate: { publicSuffixes: () => true } })':
      "the list has public suffixes (1): 'evil.example/'",
    'new UrlListBuilder().build({ previous: list, gate: { maxRemovedPct: 5 } })':
      'over 5 % of the entries were removed: 1 of 1',
  },
  ERR_TAMIS_BAD_SIGNATURE: {
    'verifyManifest(manifest, { ...verify, publicKeys: [otherKey] })':
      "no key of publicKeys has the manifest's keyId 21fe31dfa154a261",
    'verifyManifest({ ...manifest, n: 5 }, verify)': 'the manifest was changed after it was signed',
  },
  ERR_TAMIS_ROLLBACK: {
    'verifyManifest(manifest, { ...verify, newest: { ...manifest, seq: 2e9 } })':
      'the manifest has seq 1577836800, but an earlier one had 2000000000',
  },
  ERR_TAMIS_EXPIRED: {
    'verifyManifest(manifest, { publicKeys })':
      'the manifest expired at 2020-01-08T00:00:00.000Z; fetch or publish a newer one',
  },
  ERR_TAMIS_UNAVAILABLE: {
    'RemoteFilter.open(url, { ...remote, fetch })':
      'https://a.example/manifest.json: the request failed',
    "many.has('alice')":
      "https://a.example/users.3123086e5a670377.0.pages: the host answered 200: it must support range requests; else pass fullResponses: 'use', or publish with files: 'page'",
    "RedisFilter.open({ call: fetch }, 'seen')": 'a command about seen:meta failed: no network',
    "checker.verify('http://evil.example/')": 'no confirm server: pass the option confirm',
    "offline.check('http://evil.example/')": 'there is no list, or it has expired; see status',
  },
};
