import { execFileSync } from 'node:child_process'; import { mkdirSync, writeFileSync } from 'node:fs'; import { join } from 'node:path';
import { serveBundle } from '../../../tests/e2e/bundle.mjs'; import { startEngine } from '../../../tests/e2e/engines/index.mjs'; import { CSP } from '../../../web-demo/serve.mjs'; import { root } from '../../scripts/run.mjs';
const med = (a) => [...a].sort((p, q) => p - q)[a.length >> 1];
const alt = process.argv[3]; // other dist/read/index.js as 'alt'
const src = (quick, rounds, from) => { const all = [['tamis/read', 'tamis/read', process.env.READ ?? 'tamis/read'], ['bloomfilter', 'bloomfilter', 'bloomfilter']]; if (alt) all.push(['tamis/read', 'alt', alt]);
 return `import { measure } from '${from}/tmp/engine.mjs'; import * as T from 'tamis'; const contenders = {};` + all.map(([name, as, module], i) => `
import * as module${i} from '${module}'; import { adapt as adapt${i} } from '${from}/contenders.mjs?${as}'; import { addAll as add${i}, askAll as ask${i} } from '${from}/measure.mjs?${as}';
contenders['${as}'] = { ...adapt${i}('browsers', '${name}', module${i}, T), addAll: add${i}, askAll: ask${i} };`).join('') + `\nglobalThis.outcome = measure(contenders, ${JSON.stringify({ quick, rounds })});`; };
for (const e of process.argv[2].split(',')) for (const quick of [true, false]) { let o;
 if (e === 'node') { const file = join(root, 'build/bench/tmpn.mjs'); mkdirSync(join(root, 'build/bench'), { recursive: true }); writeFileSync(file, src(quick, 11, '../../js/bench') + 'console.log(JSON.stringify(await outcome))'); o = JSON.parse(execFileSync('node', [file], { encoding: 'utf8' })); }
 else { const en = await startEngine(e); const server = await serveBundle({ sources: { 'page.js': src(quick, 11, './js/bench') }, resolveDir: root, csp: CSP }); try { const page = await en.open(server.url); o = await page.evaluate('globalThis.outcome'); } finally { await server.close(); await en.close(); } }
 const r = o.times['has 54 ascii']; console.log(e, o.capacity, Object.keys(r).map((k) => `${k} ${med(r[k]).toFixed(0)} (${Math.min(...r[k]).toFixed(0)})`).join('  '), 'ratio', (med(r['tamis/read']) / med(r.bloomfilter)).toFixed(3), alt ? (med(r.alt) / med(r.bloomfilter)).toFixed(3) : ''); }
