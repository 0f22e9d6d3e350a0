import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openBestKeychain } from '../../../src/sdk/keychain/open-best-keychain.ts';
import { VirtualClock } from '../../../src/wire/clock/virtual-clock.ts';
import { keytarOver, noLibraries } from '../../support/keychain/keychain-stand-ins.ts';
import { temporaryFolder } from '../../support/runs/folder.ts';

const deadlineMs = 5000;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let clock: VirtualClock;
let kept: Map<string, string>;
beforeEach(async () => {
  folder = await temporaryFolder();
  clock = new VirtualClock(0);
  kept = new Map();
});
afterEach(() => folder.remove());

/** A system that answers, until it stops to and keeps what it is asked for later. */
function system() {
  const asked = Promise.withResolvers<void>();
  let answers: Promise<void> = Promise.resolve();
  let goOn = () => {};
  const keytar = keytarOver(kept);
  const waiting =
    <Args extends unknown[], Value>(call: (...args: Args) => Promise<Value>) =>
    async (...args: Args) => {
      if (isStopped) asked.resolve();
      await answers;
      return call(...args);
    };
  let isStopped = false;
  return {
    asked: asked.promise,
    stop() {
      isStopped = true;
      answers = new Promise(resolve => {
        goOn = resolve;
      });
    },
    goOn: () => goOn(),
    libraries: {
      ...noLibraries,
      keytar: async () => ({
        getPassword: waiting(keytar.getPassword),
        setPassword: waiting(keytar.setPassword),
        deletePassword: waiting(keytar.deletePassword),
      }),
    },
  };
}

const open = ({ libraries }: ReturnType<typeof system>) =>
  openBestKeychain({ service: 'S', allow: ['system'], folder: folder.path, clock, deadlineMs }, { libraries });

const timeout = { name: 'KeychainError', code: 'keychain_timeout' };
const busy = { name: 'KeychainError', code: 'keychain_busy' };

describe('a keychain that does not answer', () => {
  it('ends each call by its deadline, and answers again once the system does', async () => {
    const machine = system();
    const keychain = await open(machine);
    await keychain.set('ada', 'secret');
    machine.stop();
    const calls = [keychain.get('ada'), keychain.locate('ada'), keychain.set('ada', 'new'), keychain.delete('grace')];
    const outcomes = Promise.allSettled(calls);
    await machine.asked;
    await clock.advance(deadlineMs);
    const codes = (await outcomes).map(outcome => (outcome.status === 'rejected' ? outcome.reason.code : 'answered'));
    expect(codes.slice(0, 2)).toEqual(['keychain_timeout', 'keychain_timeout']);
    // Whoever came first is waited for; the others wait for their turn.
    expect(codes.slice(2)).toEqual(['keychain_timeout', 'keychain_busy']);
    machine.goOn();
    expect(await keychain.delete('grace')).toBe(false);
    expect(await keychain.get('ada')).toBe('new');
  });

  it('runs no other write before a late one has finished', async () => {
    const machine = system();
    const slow = await open(machine);
    machine.stop();
    const late = expect(slow.set('ada', 'late')).rejects.toMatchObject(timeout);
    await machine.asked;
    await clock.advance(deadlineMs);
    await late;

    const other = await open(system());
    const refused = expect(other.set('ada', 'newer')).rejects.toMatchObject(busy);
    await clock.advance(deadlineMs);
    await refused;
    machine.goOn();
    // Its turn comes when the late call has ended.
    await slow.delete('grace');
    await other.set('ada', 'newer');
    expect(await slow.get('ada')).toBe('newer');
  });
});
