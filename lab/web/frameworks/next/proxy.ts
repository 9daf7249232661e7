import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import querystring from 'node:querystring';
import { type NextRequest, NextResponse } from 'next/server';
import { RibbonFilter } from 'tamis/read';
import { findTarget } from './redirects';

const file = join(process.cwd(), 'data/moved.tamis');
const loading = readFile(file).then((bytes) => RibbonFilter.fromBytes(bytes));

export async function proxy(request: NextRequest) {
  const { pathname, search } = request.nextUrl;
  // The list contains '/blog/a b', not '/blog/a%20b'. Unlike decodeURI, unescape never throws.
  const path = querystring.unescape(pathname);
  const moved = await loading;
  // Certain: the page has not moved.
  if (!moved.has(path)) return NextResponse.next();
  // Your database decides, because this may be a false positive.
  const target = await findTarget(path);
  if (target === undefined) return NextResponse.next();
  return NextResponse.redirect(new URL(target + search, request.url), 308);
}

export const config = { matcher: '/blog/:path*' };
