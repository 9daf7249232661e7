import type { Filter } from 'tamis';
import { byId, copyTextButton } from '../dom';
import { takeFiles } from '../drop-zone';
import { fillFigures } from '../figures-view';
import { bytes, integer, messageOf, oneIn, percent, plural } from '../format';
import { loadHosts } from '../list';
import type { DropFinding, DropJob, DropResult, Phase } from './drop-job';
import { dropType, dropTypes, loadDropped } from './drop-types';
import { clientProgram, serverProgram } from './snippets';

const RATES = [0.1, 0.01, 0.001, 0.0001, 0.000001];

const zone = byId('drop-zone', HTMLDivElement);
const input = byId('drop-file', HTMLInputElement);
const type = byId('drop-type', HTMLSelectElement);
const rate = byId('drop-fpr', HTMLSelectElement);
const progress = byId('drop-progress', HTMLProgressElement);
const note = byId('drop-note', HTMLParagraphElement);
const figures = byId('drop-figures', HTMLDListElement);
const download = byId('drop-download', HTMLAnchorElement);
const key = byId('drop-key', HTMLInputElement);
const answer = byId('drop-answer', HTMLParagraphElement);
const programs = byId('drop-programs', HTMLDivElement);
const sample = byId('drop-sample', HTMLButtonElement);
const server = byId('drop-server', HTMLElement);
const client = byId('drop-client', HTMLElement);

const PHASES: Readonly<Record<Phase, string>> = {
  read: 'Reading',
  build: 'Building',
  check: 'Looking up every key, and absent keys',
};
const ORDER: readonly Phase[] = ['read', 'build', 'check'];

/** Characters that are safe in a program and in a file name. */
const safe = (name: string): string => name.replace(/[^\w.-]+/g, '-');

/** Turns a file of keys into a filter to download. The file does not leave the browser. */
export class DropView {
  #file: File | undefined;
  #worker: Worker | undefined;
  #filter: Filter | undefined;
  #url: string | undefined;

  constructor() {
    type.replaceChildren(...dropTypes.map((entry) => new Option(entry.className, entry.type)));
    rate.replaceChildren(...RATES.map((value) => new Option(oneIn(value), String(value))));
    rate.value = '0.01';
    input.disabled = false;
    sample.disabled = false;
    sample.addEventListener('click', () => this.#takeSample());
    const build = (): void => this.#build();
    for (const select of [type, rate]) select.addEventListener('change', build);
    takeFiles(zone, input, ([file]) => this.#take(file));
    key.addEventListener('input', () => this.#lookUp());
    copyTextButton('copy-drop-server', server);
    copyTextButton('copy-drop-client', client);
  }

  #take(file: File | undefined): void {
    if (file === undefined) return;
    this.#file = file;
    this.#build();
  }

  async #takeSample(): Promise<void> {
    try {
      const hosts = await loadHosts('phishing');
      this.#take(new File([`${hosts.join('\n')}\n`], 'phishing-hosts.txt'));
    } catch (error) {
      note.textContent = `The list did not load: ${error}`;
    }
  }

  #build(): void {
    const file = this.#file;
    if (file === undefined) return;
    this.#forget();
    const job: DropJob = { file, type: type.value, fpr: Number(rate.value) };
    const worker = new Worker(new URL('./drop-worker.ts', import.meta.url), { type: 'module' });
    this.#worker = worker;
    note.textContent = `Reading ${file.name} ...`;
    progress.hidden = false;
    worker.addEventListener('message', ({ data }: MessageEvent<DropFinding>) => {
      if ('phase' in data) {
        const at = ORDER.indexOf(data.phase);
        progress.value = (at + data.share) / ORDER.length;
        progress.ariaValueText = PHASES[data.phase];
        return;
      }
      worker.terminate();
      progress.hidden = true;
      if ('refused' in data) note.textContent = `Not built: ${data.refused}.`;
      else this.#show(job, data.result);
    });
    worker.addEventListener('error', ({ message }) => {
      progress.hidden = true;
      note.textContent = `Not built: ${message}.`;
    });
    worker.postMessage(job);
  }

  /** Removes the results of an earlier file. */
  #forget(): void {
    this.#worker?.terminate();
    this.#filter?.dispose();
    this.#filter = undefined;
    if (this.#url !== undefined) URL.revokeObjectURL(this.#url);
    this.#url = undefined;
    download.removeAttribute('href');
    download.classList.add('is-unused');
    figures.replaceChildren();
    programs.hidden = true;
    server.textContent = '';
    client.textContent = '';
    answer.textContent = 'There is no filter yet.';
    progress.value = 0;
  }

  #show({ file, type: chosen, fpr }: DropJob, result: DropResult): void {
    const { bytes: made, keys, textBytes, gzipBytes, buildMs, missed } = result;
    this.#filter = loadDropped(made);
    const source = safe(file.name);
    const target = `${source.replace(/\.gz$/, '').replace(/\.[^.]*$/, '') || 'list'}.tamis`;
    this.#url = URL.createObjectURL(new Blob([made], { type: 'application/octet-stream' }));
    download.href = this.#url;
    download.download = target;
    download.textContent = `Download ${target}`;
    download.classList.remove('is-unused');
    const measured = percent(result.falsePositives / result.absentKeys);
    note.textContent =
      `${plural(keys, 'key')}: ${bytes(textBytes)} became ${bytes(made.length)}. ` +
      `${integer(missed)} missed, ${measured} false positives.`;
    fillFigures(figures, [
      ['Keys', integer(keys), 'distinct lines'],
      [
        'Filter',
        `${integer(made.length)} bytes`,
        `${((8 * made.length) / keys).toFixed(2)} bits per key`,
      ],
      [
        'Gzipped list',
        `${integer(gzipBytes)} bytes`,
        `${(gzipBytes / made.length).toFixed(1)} times the filter`,
      ],
      ['False positives', measured, `of ${integer(result.absentKeys)} absent keys, measured`],
      ['Built in', `${buildMs.toFixed(0)} ms`],
    ]);
    const { className } = dropType(chosen);
    const dropped = { className, source: source.replace(/\.gz$/, ''), target, fpr, result };
    programs.hidden = false;
    server.textContent = serverProgram(dropped);
    client.textContent = clientProgram(dropped);
    key.value = result.sample;
    this.#lookUp();
  }

  #lookUp(): void {
    const filter = this.#filter;
    if (filter === undefined) return;
    const text = key.value;
    try {
      if (text === '') answer.textContent = 'Type a key.';
      else if (filter.has(text)) answer.textContent = `${text}: probably on the list.`;
      else answer.textContent = `${text}: certainly not on the list.`;
    } catch (error) {
      answer.textContent = messageOf(error);
    }
  }
}
