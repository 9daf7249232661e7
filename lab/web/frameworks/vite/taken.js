import { RibbonFilter } from 'tamis/read';
import url from './taken.tamis?url';

let loading;

async function load() {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return RibbonFilter.fromBytes(await response.arrayBuffer());
}

export async function isTaken(name) {
  loading ??= load();
  return (await loading).has(name);
}
