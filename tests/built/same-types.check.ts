/** Types that tsc checks: a class or an option of one entry is the same in all others. This file never runs. */
import * as tamis from 'tamis';
import * as feeds from 'tamis/feeds';
import type * as interop from 'tamis/interop';
import * as pages from 'tamis/pages';
import * as read from 'tamis/read';
import * as redis from 'tamis/redis';
import type * as remote from 'tamis/remote';
import type * as safeBrowsing from 'tamis/safe-browsing';
import type * as schemes from 'tamis/schemes';
import type * as url from 'tamis/url';

/** True if each of two types can be assigned to the other. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
const holds = <T extends true>(value?: T): T | undefined => value;

// @ts-expect-error a reader is no builder
holds<Same<read.BloomFilter, tamis.BloomFilter>>();

const errors = [feeds.TamisError, pages.TamisError, read.TamisError, redis.TamisError] as const;
holds<Same<(typeof errors)[number], typeof tamis.TamisError>>();
holds<Same<typeof remote.TamisError, typeof tamis.TamisError>>();
holds<Same<url.CheckerStatus['error'], tamis.TamisError | undefined>>();

// Filters that codecs and Redis give are those of `tamis`, and are taken in their place.
holds<Same<ReturnType<typeof interop.guava.decode>, tamis.BloomFilter>>();
holds<Same<Parameters<typeof interop.spark.encode>[0], tamis.BloomFilter>>();
holds<Same<ReturnType<typeof interop.parquet.decode>, tamis.BlockedBloomFilter>>();
holds<
  Same<ReturnType<typeof interop.redisBloom.decode>, tamis.BloomFilter | interop.ForeignFilter>
>();
holds<Same<Awaited<ReturnType<redis.RedisFilter['toFilter']>>, tamis.BlockedBloomFilter>>();
holds<Same<Parameters<redis.RedisFilter['merge']>[0], tamis.BlockedBloomFilter>>();
holds<Same<interop.BloomScheme, tamis.BloomScheme>>();
holds<Same<schemes.BloomScheme, tamis.BloomScheme>>();
holds<Same<typeof schemes.guava64, tamis.BloomScheme>>();
holds<Same<typeof interop.encodings.utf8, tamis.Funnel<string>>>();

// Pages, their clients, and lists of URLs.
holds<Same<NonNullable<remote.RemoteOptions['types']>[number], read.ReaderClass<read.Filter>>>();
holds<Same<pages.PagesManifest, remote.PagesManifest>>();
holds<Same<pages.BuildPagesOptions['signingKeys'], url.SigningKeys | undefined>>();
holds<Same<remote.PublicKey, url.PublicKey>>();
holds<Same<pages.HashOptions, tamis.HashOptions>>();
holds<Same<pages.PackedKeys, tamis.PackedKeys>>();
holds<
  Same<safeBrowsing.SafeBrowsingOptions['rule'], Exclude<url.UrlCheckerOptions['rule'], 'parents'>>
>();
holds<Same<ReturnType<url.UrlListBuilder['build']>, url.UrlList>>();
export const source = (client: safeBrowsing.SafeBrowsing): url.ListSource => client;
export const fill = (builder: url.UrlListBuilder, text: string): Promise<unknown> =>
  builder.addFeed(feeds.readFeed(text));
export const allow: url.UrlCheckerOptions['allow'] = tamis.ExactFilter.from({
  include: ['good.example'],
  exclude: ['evil.example'],
});
