// One call of buildPages in its folder, where no other process builds.

import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type MustHold, runAlone } from '../../disk/index.js';
import type { PagesManifest } from '../manifest.js';
import { checkParts, publishPages } from './folder.js';
import { type Job, runJob } from './job.js';
import { type Publication, type PublishSteps, readStanding } from './manifest-file.js';
import { findParts, removeParts } from './parts.js';

const SPILL = '.spill';

/** Builds the pages and publishes them. Throws UNAVAILABLE where another process is at work in the folder. */
export async function buildInto(
  folder: string,
  job: Job,
  publication: Publication,
  options: Omit<PublishSteps, 'mustHold'>,
): Promise<PagesManifest> {
  // It may take hours until the manifest is written, which another one there would prevent.
  await readStanding(folder, publication);
  await mkdir(folder, { recursive: true });
  const { tell, signal, keeps } = options;
  const run = async (mustHold: MustHold) => {
    try {
      return await buildAlone(folder, job, publication, { ...options, mustHold });
    } catch (error) {
      if (!keeps) {
        // Else it is another run's.
        mustHold();
        await rm(join(folder, SPILL), { recursive: true, force: true });
      }
      throw error;
    }
  };
  const onWait = (lock: string) => tell({ step: 'waiting', done: 0, path: lock });
  return runAlone(join(folder, `${SPILL}.lock`), run, { waits: false, signal, onWait });
}

async function buildAlone(
  folder: string,
  job: Job,
  publication: Publication,
  steps: PublishSteps,
): Promise<PagesManifest> {
  const { mustHold } = steps;
  const spill = join(folder, SPILL);
  await rm(`${spill}-old`, { recursive: true, force: true });
  await runJob(job, spill, steps);
  const parts = await findParts(spill);
  checkParts(parts, spill);
  const manifest = await publishPages(parts, folder, job.builder, publication, steps);
  mustHold();
  // What tamis pages built there before is of an older list.
  await removeParts(folder);
  mustHold();
  // In one step, so that no later run takes a half of it for its own.
  await rename(spill, `${spill}-old`);
  await rm(`${spill}-old`, { recursive: true, force: true });
  return manifest;
}
