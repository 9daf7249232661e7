import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NextRequest } from 'next/server';
import { RibbonFilter } from 'tamis';

const file = join(process.cwd(), 'data/moved.tamis');
const loading = readFile(file).then((bytes) => RibbonFilter.fromBytes(bytes));

export async function GET(request: NextRequest) {
  const path = request.nextUrl.searchParams.get('path') ?? '';
  return Response.json({ mayHaveMoved: (await loading).has(path) });
}
