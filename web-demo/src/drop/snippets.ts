// Programs for a server and a browser, with the figures of the visitor's file.
import { bytes, integer, percent } from '../format';
import type { DropResult } from './drop-job';

interface Dropped {
  readonly className: string;
  readonly source: string;
  readonly target: string;
  readonly fpr: number;
  readonly result: DropResult;
}

/** A program that builds the same file in Node. */
export function serverProgram({ className, source, target, fpr, result }: Dropped): string {
  return `import { readFile, writeFile } from 'node:fs/promises';
import { ${className} } from 'tamis';

const text = await readFile('${source}', 'utf8');
const keys = new Set(text.split(/\\r?\\n/).filter((line) => line !== '')); // ${integer(result.keys)}
const filter = ${className}.from(keys, { fpr: ${fpr} });
await writeFile('${target}', filter.toBytes()); // ${bytes(result.bytes.length)}
`;
}

/** A program that loads the file in a browser. */
export function clientProgram({ className, target, result }: Dropped): string {
  const measured = percent(result.falsePositives / result.absentKeys);
  return `import { ${className} } from 'tamis';

const { body } = await fetch('/${target}'); // ${bytes(result.bytes.length)}; gzipped text: ${bytes(result.gzipBytes)}
const filter = await ${className}.fromStream(body);
if (filter.has(key)) {
  // Probably on the list: ${measured} of absent keys come here. Confirm with your server.
} else {
  // Certainly not on the list.
}
`;
}
