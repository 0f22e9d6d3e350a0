import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { needs } from '../support/runs/parts.ts';
import { readReadyLine } from '../support/service/ready-line.ts';
import { ServiceProcess } from '../support/service/service-process.ts';
import { callApi, starfall } from '../support/service/starfall.ts';
import { SmallDisk, smallDiskMissing } from '../support/small-disk.ts';

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
    const ready = readReadyLine(line);
    const metadata = { map: 'x'.repeat(900) };
    const readyz = () => fetch(`${ready.webBase}/readyz`);
    let status = 201;
    let headers = new Headers();
    let readiness = await readyz();
    // The first write that fails may be followed by others that find room, once the write-ahead log was folded into the database.
    for (let n = 0; n < 5_000 && readiness.ok; n++) {
      const answer = await callApi(ready, 'POST', '/lobbies', { metadata });
      if (answer.status === 201) continue;
      if (status === 201) ({ status, headers } = answer);
      readiness = await readyz();
    }
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('5');
    expect({ status: readiness.status, body: await readiness.json() }).toEqual({
      status: 503,
      body: { status: 'unavailable', reasons: ['store_failed'] },
    });
    expect((await fetch(`${ready.webBase}/healthz`)).status).toBe(200);
    // Control answers say so without a path of the machine.
    const refusals: { code: string; message: string }[] = [];
    for (let n = 0; n < 5_000 && refusals.length === 0; n++) {
      const answer = await fetch(`${ready.controlBase}/users/${starfall.users[0].id}/session`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ready.controlToken}` },
      });
      if (answer.status === 503) refusals.push((await answer.json()) as (typeof refusals)[number]);
    }
    expect(refusals).toEqual([
      { code: 'store_failed', message: expect.stringContaining('could not be read or written') },
    ]);
    expect(JSON.stringify(refusals)).not.toContain(folder);
    const metrics = await (await fetch(`${ready.webBase}/metrics`)).text();
    expect(metrics).toMatch(/^rallypoint_store_commits_total\{outcome="failure"\} [1-9]/m);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
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

const missing = smallDiskMissing();

describe.skipIf(missing)(`a disk that is full${missing ? ` (skipped: ${missing})` : ''}`, () => {
  function smallDisk(mebibytes: number): SmallDisk {
    const disk = new SmallDisk(mebibytes);
    onTestFinished(() => disk.remove());
    return disk;
  }

  const metadata = { map: 'x'.repeat(900) };

  it('rejects writes with 503 and code 130000, answers reads, and loses nothing; writes succeed when there is space again', async () => {
    const disk = smallDisk(8);
    const service = await ServiceProcess.start(disk.path, starfall);
    onTestFinished(() => service.end('SIGKILL'));
    disk.fill(512 * 1024);
    const acknowledged: string[] = [];
    const create = async () => {
      const answer = await callApi(service.ready, 'POST', '/lobbies', { metadata });
      if (answer.status === 201) acknowledged.push((answer.body as { id: string }).id);
      return answer;
    };
    let answer = await create();
    while (answer.status === 201) answer = await create();
    expect(acknowledged.length).toBeGreaterThan(5);
    expect(answer).toMatchObject({
      status: 503,
      body: { code: 130000, message: expect.stringContaining('overloaded') },
    });
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]/);
    expect((await callApi(service.ready, 'GET', `/lobbies/${acknowledged[0]}`)).status).toBe(200);

    disk.free();
    expect((await create()).status).toBe(201);
    await service.end('SIGKILL');
    await service.start();
    for (const id of acknowledged) expect((await callApi(service.ready, 'GET', `/lobbies/${id}`)).status).toBe(200);
  }, 30_000);

  it.each([
    ['an empty data folder', false],
    ['the state of a service', true],
  ])(
    'lets no service start on %s, and one line says why',
    async (_what, isUsed) => {
      const disk = smallDisk(8);
      if (isUsed) await (await ServiceProcess.start(disk.path, starfall)).end();
      disk.fill();
      const args = ['src/cli/main.ts', 'serve', '--port', '0', '--data', join(disk.path, 'data')];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
      const said = text(child.stderr);
      const [code] = await once(child, 'exit');
      const lines = (await said).trim().split('\n');
      expect(code).toBe(1);
      expect(lines.at(-1)).toMatch(/^rallypoint: .*no space left on its disk/);
      expect(lines.filter(line => !line.startsWith('{'))).toHaveLength(1);
      if (!isUsed) return;
      disk.free();
      const service = await ServiceProcess.start(disk.path, starfall);
      await service.end();
    },
    30_000,
  );
});
