import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Service, startService } from '@rallypoint/sdk/service';
import { readOptions } from '../read-options.ts';
import { fixtures } from './starfall.ts';
import { tellStarfall } from './starfall-story.ts';
import { bold, dim, print, red, StepFailed, Story } from './story.ts';

/**
 * The whole of Rallypoint in one story: a service of its own, then a game and its server against it over real HTTP,
 * WebSockets and OAuth. `--once` ends after the story; otherwise the service stays up to be tried by hand.
 */
const values = readOptions('npm start -- [--once] [--port N]', {
  once: { type: 'boolean' },
  port: { type: 'string' },
});

const data = mkdtempSync(join(tmpdir(), 'rallypoint-quickstart-'));
let service: Service | undefined;
process.exitCode = await run();

async function run(): Promise<number> {
  const story = new Story();
  try {
    story.chapter('Starfall opens');
    service = await story.step(
      'The service starts on its embedded store',
      'Choose a free port with --port: another program may hold this one.',
      () => startService({ fixtures, data, port: Number(values.port ?? 0), console: true }),
      ({ webBase }) => `It listens at ${webBase}, and keeps its state in ${data}.`,
    );
    await tellStarfall(story, service);
    print(`\n${bold('That was all of it')}, in ${story.elapsedSeconds.toFixed(1)} s.`);
    if (!values.once) await stayUp(service);
    return 0;
  } catch (error) {
    tell(error);
    return 1;
  } finally {
    await service?.close();
    rmSync(data, { recursive: true, force: true });
  }
}

function tell(error: unknown): void {
  if (!(error instanceof StepFailed)) throw error;
  print(`${red('✗')} ${error.message}\n       ${bold('What to do:')} ${error.remedy}`);
}

async function stayUp({ apiBase, gateway, controlBase, controlToken, webBase, consoleUrl }: Service): Promise<void> {
  print(`\nThe service stays up until you press Ctrl+C:
  Web      ${webBase}
  API      ${apiBase}/v10
  Gateway  ${gateway}
  Control  ${controlBase}   ${dim(`Authorization: Bearer ${controlToken}`)}
  Console  ${consoleUrl}

Try it:   curl ${apiBase}/v10/gateway`);
  // A timer keeps the process alive; the signal ends the wait.
  const alive = setInterval(() => {}, 2 ** 30);
  await new Promise(resolve => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  clearInterval(alive);
  print('\nThe service ends.');
}
