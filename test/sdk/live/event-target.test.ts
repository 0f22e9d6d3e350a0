import { BehaviorSubject, Subject } from 'rxjs';
import { expect, it } from 'vitest';
import { toEventTarget } from '../../../src/sdk/live/event-target.ts';

function open() {
  const status$ = new BehaviorSubject({ status: 'disconnected' } as { status: 'disconnected' | 'ready' });
  const lobbies$ = new BehaviorSubject([]);
  const events$ = new Subject<{ readonly type: string }>();
  return { status$, lobbies$, events$, target: toEventTarget({ status$, lobbies$, events$ }) };
}

it('a client as an event target dispatches its states and events by their names, and does not replay', async () => {
  const { status$, lobbies$, events$, target } = open();
  const seen: unknown[] = [];
  for (const type of ['status', 'lobbies', 'memberJoined'] as const) {
    target.addEventListener(type, event => void seen.push([event.type, event.detail]));
  }
  expect(seen).toEqual([]);
  status$.next({ status: 'ready' });
  lobbies$.next([]);
  events$.next({ type: 'memberJoined' });
  expect(seen).toEqual([
    ['status', { status: 'ready' }],
    ['lobbies', []],
    ['memberJoined', { type: 'memberJoined' }],
  ]);
});

it('a listener can be removed, be called once, and be removed by a signal', () => {
  const { status$, target } = open();
  const seen: string[] = [];
  const removed = () => void seen.push('removed');
  const controller = new AbortController();
  target.addEventListener('status', removed);
  target.addEventListener('status', () => void seen.push('once'), { once: true });
  target.addEventListener('status', () => void seen.push('until aborted'), { signal: controller.signal });
  target.removeEventListener('status', removed);
  status$.next({ status: 'ready' });
  controller.abort();
  status$.next({ status: 'disconnected' });
  expect(seen).toEqual(['once', 'until aborted']);
});

it('an event target that is closed leaves no subscription behind', async () => {
  const { status$, lobbies$, events$, target } = open();
  await target.close();
  await target.close();
  expect([status$.observed, lobbies$.observed, events$.observed]).toEqual([false, false, false]);
});
