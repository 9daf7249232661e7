import type { NextRequest } from 'next/server';
import { RibbonFilter } from 'tamis';
import * as read from 'tamis/read';

export const runtime = 'edge';

const loading = fetch(new URL('../../data/moved.tamis', import.meta.url)).then((response) =>
  response.arrayBuffer(),
);

export async function GET(request: NextRequest) {
  const bytes = await loading;
  const path = request.nextUrl.searchParams.get('path') ?? '';
  const filters = [RibbonFilter.fromBytes(bytes), read.RibbonFilter.fromBytes(bytes)];
  return Response.json(filters.map((filter) => filter.has(path)));
}
