// What the workers measure of a filter.

/** Keys that are not in a filter, unless the visitor's list has such keys. */
export const absentKeys = (count: number, known?: ReadonlySet<string>): string[] =>
  Array.from({ length: count }, (_, i) => `absent-${i}`).filter((key) => !known?.has(key));

/** The number of positive answers. */
export const positives = (answers: Uint8Array): number =>
  answers.reduce((sum, answer) => sum + answer, 0);

export async function gzipBytes(text: string): Promise<number> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'));
  return (await new Response(stream).arrayBuffer()).byteLength;
}
