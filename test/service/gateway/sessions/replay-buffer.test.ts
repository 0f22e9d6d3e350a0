import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DispatchFrame, dispatchFrame } from '../../../../src/service/gateway/connection/frames.ts';
import { ReplayBuffer } from '../../../../src/service/gateway/sessions/session.ts';
import { serviceLimits } from '../../../../src/service/support/service-limits.ts';

const small = dispatchFrame('LOBBY_UPDATE', '1');

describe('a replay buffer', () => {
  it('gives what is behind a number, and nothing behind the last', () => {
    const buffer = new ReplayBuffer(10);
    const frames = ['a', 'b', 'c'].map(d => dispatchFrame('LOBBY_UPDATE', JSON.stringify(d)));
    for (const frame of frames) buffer.push(frame);
    expect(buffer.last).toBe(13);
    expect(buffer.after(10)).toEqual(frames);
    expect(buffer.after(12)).toEqual(frames.slice(2));
    expect(buffer.after(13)).toEqual([]);
    expect(buffer.after(9)).toBeUndefined();
  });

  it('keeps nothing of an event that it only counts, nor of those before', () => {
    const buffer = new ReplayBuffer();
    buffer.push(small);
    buffer.skip();
    expect(buffer.last).toBe(2);
    expect(buffer.after(1)).toBeUndefined();
    expect(buffer.after(2)).toEqual([]);
    buffer.push(small);
    expect(buffer.after(2)).toEqual([small]);
  });

  it('encodes an event that was not yet when it is asked for, and counts its size before', () => {
    const buffer = new ReplayBuffer();
    let encoded = 0;
    const late = {
      size: serviceLimits.gatewayReplayBytesMax / 2,
      get frame() {
        encoded++;
        return small;
      },
    };
    for (let n = 0; n < 5; n++) buffer.push(late);
    expect([buffer.after(2), encoded]).toEqual([undefined, 0]);
    expect([buffer.after(3), encoded]).toEqual([[small, small], 2]);
  });

  it('keeps as many events as the limit and not one more', () => {
    const buffer = new ReplayBuffer();
    const max = serviceLimits.gatewayReplayEventsMax;
    for (let n = 0; n < max; n++) buffer.push(small);
    expect(buffer.after(0)).toHaveLength(max);
    buffer.push(small);
    expect(buffer.after(0)).toBeUndefined();
    expect(buffer.after(1)).toHaveLength(max);
  });

  it('keeps as many bytes as the limit and not one more, a larger event not at all', () => {
    const half = sized(serviceLimits.gatewayReplayBytesMax / 2);
    const buffer = new ReplayBuffer();
    buffer.push(half);
    buffer.push(half);
    expect(buffer.after(0)).toHaveLength(2);
    buffer.push(small);
    expect(buffer.after(0)).toBeUndefined();
    expect(buffer.after(1)).toHaveLength(2);
    buffer.push(sized(serviceLimits.gatewayReplayBytesMax + 1));
    expect(buffer.after(3)).toBeUndefined();
    expect(buffer.after(4)).toEqual([]);
  });

  it('forgets what is acknowledged, and nothing for a number that was not given out', () => {
    const buffer = new ReplayBuffer();
    for (let n = 0; n < 5; n++) buffer.push(small);
    buffer.forget(6);
    buffer.forget(-1);
    expect(buffer.after(0)).toHaveLength(5);
    buffer.forget(3);
    expect(buffer.after(2)).toBeUndefined();
    expect(buffer.after(3)).toHaveLength(2);
    buffer.forget(5);
    expect(buffer.after(5)).toEqual([]);
    expect(buffer.last).toBe(5);
  });

  it('is as a list of all events would be, whatever is pushed and forgotten', () => {
    const frames = Array.from({ length: 50 }, (_, n) => dispatchFrame('LOBBY_UPDATE', String(n)));
    const step = fc.oneof(fc.nat(49), fc.record({ forget: fc.nat(400) }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), fc.nat(400), (steps, wanted) => {
        const buffer = new ReplayBuffer();
        const all: DispatchFrame[] = [];
        let gone = 0;
        for (const one of steps) {
          if (typeof one === 'number') {
            buffer.push(frames[one] as DispatchFrame);
            all.push(frames[one] as DispatchFrame);
          } else {
            buffer.forget(one.forget);
            if (one.forget <= all.length) gone = Math.max(gone, one.forget);
          }
        }
        if (wanted > all.length) return;
        expect(buffer.after(wanted)).toEqual(wanted < gone ? undefined : all.slice(wanted));
      }),
    );
  });
});

function sized(bytes: number): DispatchFrame {
  const frame = dispatchFrame('LOBBY_UPDATE', JSON.stringify('x'.repeat(bytes - 100)));
  const missing = bytes - frame.bytes.length;
  return dispatchFrame('LOBBY_UPDATE', JSON.stringify('x'.repeat(bytes - 100 + missing)));
}
