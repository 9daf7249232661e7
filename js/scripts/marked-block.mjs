// Text between `<!-- name:start -->` and `<!-- name:end -->` in a document, made by a script.

import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';

/** The document with the block's content replaced; an error where its markers are not there once. */
export function replaceBlock(text, name, content) {
  const [start, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`];
  const parts = text.split(start);
  const tail = parts[1]?.split(end);
  if (parts.length !== 2 || tail.length !== 2)
    throw new Error(`expected ${start} ... ${end}, once`);
  return `${parts[0]}${start}\n\n${content.trim()}\n\n${end}${tail[1]}`;
}

/**
 * Brings the blocks of `file` up to date, or, with `check`, only compares.
 * @param {Record<string, string>} blocks content by name
 * @returns {boolean} whether the file holds them now
 */
export function updateBlocks(file, blocks, { check, command }) {
  const before = readFileSync(file, 'utf8');
  let after = before;
  for (const [name, content] of Object.entries(blocks)) after = replaceBlock(after, name, content);
  if (after === before) return true;
  const name = relative(process.cwd(), file);
  if (check) {
    process.stderr.write(`${name} is out of date: run \`${command}\`\n`);
    return false;
  }
  writeFileSync(file, after);
  process.stdout.write(`${name}: written\n`);
  return true;
}
