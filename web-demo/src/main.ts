import { version } from 'tamis';
import { BuildView } from './build-view';
import { CheckView } from './check-view';
import { announceFromNowOn, byId, copyButton } from './dom';
import { showFigures } from './figures-view';
import { integer } from './format';
import { HandView } from './hand-view';
import { type ListInfo, loadFilter, loadInfo } from './list';
import { OnceView } from './once-view';
import { PositionsView } from './positions-view';
import { type PageState, readState, stateHash } from './state';
import { StripView } from './strip-view';

function showSource({ list, version: listVersion, hosts, builtOn }: ListInfo): void {
  byId('source', HTMLParagraphElement).textContent =
    `The list: ${integer(hosts)} hosts of npm ${list} ${listVersion}; filter built on ${builtOn} ` +
    `with tamis ${version}.`;
}

async function start(): Promise<void> {
  const [filter, info] = await Promise.all([loadFilter(), loadInfo()]);
  const fallback: PageState = {
    host: info.picks.legitimate[0] ?? '',
    type: '',
    capacity: 10_000,
    fpr: 0.01,
  };
  let state = readState(location.hash, fallback);
  // Not written into the address: what was looked up is no business of the browser's history.
  const change = (part: Partial<PageState>): void => {
    state = { ...state, ...part };
  };

  showFigures(filter, info);
  showSource(info);
  const strip = new StripView(filter);
  const positions = new PositionsView(filter, info, (position) => strip.goTo(position));
  const check = new CheckView(filter, info, (answer, text) => {
    strip.show(answer);
    positions.show(answer);
    if (text !== state.host) change({ host: text });
  });
  const hand = new HandView();
  new OnceView();
  const build = new BuildView((job) => {
    change(job);
    hand.set(job);
  });
  const link = (): string => new URL(stateHash(state), location.href).href;
  copyButton(byId('copy-link', HTMLButtonElement), link);
  const apply = (): void => {
    check.setText(state.host);
    build.set(state);
    hand.set(build.job);
  };
  addEventListener('hashchange', () => {
    // An anchor, as that of the link to the question, says nothing about the state.
    if (!location.hash.includes('=')) return;
    state = readState(location.hash, fallback);
    apply();
  });
  apply();
}

for (const section of document.querySelectorAll('section')) announceFromNowOn(section);
start().catch((error: unknown) => {
  // Without its filter the page answers nothing: missing data is never a "not listed".
  const trouble = byId('trouble', HTMLParagraphElement);
  trouble.hidden = false;
  trouble.textContent = error instanceof Error ? error.message : String(error);
  byId('verdict-word', HTMLParagraphElement).textContent = 'No filter, no answer';
});
