import { RibbonFilter } from 'tamis/read';
import { read } from '$app/server';
import file from './taken.tamis?url';

const taken = RibbonFilter.fromBytes(await read(file).arrayBuffer());

export function GET({ url }) {
  return Response.json(taken.has(url.searchParams.get('name') ?? ''));
}
