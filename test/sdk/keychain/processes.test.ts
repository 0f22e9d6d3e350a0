import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Keychain } from '../../../src/sdk/keychain/keychain.ts';
import { openKeychain } from '../../../src/sdk/keychain/open-keychain.ts';
import { temporaryFolder } from '../../support/runs/folder.ts';
import { numberedSecret, readNumberedSecret } from './numbered-secret.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder.remove());

const script = join(import.meta.dirname, 'write-secrets.ts');

/** A process that writes on request. */
class Writer {
  readonly name: string;
  /** Number of the last secret that it said is kept; −1 before the first. */
  last = -1;
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #ended: Promise<unknown>;

  constructor(name: string) {
    this.name = name;
    this.#process = spawn(process.execPath, [script, folder.path, name], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#process.stdin.on('error', () => {});
    this.#ended = once(this.#process, 'close');
  }

  /** Resolves when the next secret is kept, or the process is dead. */
  async write(): Promise<void> {
    this.#process.stdin.write('\n');
    const [line] = await Promise.race([once(this.#process.stdout, 'data'), this.#ended.then(() => [])]);
    if (line) this.last = Number(line);
  }

  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#ended;
  }
}

/** Reads all the while; rejects as soon as what it reads is not whole. */
async function read(keychain: Keychain, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const text = await keychain.get('ada');
    if (text === undefined || !readNumberedSecret(text)) throw new Error(`not whole: ${text?.slice(0, 20)}`);
  }
}

describe('processes that write concurrently and are killed', () => {
  it('leave a whole secret at every moment, and after all the last of somebody, or one that was under way', async () => {
    const keychain = await openKeychain({ service: 'Starfall', allow: ['encrypted-file'], folder: folder.path });
    await keychain.set('ada', numberedSecret('before', 0));
    const writers = ['a', 'b', 'c', 'd'].map(name => new Writer(name));
    let isOver = false;
    const reading = read(keychain, () => isOver);

    for (const condemned of writers.slice(1)) {
      for (let round = 0; round < 2; round++) await Promise.all(writers.map(writer => writer.write()));
      const lastRound = writers.map(writer => writer.write());
      // As soon as anybody is done, most likely while this one waits or writes.
      await Promise.race(lastRound);
      await condemned.kill();
      await Promise.all(lastRound);
    }
    await Promise.all(writers.map(writer => writer.kill()));
    isOver = true;
    await reading;

    const kept = readNumberedSecret((await keychain.get('ada')) ?? '');
    const last = writers.find(({ name }) => name === kept?.writer)?.last ?? Number.NaN;
    // One more may have been kept that its writer did not live to tell.
    expect([last, last + 1]).toContain(kept?.number);

    // Nothing of the dead is in the way, nor left behind; two files are the witness.
    expect(await keychain.delete('ada')).toBe(true);
    const path = join(folder.path, (await readdir(folder.path))[0] ?? '');
    expect((await readdir(path)).filter(name => /\.(key|sealed\..*|place)$/.test(name))).toHaveLength(2);
  });
});
