// Draws the pictures of README.md and of links to the site, from the Bloom figure of the built demo.
//
//   node js/scripts/pictures.mjs [--check]
//
// docs/pictures/bloom.svg   a false positive, in the colours of the reader's scheme
// docs/pictures/og.png      what other sites show beside a link: a screenshot of build/og.svg, and the digest of that
//
// With --check it writes no picture, and fails if the figure looks different now. web-demo/dist must be built.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { crc32 } from 'node:zlib';
import { preview } from 'vite';
import { launchBrowser } from '../../tests/e2e/browser.mjs';
import { card, picture } from './picture-svg.mjs';
import { root } from './run.mjs';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const folder = 'docs/pictures';

/** The elements of the figure's drawing, with their styles in the page's scheme. This function runs in the page. */
function collect() {
  const host = document.querySelector('tamis-figure[type=bloom]').shadowRoot;
  const svg = host.querySelector('svg');
  const ofShapes = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray'];
  // The stroke of a text is a rim between it and the lines behind it.
  const ofTexts = ['fill', 'stroke', 'stroke-width', 'paint-order', 'font-size', 'font-weight'];
  // Nobody can press a bit of a picture.
  const marks = [...svg.querySelectorAll(':scope > g:not([data-key=hint]) > *')].map((element) => {
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

/** The false positive of the Bloom figure at its last step, in both schemes, on a page of that width. */
async function drawFigure(browser, address, width) {
  const page = await browser.newPage({ viewport: { width, height: 900 } });
  await page.goto(address);
  const figure = page.locator('tamis-figure[type=bloom]');
  await figure.scrollIntoViewIfNeeded();
  await figure.getByRole('button', { name: 'a false positive' }).click();
  await figure.locator('.scrubber').press('End');
  const drawings = {};
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    drawings[colorScheme] = await page.evaluate(collect);
  }
  await page.close();
  return drawings;
}

/** Brings a picture up to date unless `isCurrent` takes its bytes, or, with --check, says that it is not. */
async function update(name, isCurrent, draw) {
  const path = join(root, folder, name);
  if (existsSync(path) && isCurrent(readFileSync(path))) return;
  if (values.check) {
    process.stderr.write(
      `${folder}/${name} is out of date: run \`node js/scripts/pictures.mjs\`\n`,
    );
    process.exitCode = 1;
    return;
  }
  writeFileSync(path, await draw());
  process.stdout.write(`${folder}/${name}: written\n`);
}

/** A PNG with a text of that name after its header. */
function withText(png, name, text) {
  const chunk = Buffer.from(`____tEXt${name}\0${text}____`, 'latin1');
  chunk.writeUInt32BE(chunk.length - 12);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
  return Buffer.concat([png.subarray(0, 33), chunk, png.subarray(33)]);
}

const server = await preview({
  root: join(root, 'web-demo'),
  configFile: join(root, 'web-demo', 'vite.config.ts'),
  preview: { host: '127.0.0.1', port: 0 },
  logLevel: 'warn',
});
const browser = await launchBrowser();
try {
  const address = new URL('figures.html', server.resolvedUrls.local[0]).href;
  const bloom = picture(await drawFigure(browser, address, 900));
  await update(
    'bloom.svg',
    (bytes) => String(bytes) === bloom,
    () => bloom,
  );
  // Narrow enough for rows of 16 bits, which fill the card better than rows of 32.
  const source = card((await drawFigure(browser, address, 760)).dark);
  writeFileSync(join(root, 'build/og.svg'), source);
  // Two machines draw letters differently, so the picture itself is not compared.
  const digest = createHash('sha256').update(source).digest('hex');
  await update(
    'og.png',
    (bytes) => bytes.includes(digest),
    async () => {
      const page = await browser.newPage({ viewport: { width: 1200, height: 630 } });
      await page.setContent(`<style>body { margin: 0 }</style>${source}`);
      return withText(await page.screenshot(), 'Source', digest);
    },
  );
} finally {
  await browser.close();
  await server.close();
}
