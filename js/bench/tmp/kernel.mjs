// args: engines ; modules path
import { execFileSync } from 'node:child_process'; import { mkdirSync, writeFileSync } from 'node:fs'; import { join } from 'node:path';
import { serveBundle } from '../../../tests/e2e/bundle.mjs'; import { startEngine } from '../../../tests/e2e/engines/index.mjs'; import { CSP } from '../../../web-demo/serve.mjs'; import { root } from '../../scripts/run.mjs';
const dirs = process.argv.slice(3);
const src = (dirs) => dirs.map((d, i) => `
import * as x${i} from '${d}/xxh3.js'; import * as e${i} from '${d}/utf8.js'; import * as h${i} from '${d}/hash.js'; import * as u${i} from '${d}/u64.js'; import * as b${i} from '${d}/bloom-bits.js'; import * as B${i} from '${d}/bloom.js';`).join('') + `
import { BloomFilter } from 'tamis'; import { BloomFilter as P } from 'bloomfilter';
const n = 4000; const mk = (i) => 'https://www.example.org/news/2026/session/verify?product='.slice(0, 47) + (Math.imul(i, 0x9e3779b1) >>> 0).toString(36).padStart(7, '0');
const keys = JSON.parse(JSON.stringify(Array.from({ length: n }, (_, i) => mk(i)))); 
const f = new BloomFilter({ capacity: 20000, fpr: 0.01 }); for (let i = 0; i < 20000; i++) f.add(mk(i)); const bytes = f.toBytes();
const p = new P(192000, 7); for (let i = 0; i < 20000; i++) p.add(mk(i));
const all = {};
const def = (name, body, ...args) => { all[name] = new Function('keys', ...args.filter((_, i) => i % 2 === 0), 'return () => { let s = 0; for (let i = 0; i < keys.length; i++) { ' + body + ' } return s; }')(keys, ...args.filter((_, i) => i % 2)); };
def('peer', 's += p.test(keys[i])', 'p', p);
${dirs.map((d, i) => `
def('${i} encode', 's += encode(keys[i])', 'encode', e${i}.encodeShort);
def('${i} hashShort', 'hash(54)', 'hash', x${i}.hashShort);
def('${i} hash', 'hash(keys[i])', 'hash', h${i}.hash);
{ const r = B${i}.BloomFilter.fromBytes(bytes); const t = r.asked.test; const hs = keys.map((k) => { h${i}.hash(k); return [u${i}.u[0], u${i}.u[1]]; }); const hl = Int32Array.from(hs.flat());
def('${i} test', 'u[0] = hl[2 * i]; u[1] = hl[2 * i + 1]; s += t()', 't', t, 'u', u${i}.u, 'hl', hl);
def('${i} has', 's += r.has(keys[i])', 'r', r); }`).join('')}
const times = {}; 
for (let r = 0; r < 25; r++) { for (const k in all) { const t = performance.now(); let c = 0; do { all[k](); c++; } while (performance.now() - t < 12); (times[k] ??= []).push((performance.now() - t) * 1e6 / c / n); } }
globalThis.outcome = times;
`;
const med = (a) => [...a].sort((p, q) => p - q)[a.length >> 1];
for (const e of process.argv[2].split(',')) { let o;
 if (e === 'node') { const file = join(root, 'build/bench/tmpk.mjs'); writeFileSync(file, src(dirs) + 'console.log(JSON.stringify(outcome))'); o = JSON.parse(execFileSync('node', [file], { encoding: 'utf8' })); }
 else { const en = await startEngine(e); const server = await serveBundle({ sources: { 'page.js': src(dirs) }, resolveDir: root, csp: CSP.replace("script-src 'self'", "script-src 'self' 'unsafe-eval'") }); try { const page = await en.open(server.url); o = await page.evaluate('globalThis.outcome'); } finally { await server.close(); await en.close(); } }
 console.log(e); for (const k in o) console.log('  ', k.padEnd(14), med(o[k]).toFixed(1).padStart(7), Math.min(...o[k]).toFixed(1).padStart(7)); }
