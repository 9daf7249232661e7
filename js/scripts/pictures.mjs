// Draws the pictures of README.md and of links to the site, from the figures of the built demo.
//
//   node js/scripts/pictures.mjs [--check]
//
// docs/pictures/bloom.svg   a false positive, in the colours of the reader's scheme
// docs/pictures/og.png      what other sites show beside a link: a screenshot of og.svg
//
// With --check it writes nothing, and fails where a figure looks different now. web-demo/dist must be built.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { preview } from 'vite';
import { launchBrowser } from '../../tests/e2e/browser.mjs';
import { card, picture } from './picture-svg.mjs';
import { root } from './run.mjs';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const folder = 'docs/pictures';

/** What the figure's drawing is made of, with the styles that the page's scheme gives it; runs in the page. */
function collect(type) {
  const host = document.querySelector(`tamis-figure[type=${type}]`).shadowRoot;
  const svg = host.querySelector('svg');
  const ofShapes = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray'];
  // The stroke of a text is a rim that keeps it apart from lines behind it.
  const ofTexts = ['fill', 'stroke', 'stroke-width', 'paint-order', 'font-size', 'font-weight'];
  const marks = [...svg.querySelectorAll(':scope > g > *')].map((element) => {
    const { e: x, f: y } = new DOMMatrix(getComputedStyle(element.parentElement).transform);
    const computed = getComputedStyle(element);
    const attributes = Object.fromEntries(
      ['x', 'y', 'width', 'height', 'rx', 'd'].flatMap((name) =>
        element.hasAttribute(name) ? [[name, element.getAttribute(name)]] : [],
      ),
    );
    const text = element.tagName === 'text' ? element.textContent : undefined;
    const names = text === undefined ? ofShapes : ofTexts;
    const style = Object.fromEntries(names.map((name) => [name, computed.getPropertyValue(name)]));
    const anchor = text === undefined ? undefined : computed.textAnchor;
    return { tag: element.tagName, x, y, attributes, text, anchor, style };
  });
  const root = getComputedStyle(host.querySelector('.figure'));
  return {
    width: svg.width.baseVal.value,
    height: svg.height.baseVal.value,
    marks,
    answer: host.querySelector('.answer').textContent,
    caption: host.querySelector('.caption').textContent,
    colors: {
      ink: root.color,
      paper: root.backgroundColor,
      answer: getComputedStyle(host.querySelector('.answer')).color,
    },
  };
}

/** The last step of a figure in both schemes, after the choice of that label. */
async function drawFigure(page, type, pick) {
  const figure = page.locator(`tamis-figure[type=${type}]`);
  await figure.scrollIntoViewIfNeeded();
  if (pick) await figure.getByRole('button', { name: pick }).click();
  await figure.locator('.scrubber').press('End');
  const drawings = {};
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    drawings[colorScheme] = await page.evaluate(collect, type);
  }
  return drawings;
}

function complain(what) {
  process.stderr.write(`${folder}/${what}: run \`node js/scripts/pictures.mjs\`\n`);
  process.exitCode = 1;
}

/** Writes a picture, or, with --check, says that it is another. */
function update(name, content) {
  const path = join(root, folder, name);
  if (existsSync(path) && readFileSync(path, 'utf8') === content) return false;
  if (values.check) {
    complain(`${name} is out of date`);
    return false;
  }
  mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(path, content);
  process.stdout.write(`${folder}/${name}: written\n`);
  return true;
}

const server = await preview({
  root: join(root, 'web-demo'),
  configFile: join(root, 'web-demo', 'vite.config.ts'),
  preview: { host: '127.0.0.1', port: 0 },
  logLevel: 'warn',
});
const browser = await launchBrowser();
try {
  const page = await browser.newPage({ viewport: { width: 900, height: 900 } });
  await page.goto(new URL('figures.html', server.resolvedUrls.local[0]).href);
  update('bloom.svg', picture(await drawFigure(page, 'bloom', 'a false positive')));
  const { dark } = await drawFigure(page, 'ribbon');
  const source = card(dark);
  const isNew = update('og.svg', source);
  const isMissing = !existsSync(join(root, folder, 'og.png'));
  if (isMissing && values.check) complain('og.png is missing');
  else if (isNew || isMissing) {
    await page.setViewportSize({ width: 1200, height: 630 });
    await page.setContent(`<style>body { margin: 0 }</style>${source}`);
    await page.screenshot({ path: join(root, folder, 'og.png') });
  }
} finally {
  await browser.close();
  await server.close();
}
