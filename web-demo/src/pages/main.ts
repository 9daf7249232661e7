// The page of breached passwords: look-ups in pages on this host, and every request that they make.
import { pagesInfo } from 'virtual:pages-info';
import { announceFromNowOn, byId, copyTextButton } from '../dom';
import { integer } from '../format';
import { AskView, showNoAnswer } from './ask-view';
import { HostView } from './host-view';
import { showFetched, showList } from './list-view';
import { LookUps } from './look-ups';
import { RequestsView } from './requests-view';
import { failureOf } from './tell';

const DECOYS = 3;

const decoysBox = byId('decoys', HTMLInputElement);
const requests = new RequestsView();
const host = new HostView();

function show(): void {
  requests.show(lookUps);
  host.show(lookUps);
  const { status } = lookUps;
  if (status) showList(status);
  const all = lookUps.tasks.flatMap(({ exchanges }) => exchanges);
  showFetched(all.reduce((sum, { bytes }) => sum + bytes, 0));
  ask.showCost();
}

const lookUps = new LookUps(
  {
    name: 'passwords',
    url: new URL('passwords/manifest.json', document.baseURI).href,
    publicKey: pagesInfo.publicKey,
  },
  show,
);

const ask = new AskView(lookUps);

async function open(): Promise<void> {
  const task = await lookUps.open(decoysBox.checked ? DECOYS : 0);
  if (task !== lookUps.tasks.at(-1)) return;
  // Missing data never means "not listed".
  if (task.error === undefined) showNoAnswer('Look up a password', 'Type one above, or pick one.');
  else showNoAnswer('No list, no answer', failureOf(task));
}

function onToggle(id: string, set: (isOn: boolean) => void): void {
  const button = byId(id, HTMLButtonElement);
  button.addEventListener('click', () => {
    const isOn = button.ariaPressed !== 'true';
    button.ariaPressed = String(isOn);
    set(isOn);
  });
}

onToggle('damage', (isOn) => {
  lookUps.traffic.isDamaging = isOn;
});
onToggle('offline', (isOn) => {
  lookUps.traffic.isOffline = isOn;
});
decoysBox.addEventListener('change', open);
copyTextButton('copy-snippet', byId('snippet', HTMLElement));
byId('source', HTMLParagraphElement).textContent =
  `The list: ${integer(pagesInfo.keys)} passwords that a program made up, in pages made by tamis shard.`;
announceFromNowOn();
void open();
