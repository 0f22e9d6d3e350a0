import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { closeCodes } from '../../../../src/model/gateway.ts';
import { limitProfiles } from '../../../../src/model/limits/limit-profiles.ts';
import { limits } from '../../../../src/model/limits/limits.ts';
import { localBus } from '../../../../src/service/bus/local.ts';
import { Connection, Outbox } from '../../../../src/service/gateway/connection/connection.ts';
import { Deadlines } from '../../../../src/service/gateway/connection/deadlines.ts';
import type { GatewaySocket } from '../../../../src/service/gateway/connection/socket.ts';
import { Alarms } from '../../../../src/service/gateway/sessions/credential-watch.ts';
import { Blocklist } from '../../../../src/service/http/limiter.ts';
import { serviceLimits } from '../../../../src/service/support/service-limits.ts';
import { silentLogger } from '../../../../src/wire/clock/ports.ts';
import { Deadline } from '../../../../src/wire/http/deadline.ts';
import { SetClock } from '../../../support/clock/set-clock.ts';

const hourMs = 3_600_000;

describe.each([
  ['forward', hourMs],
  ['back', -hourMs],
])('when the clock is set %s by an hour', (_, byMs) => {
  it('who is heard in time is not closed for silence, and who is not is closed after the same span', async () => {
    const clock = new SetClock();
    const due: string[] = [];
    const deadlines = new Deadlines<string>(clock, 60_000, item => due.push(item));
    for (const item of ['heard', 'silent']) deadlines.touch(item);
    await clock.advance(30_000);
    clock.set(byMs);
    deadlines.touch('heard');
    await clock.advance(29_999);
    expect(due).toEqual([]);
    await clock.advance(1);
    expect(due).toEqual(['silent']);
    await clock.advance(30_000);
    expect(due).toEqual(['silent', 'heard']);
  });

  it('an address is blocked for as long as it was said, and no longer', async () => {
    const clock = new SetClock();
    const invalidRequests = { requests: 2, windowMs: 60_000, blockMs: 30_000 };
    const blocklist = new Blocklist({ clock, limits: { ...limitProfiles.off, invalidRequests }, log: silentLogger });
    for (let answers = 0; answers < 2; answers++) blocklist.count('192.0.2.1', { status: 401 }, undefined);
    await clock.advance(10_000);
    clock.set(byMs);
    expect(blocklist.blockedForMs('192.0.2.1')).toBe(20_000);
    await clock.advance(20_000);
    expect(blocklist.blockedForMs('192.0.2.1')).toBe(0);
  });

  it('a limit counts for its window and no longer, and says how long that is', async () => {
    const clock = new SetClock();
    const bus = localBus(clock);
    const limit = { requests: 2, windowMs: 10_000 };
    const count = async () => bus.count('calls', limit);
    await count();
    await count();
    clock.set(byMs);
    const { allowed, resetAtMs } = await count();
    expect([allowed, resetAtMs - clock.now()]).toEqual([false, 10_000]);
    await clock.advance(10_000);
    expect((await count()).allowed).toBe(true);
  });

  it('the frames of a minute are those of a minute', async () => {
    const clock = new SetClock();
    const codes: number[] = [];
    const socket = { listener: undefined, close: (code: number) => codes.push(code), pause() {} };
    const context = { clock, metrics: { dispatches: 0 }, outbox: new Outbox(), onFrame() {}, onEnd() {} };
    const stream = new PassThrough();
    const connection = new Connection(1, socket as unknown as GatewaySocket, stream, context);
    const send = (frames: number) => {
      for (let n = 0; n < frames; n++) connection.onMessage(Buffer.from('{"op":1,"d":null}'), false);
    };
    send(100);
    clock.set(byMs);
    await clock.advance(60_000);
    send(serviceLimits.gatewaySendsPerMinute);
    expect(codes).toEqual([]);
    send(1);
    expect(codes).toEqual([closeCodes.RATE_LIMITED.code]);
  });

  it('a lease is held for its term and no longer', async () => {
    const clock = new SetClock();
    const bus = localBus(clock);
    await bus.lease('sweep', 10_000);
    clock.set(byMs);
    await clock.advance(9_999);
    expect(await bus.lease('sweep', 10_000)).toBeUndefined();
    await clock.advance(1);
    expect(await bus.lease('sweep', 10_000)).toBeDefined();
  });

  it('a call has the time that it was given', async () => {
    const clock = new SetClock();
    const deadline = new Deadline(clock, 5_000);
    await clock.advance(1_000);
    clock.set(byMs);
    expect(deadline.leftMs).toBe(4_000);
    await clock.advance(3_999);
    expect(deadline.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(deadline.signal.aborted).toBe(true);
    deadline.close();
  });
});

it('what ends at an instant ends within a second of a clock that was set past it', async () => {
  const clock = new SetClock();
  const rung: string[] = [];
  const alarms = new Alarms<string>(clock, item => rung.push(item));
  alarms.set('session', clock.now() + limits.accessTokenLifeMs);
  await clock.advance(5_000);
  clock.set(limits.accessTokenLifeMs);
  await clock.advance(1_000);
  expect(rung).toEqual(['session']);
});
