import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import type { ReadyLine } from '../../src/service/index.ts';
import { needs } from '../support/runs/parts.ts';
import { callApi, starfall } from '../support/service/starfall.ts';

const posix = await needs('posix');

// A process that may write no file beyond a bound meets what a full disk is to it.
it.skipIf(posix.missing)(
  `a write that the disk does not take makes the service unready, and leaves a log line with the id of the request and the class, the code and the cause of the error${posix.note}`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rallypoint-full-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const fixtures = join(folder, 'fixtures.json');
    writeFileSync(fixtures, JSON.stringify(starfall));
    const args = ['src/cli/main.ts', 'serve', '--port', '0', '--data', join(folder, 'data'), '--fixtures', fixtures];
    const limited = ['-c', 'ulimit -f 2000 && exec "$0" "$@"', process.execPath, ...args, '--limits', 'off'];
    const child = spawn('sh', [...limited, '--log-level', 'error'], { stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = once(child, 'exit');
    const said = text(child.stderr);
    let line = '';
    for await (const chunk of child.stdout) {
      line += chunk;
      if (line.includes('\n')) break;
    }
    const ready = JSON.parse(line) as ReadyLine;
    let status = 201;
    let headers = new Headers();
    const metadata = { map: 'x'.repeat(900) };
    for (let n = 0; n < 5_000 && status === 201; n++) {
      ({ status, headers } = await callApi(ready, 'POST', '/lobbies', { metadata }));
    }
    expect(status).toBeGreaterThanOrEqual(500);
    const readiness = await fetch(`${ready.web_base}/readyz`);
    expect({ status: readiness.status, body: await readiness.json() }).toEqual({
      status: 503,
      body: { status: 'unavailable', reasons: ['store_failed'] },
    });
    expect((await fetch(`${ready.web_base}/healthz`)).status).toBe(200);
    const metrics = await (await fetch(`${ready.web_base}/metrics`)).text();
    expect(metrics).toMatch(/^rallypoint_store_commits_total\{outcome="failure"\} [1-9]/m);
    child.kill('SIGTERM');
    await ended;
    const failed = (await said).split('\n').filter(one => one.includes('A request failed.'));
    expect(JSON.parse(failed[0] ?? '{}')).toMatchObject({
      route: 'createLobby',
      request_id: headers.get('x-request-id'),
      error: {
        class: 'StoreError',
        code: 'store_failed',
        message: expect.stringContaining('rallypoint.sqlite could not be written'),
        stack: expect.stringContaining('at '),
        cause: { class: 'Error', code: 'ERR_SQLITE_ERROR', message: expect.stringMatching(/disk/) },
      },
    });
  },
  60_000,
);
