// Runs one call of buildPages, alone in its folder.

import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type MustHold, withLock } from '../../disk/index.js';
import type { PagesManifest } from '../manifest.js';
import { checkParts, publishPages } from './folder.js';
import { type Job, runJob } from './job.js';
import { type Publication, type PublishSteps, readStanding } from './manifest-file.js';
import { findParts, removeParts } from './parts.js';

const SPILL = '.spill';

/** Builds and publishes the pages. Throws ERR_TAMIS_UNAVAILABLE if another process builds in the folder. */
export async function buildInto(
  folder: string,
  job: Job,
  publication: Publication,
  options: Omit<PublishSteps, 'mustHold'>,
): Promise<PagesManifest> {
  // The build may take hours. A manifest that forbids a successor must fail before it.
  await readStanding(folder, publication);
  await mkdir(folder, { recursive: true });
  const { report, signal, keeps } = options;
  const run = async (mustHold: MustHold) => {
    try {
      return await buildAlone(folder, job, publication, { ...options, mustHold });
    } catch (error) {
      if (!keeps) {
        // The folder is deleted only if this run still holds the lock.
        mustHold();
        await rm(join(folder, SPILL), { recursive: true, force: true });
      }
      throw error;
    }
  };
  const onWait = (lock: string) => report({ step: 'waiting', done: 0, path: lock });
  return withLock(join(folder, `${SPILL}.lock`), run, { waits: false, signal, onWait });
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
  // Parts that `tamis pages` built there before are of an older list.
  await removeParts(folder);
  mustHold();
  // The folder is renamed in one step, so that no later run uses a half of it.
  await rename(spill, `${spill}-old`);
  await rm(`${spill}-old`, { recursive: true, force: true });
  return manifest;
}
