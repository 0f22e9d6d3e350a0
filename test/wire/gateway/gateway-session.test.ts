import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closeCodes, type GatewayFrame, opcodes } from '../../../src/model/gateway.ts';
import { type GatewayEffect, GatewaySession, gatewayAddress } from '../../../src/wire/gateway/gateway-session.ts';

const identify = { token: 's3cret', properties: {}, intents: 0 };

function newSession(url = 'wss://gateway.example', onDispatch: (name: string, data: unknown) => void = () => {}) {
  return new GatewaySession({ url, identify, random: () => 0.5, onDispatch });
}

const hello = { op: opcodes.HELLO, d: { heartbeat_interval: 40_000 } };
const ready = (url = 'wss://resume.example') => ({
  op: opcodes.DISPATCH,
  t: 'READY',
  s: 1,
  d: { session_id: 'abc', resume_gateway_url: url },
});
const acknowledged = { op: opcodes.HEARTBEAT_ACK, d: null };
const reconnect = { op: opcodes.RECONNECT, d: null };
const event = (s: number) => ({ op: opcodes.DISPATCH, t: 'INTERACTION_CREATE', s, d: { s } });

/** A session that is ready, on its first connection. */
function readySession(resumeUrl?: string, heard: string[] = []) {
  const session = newSession(undefined, name => heard.push(name));
  session.start();
  session.opened();
  session.frame(hello);
  session.frame(ready(resumeUrl));
  return session;
}

/** Lets time pass until the session does more than ask for more of it. */
function untilDue(session: GatewaySession): { effects: GatewayEffect[]; passedMs: number } {
  let passedMs = 0;
  for (let ticks = 0; ticks < 10; ticks++) {
    const effects = session.tick();
    const [first] = effects;
    if (first?.do !== 'tick') return { effects, passedMs };
    passedMs += first.afterMs;
  }
  throw new Error('Nothing was ever due.');
}

function connectOf(effects: readonly GatewayEffect[]) {
  const [effect] = effects;
  if (effect?.do !== 'connect') throw new Error(`expected a connect, got ${JSON.stringify(effects)}`);
  return effect;
}

describe('GatewaySession', () => {
  it('connects to the address given with version and encoding', () => {
    expect(newSession('wss://gateway.example/gateway').start()).toEqual([
      { do: 'connect', url: 'wss://gateway.example/gateway?v=10&encoding=json', resumes: false, failures: 0 },
    ]);
    expect(gatewayAddress('ws://a/?v=9#b')).toBe('ws://a/?v=10&encoding=json');
  });

  it('answers hello with identify, and beats after the interval times a random share', () => {
    const session = newSession();
    session.opened();
    const [tick, send] = session.frame(hello);
    expect(send).toEqual({ do: 'send', frame: { op: opcodes.IDENTIFY, d: identify } });
    session.frame(ready());
    const { effects, passedMs } = untilDue(session);
    expect(effects[0]).toMatchObject({ do: 'send', frame: { op: opcodes.HEARTBEAT } });
    expect((tick?.do === 'tick' ? tick.afterMs : 0) + passedMs).toBe(20_000);
  });

  it('closes a connection that opens no session within 15 s after hello', () => {
    const session = newSession();
    session.opened();
    expect(session.frame(hello)[0]).toEqual({ do: 'tick', afterMs: 15_000 });
    expect(session.tick()).toMatchObject([{ do: 'close', code: 4000, reason: 'no session' }]);
    expect(connectOf(session.closed(4000))).toMatchObject({ resumes: false, failures: 1 });
  });

  it('beats meanwhile, when the interval is shorter than that', () => {
    const session = newSession();
    session.opened();
    session.frame({ op: opcodes.HELLO, d: { heartbeat_interval: 10_000 } });
    expect(session.tick()).toMatchObject([{ do: 'send' }, { do: 'tick', afterMs: 10_000 }]);
    session.frame({ op: opcodes.HEARTBEAT_ACK, d: null });
    expect(session.tick()).toMatchObject([{ do: 'close', reason: 'no session' }]);
  });

  it('gives up a session whose resume is not answered, and identifies', () => {
    const session = readySession();
    session.closed(1006);
    session.opened();
    expect(session.frame(hello)[1]).toMatchObject({ frame: { op: opcodes.RESUME } });
    expect(session.tick()).toMatchObject([{ do: 'close', reason: 'no session' }]);
    expect(connectOf(session.closed(4000)).resumes).toBe(false);
  });

  it('closes a connection that says no hello, or one without an interval', () => {
    const session = newSession();
    expect(session.opened()).toEqual([{ do: 'tick', afterMs: 10_000 }]);
    expect(session.tick()).toMatchObject([{ do: 'close', reason: 'no hello' }]);
    const infinite: unknown = JSON.parse('{"heartbeat_interval":1e999}');
    for (const d of [null, {}, { heartbeat_interval: 0 }, { heartbeat_interval: '5' }, [], infinite]) {
      expect(newSession().frame({ op: opcodes.HELLO, d })).toMatchObject([{ do: 'close', code: 4002 }]);
    }
  });

  it('sends the last sequence with each heartbeat, and closes when one was not acknowledged until the next', () => {
    const session = readySession();
    session.frame(event(7));
    const beat = { do: 'send', frame: { op: opcodes.HEARTBEAT, d: 7 } };
    expect(untilDue(session).effects).toEqual([beat, { do: 'tick', afterMs: 40_000 }]);
    session.frame({ op: opcodes.HEARTBEAT_ACK, d: null });
    expect(session.tick()).toEqual([beat, { do: 'tick', afterMs: 40_000 }]);
    const [effect] = session.tick();
    expect(effect).toMatchObject({ do: 'close', reason: 'no heartbeat ack' });
    expect([1000, 1001]).not.toContain(effect?.do === 'close' && effect.code); // those would end the session
  });

  it('checks immediately on request: 5 s for the answer, then the interval again', () => {
    const session = readySession();
    const beat = { do: 'send', frame: { op: opcodes.HEARTBEAT, d: 1 } };
    expect(session.check()).toEqual([beat, { do: 'tick', afterMs: 5_000 }]);
    expect(session.check()).toEqual([]);
    session.frame({ op: opcodes.HEARTBEAT_ACK, d: null });
    expect(session.tick()).toEqual([{ do: 'tick', afterMs: 35_000 }]);
    expect(session.tick()).toEqual([beat, { do: 'tick', afterMs: 40_000 }]);
    expect(session.check()).toEqual([beat, { do: 'tick', afterMs: 5_000 }]);
    expect(session.tick()).toMatchObject([{ do: 'close', code: 4000, reason: 'no heartbeat ack' }]);
    expect(connectOf(session.closed(4000)).resumes).toBe(true);
  });

  it('has nothing to check before the session is open, while it closes, and when it has ended', () => {
    const session = newSession();
    session.opened();
    expect(session.check()).toEqual([]);
    session.frame(hello);
    expect(session.check()).toEqual([]);
    const closing = readySession();
    closing.frame({ op: opcodes.RECONNECT, d: null });
    expect(closing.check()).toEqual([]);
    const reconnecting = readySession();
    reconnecting.closed(1006);
    expect([reconnecting.check(), reconnecting.tick()]).toEqual([[], []]);
    const ended = readySession();
    ended.end();
    expect(ended.check()).toEqual([]);
  });

  it('says something of its own while the session is open on a connection, and never otherwise', () => {
    const say = (session: GatewaySession) => session.say(opcodes.LOBBY_VOICE_STATES, []);
    const frame = { op: opcodes.LOBBY_VOICE_STATES, d: [] };
    const young = newSession();
    expect(say(young)).toEqual([]);
    young.start();
    young.opened();
    young.frame(hello);
    expect(say(young)).toEqual([]);
    young.frame(ready());
    expect(say(young)).toEqual([{ do: 'send', frame }]);
    young.frame(reconnect);
    expect(say(young)).toEqual([]);
    young.closed(1006);
    young.opened();
    young.frame(hello);
    expect(say(young)).toEqual([]);
    young.frame({ op: opcodes.DISPATCH, t: 'RESUMED', s: 2, d: {} });
    expect(say(young)).toEqual([{ do: 'send', frame }]);
    young.end();
    expect(say(young)).toEqual([]);
  });

  it('ignores what a connection delivers after it closes it, so that a resume replays it', () => {
    const heard: string[] = [];
    const session = readySession(undefined, heard);
    session.frame({ op: opcodes.RECONNECT, d: null });
    session.frame(event(2));
    expect(heard).toEqual(['READY']);
    expect(session.tick()).toEqual([]);
    session.closed(4000);
    session.opened();
    expect(session.frame(hello)[1]).toMatchObject({ frame: { d: { seq: 1 } } });
    session.frame(event(2));
    expect(heard).toEqual(['READY', 'INTERACTION_CREATE']);
  });

  it('sends a heartbeat immediately when the gateway requests it', () => {
    expect(readySession().frame({ op: opcodes.HEARTBEAT, d: null })).toEqual([
      { do: 'send', frame: { op: opcodes.HEARTBEAT, d: 1 } },
    ]);
  });

  it('hands dispatches on, each once', () => {
    const heard: unknown[] = [];
    const session = newSession(undefined, (name, data) => heard.push([name, data]));
    for (const frame of [event(2), event(2), event(1), event(3)]) expect(session.frame(frame)).toEqual([]);
    expect(heard).toEqual([
      ['INTERACTION_CREATE', { s: 2 }],
      ['INTERACTION_CREATE', { s: 3 }],
    ]);
  });

  it('ignores what a resume replays although it had arrived', () => {
    const heard: string[] = [];
    const session = readySession(undefined, heard);
    session.frame(event(2));
    session.closed(1006);
    session.opened();
    session.frame(hello);
    for (const s of [1, 2, 3]) expect(session.frame(event(s))).toEqual([]);
    expect(heard).toEqual(['READY', 'INTERACTION_CREATE', 'INTERACTION_CREATE']);
  });

  it.each([
    [Number.MAX_SAFE_INTEGER, 2],
    [3, 2],
    [2, -1],
  ])('begins a new session, after a pause, when %i is followed by the lower number %i', (before, after) => {
    const heard: string[] = [];
    const session = readySession(undefined, heard);
    session.frame(event(before));
    expect(session.frame(event(after))).toMatchObject([{ do: 'close', code: 4000 }]);
    expect(connectOf(session.closed(4000))).toMatchObject({ resumes: false, failures: 1 });
    session.opened();
    session.frame(hello);
    session.frame(ready());
    for (const s of [2, 2]) expect(session.frame(event(s))).toEqual([]);
    expect(heard).toEqual(['READY', 'INTERACTION_CREATE', 'READY', 'INTERACTION_CREATE']);
    // Once more without a heartbeat's answer: a longer pause.
    session.frame(event(1));
    expect(connectOf(session.closed(4000)).failures).toBe(2);
  });

  it('resumes at the address READY gave, from the last sequence', () => {
    const session = readySession();
    session.frame(event(5));
    expect(session.closed(1006)).toEqual([
      { do: 'connect', url: 'wss://resume.example/?v=10&encoding=json', resumes: true, failures: 1 },
    ]);
    session.opened();
    expect(session.frame(hello)[1]).toEqual({
      do: 'send',
      frame: { op: opcodes.RESUME, d: { token: identify.token, session_id: 'abc', seq: 5 } },
    });
  });

  it('tries the first address in turn with the one for resuming, while that leads nowhere', () => {
    const session = readySession();
    const urls = Array.from({ length: 5 }, () => connectOf(session.closed(1006)).url.split('/?')[0]);
    const [resume, first] = ['wss://resume.example', 'wss://gateway.example'];
    expect(urls).toEqual([resume, first, resume, first, resume]);
    session.opened();
    expect(session.frame(hello)[1]).toMatchObject({ frame: { op: opcodes.RESUME } });
    session.frame({ op: opcodes.DISPATCH, t: 'RESUMED', s: 2, d: {} });
    expect(connectOf(session.closed(1006)).url).toContain(resume);
  });

  it('takes the first address when the one for resuming is no socket address or less protected', () => {
    for (const url of ['', 'nonsense', 'http://resume.example', 'ws://resume.example']) {
      expect(connectOf(readySession(url).closed(1006)).url).toBe('wss://gateway.example/?v=10&encoding=json');
    }
  });

  it.each([
    ['wss://gateway.example', 'wss://other.example', true],
    ['wss://gateway.example', 'ws://127.0.0.1:5', false],
    ['ws://127.0.0.1:5', 'ws://localhost:6', true],
    ['ws://127.0.0.1:5', 'wss://other.example', true],
    // A token that stayed on this machine does not leave it unencrypted, whatever the service names.
    ['ws://127.0.0.1:5', 'ws://other.example', false],
    ['ws://localhost:5', 'ws://10.0.0.1', false],
    // The game allowed unencrypted addresses already.
    ['ws://node-1.lan', 'ws://node-2.lan', true],
  ])('after %s resumes at %s: %s', (first, resume, isUsed) => {
    const session = newSession(first);
    session.start();
    session.opened();
    session.frame(hello);
    session.frame(ready(resume));
    expect(connectOf(session.closed(1006)).url).toBe(gatewayAddress(isUsed ? resume : first));
  });

  it.each(Object.values(closeCodes))('after $code continues with: $remedy', ({ code, remedy }) => {
    const effects = readySession().closed(code);
    if (remedy === 'stop')
      expect(effects).toMatchObject([{ do: 'stop', error: { closeCode: code, recoverable: false } }]);
    else expect(connectOf(effects).resumes).toBe(remedy === 'resume');
  });

  it('says after 4004 that another token is needed', () => {
    const [effect] = readySession().closed(4004);
    expect(effect).toMatchObject({
      error: {
        message:
          'The gateway closed the connection: AUTHENTICATION_FAILED (4004). The token is not valid, or lacks a scope: get another one before you connect again.',
      },
    });
  });

  it('identifies again, and counts from the start, once a session is not valid and cannot be resumed', () => {
    const heard: string[] = [];
    const session = readySession(undefined, heard);
    session.frame(event(9));
    expect(session.frame({ op: opcodes.INVALID_SESSION, d: false })).toMatchObject([{ do: 'close' }]);
    expect(connectOf(session.closed(4000)).resumes).toBe(false);
    session.opened();
    expect(session.frame(hello)[1]).toMatchObject({ frame: { op: opcodes.IDENTIFY } });
    session.frame(ready());
    expect(heard).toEqual(['READY', 'INTERACTION_CREATE', 'READY']);
  });

  it('passes over what comes between Identify and READY', () => {
    const heard: string[] = [];
    const session = readySession(undefined, heard);
    session.frame({ op: opcodes.INVALID_SESSION, d: false });
    session.closed(4000);
    session.opened();
    session.frame(hello);
    for (const frame of [event(1), { op: opcodes.DISPATCH, t: 'RESUMED', s: 2, d: {} }, ready(), event(2)]) {
      session.frame(frame);
    }
    expect(heard).toEqual(['READY', 'READY', 'INTERACTION_CREATE']);
    expect(session.tick()).toEqual([{ do: 'tick', afterMs: expect.any(Number) }]); // the session is open: nothing is due
  });

  it('accepts RESUMED whatever its number, and continues counting', () => {
    const heard: string[] = [];
    const session = readySession(undefined, heard);
    session.frame(event(5));
    session.closed(1006);
    session.opened();
    session.frame(hello);
    session.frame({ op: opcodes.DISPATCH, t: 'RESUMED', s: 5, d: {} });
    for (const s of [5, 6]) session.frame(event(s));
    expect(heard).toEqual(['READY', 'INTERACTION_CREATE', 'RESUMED', 'INTERACTION_CREATE']);
  });

  it('resumes an invalid session that may be resumed', () => {
    const session = readySession();
    session.frame({ op: opcodes.INVALID_SESSION, d: true });
    expect(connectOf(session.closed(4000)).resumes).toBe(true);
  });

  it('gives up a session that is rejected each time, though it is said that it may be resumed', () => {
    const session = readySession();
    session.closed(1006);
    const resumed = [1, 2, 3].map(() => {
      session.opened();
      session.frame(hello);
      session.frame({ op: opcodes.INVALID_SESSION, d: true });
      return connectOf(session.closed(4000)).resumes;
    });
    expect(resumed).toEqual([true, false, false]);
  });

  it('comes back without a pause when it was asked to reconnect', () => {
    const session = readySession();
    expect(session.frame(reconnect)).toMatchObject([{ do: 'close' }]);
    expect(connectOf(session.closed(4000))).toMatchObject({ resumes: true, failures: 0 });
  });

  it('reconnects after a pause when it is asked to again immediately, until a heartbeat was answered in between', () => {
    const session = readySession();
    const askedTo = (...before: GatewayFrame[]) => {
      for (const frame of before) session.frame(frame);
      if (before.includes(acknowledged)) {
        untilDue(session);
        session.frame(acknowledged);
      }
      session.frame(reconnect);
      const { failures } = connectOf(session.closed(4000));
      session.opened();
      session.frame(hello);
      return failures;
    };
    const resumed = { op: opcodes.DISPATCH, t: 'RESUMED', s: 2, d: {} };
    expect([askedTo(), askedTo(resumed), askedTo(resumed), askedTo(resumed, acknowledged)]).toEqual([0, 1, 1, 0]);
  });

  it('counts a connection that is asked to reconnect before its session is open as failed', () => {
    const session = newSession();
    for (const failures of [1, 2, 3]) {
      session.opened();
      session.frame(hello);
      session.frame(reconnect);
      expect(connectOf(session.closed(4000)).failures).toBe(failures);
    }
  });

  it('answers the first hello of a connection alone', () => {
    const session = newSession();
    session.opened();
    expect(session.frame(hello)).toHaveLength(2);
    expect(session.frame(hello)).toEqual([]);
    session.closed(1006);
    session.opened();
    expect(session.frame(hello)).toHaveLength(2);
  });

  it('pauses longer each time while sessions open and no heartbeat is answered in them, until one is resumed', () => {
    const session = readySession();
    const again = (code: number, frame: GatewayFrame) => {
      // One that nobody asked for.
      session.frame(acknowledged);
      const { failures } = connectOf(session.closed(code));
      session.opened();
      session.frame(hello);
      session.frame(frame);
      return failures;
    };
    const resumed = { op: opcodes.DISPATCH, t: 'RESUMED', s: 2, d: {} };
    expect([again(4009, ready()), again(4009, ready()), again(4009, ready())]).toEqual([1, 2, 3]);
    expect([again(1006, resumed), again(1006, resumed), again(4009, ready())]).toEqual([4, 1, 1]);
  });

  it.each([
    [1e-9, 1_000],
    [1, 1_000],
    [1e12, 300_000],
  ])('beats at least every 5 minutes and at most every second: asked for %d ms, every %d ms', (interval, everyMs) => {
    const session = newSession();
    session.opened();
    session.frame({ op: opcodes.HELLO, d: { heartbeat_interval: interval } });
    session.frame(ready());
    untilDue(session);
    session.frame(acknowledged);
    expect(untilDue(session).effects[1]).toEqual({ do: 'tick', afterMs: everyMs });
  });

  it('counts failed connections until a session lives again', () => {
    const session = newSession();
    session.start();
    expect(connectOf(session.closed(1006)).failures).toBe(1);
    expect(connectOf(session.closed(1006)).failures).toBe(2);
    session.opened();
    session.frame(hello);
    session.frame(ready());
    untilDue(session);
    session.frame(acknowledged);
    expect(connectOf(session.closed(1006)).failures).toBe(1);
  });

  it('does nothing more after it was ended', () => {
    const session = readySession();
    expect(session.end()).toEqual([{ do: 'close', code: 1000, reason: 'done' }]);
    expect([session.closed(1000), session.tick(), session.frame(event(2))]).toEqual([[], [], []]);
  });

  it('survives any frames in any order', () => {
    const frame = fc.option(
      fc.record({
        op: fc.oneof(fc.constantFrom(...Object.values(opcodes)), fc.integer()),
        d: fc.jsonValue(),
        s: fc.option(fc.integer()),
        t: fc.option(fc.constantFrom('READY', 'RESUMED', 'OTHER')),
      }),
      { nil: undefined },
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(frame, fc.constantFrom('tick', 'check', 'opened', 1006, 4009))), steps => {
        const session = newSession();
        for (const step of steps) {
          if (step === 'tick') session.tick();
          else if (step === 'check') session.check();
          else if (step === 'opened') session.opened();
          else if (typeof step === 'number') session.closed(step);
          else session.frame(step as Parameters<GatewaySession['frame']>[0]);
        }
      }),
    );
  });
});
