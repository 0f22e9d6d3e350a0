import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readManifest } from './manifest.ts';
import type { Outcome } from './outcome.ts';
import { run } from './run.ts';

export const workflowFile = '.github/workflows/ci.yml';

interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly on?: { readonly push?: { readonly tags?: readonly string[] } };
  readonly jobs?: Readonly<Record<string, Job>>;
}

interface Job {
  readonly needs?: string | readonly string[];
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps?: readonly { readonly run?: string; readonly uses?: string }[];
}

/** What npm's provenance needs: the repository named the same everywhere, and a workflow that may prove who it is. */
export function checkProvenance(root: string): Outcome {
  const { publishConfig, repository, bugs, homepage } = readManifest(root);
  const address = /^git\+(https:\/\/[\w.-]+\/[\w.-]+\/[\w.-]+)\.git$/.exec(repository?.url ?? '')?.[1];
  const faults = [
    ...(publishConfig?.provenance === true ? [] : ['package.json must set publishConfig.provenance to true.']),
    ...(publishConfig?.access === 'public' ? [] : ['package.json must set publishConfig.access to "public".']),
    ...faultsOfWorkflow(root),
  ];
  if (address === undefined) {
    faults.push('repository.url in package.json must be of the form git+https://host/owner/name.git.');
    return { detail: 'no repository', faults };
  }
  if (bugs?.url !== `${address}/issues`) faults.push(`bugs.url in package.json must be ${address}/issues.`);
  if (homepage !== `${address}#readme`) faults.push(`homepage in package.json must be ${address}#readme.`);
  const advisories = `${address}/security/advisories/new`;
  const security = join(root, 'SECURITY.md');
  if (!existsSync(security) || !readFileSync(security, 'utf8').includes(advisories)) {
    faults.push(`SECURITY.md must link ${advisories}.`);
  }
  const actual = actualRepository(root);
  const named = new URL(address).pathname.slice(1);
  if (actual !== undefined && actual.toLowerCase() !== named.toLowerCase()) {
    faults.push(`repository.url in package.json names ${named}, but this checkout is of ${actual}.`);
  }
  return { detail: named, faults };
}

function faultsOfWorkflow(root: string): readonly string[] {
  const path = join(root, workflowFile);
  if (!existsSync(path)) return [`${workflowFile} is missing; it is what publishes.`];
  const { on, permissions, jobs = {} } = parse(readFileSync(path, 'utf8')) as Workflow;
  const publishing = Object.values(jobs).find(job => commandsOf(job).some(command => /\bnpm publish\b/.test(command)));
  if (publishing === undefined) return [`${workflowFile} has no job that runs "npm publish".`];
  const own = commandsOf(publishing);
  const before = neededBy(publishing, jobs).flatMap(commandsOf);
  const faults: (readonly [boolean, string])[] = [
    [on?.push?.tags?.includes('v*') === true, 'must run on tags "v*"'],
    [(publishing.permissions ?? permissions)?.['id-token'] === 'write', 'must give its publish job "id-token: write"'],
    [own.some(command => /npm publish .*--provenance/.test(command)), 'must publish with --provenance'],
    [
      before.some(command => /release\.ts .*--tag/.test(command)),
      'must check the release of the tag before it publishes',
    ],
    [!own.some(command => /\bnpm (ci|install|run)\b|scripts\//.test(command)), 'must not build what it publishes'],
  ];
  return faults.filter(([holds]) => !holds).map(([, must]) => `${workflowFile} ${must}.`);
}

function commandsOf(job: Job): readonly string[] {
  return (job.steps ?? []).map(step => step.run ?? '');
}

/** The jobs that a job waits for, and those that they wait for. */
function neededBy(job: Job, jobs: Readonly<Record<string, Job>>): readonly Job[] {
  return [job.needs ?? []].flat().flatMap(name => {
    const needed = jobs[name];
    return needed === undefined ? [] : [needed, ...neededBy(needed, jobs)];
  });
}

/** Owner and name, as the CI or the remote of the checkout says; undefined where neither does. */
function actualRepository(root: string): string | undefined {
  if (process.env.GITHUB_REPOSITORY) return process.env.GITHUB_REPOSITORY;
  try {
    const remote = run(root, 'git', 'remote', 'get-url', 'origin').trim();
    return /^(?:https:\/\/|ssh:\/\/|[\w.-]+@)[^/:]+[/:]([\w.-]+\/[\w.-]+?)(?:\.git)?$/.exec(remote)?.[1];
  } catch {
    return undefined;
  }
}
