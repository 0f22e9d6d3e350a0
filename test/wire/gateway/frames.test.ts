import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeFrame, frameValuesMax, parseFrame } from '../../../src/wire/gateway/frames.ts';

describe('parseFrame', () => {
  it('gives back what encodeFrame wrote, whatever the data', () => {
    fc.assert(
      fc.property(fc.integer(), fc.jsonValue(), (op, d) => {
        const sent = JSON.parse(JSON.stringify(d)); // −0 has no JSON form
        expect(parseFrame(encodeFrame({ op, d }))).toEqual({ op, d: sent, s: null, t: null });
      }),
    );
  });

  it('reads an absent d as null', () => {
    expect(parseFrame('{"op":1}')).toEqual({ op: 1, d: null, s: null, t: null });
  });

  it('gives undefined for anything that is not a frame, and never throws', () => {
    const wrong = [
      '',
      'x',
      '[]',
      'null',
      '1',
      '"op"',
      '{}',
      '{"op":"1"}',
      '{"op":1.5}',
      '{"op":1,"s":"1"}',
      '{"op":1,"t":2}',
    ];
    for (const text of wrong) expect(parseFrame(text), text).toBeUndefined();
    fc.assert(
      fc.property(fc.string(), text => {
        parseFrame(text);
      }),
    );
  });

  it('reads as many values as the bound, and does not parse more', () => {
    const frame = (values: number) => `{"op":0,"d":[{${'},{'.repeat((values - 4) / 2)}}]}`; // four are outside the list
    const counted = (values: number) => (parseFrame(frame(values))?.d as unknown[] | undefined)?.length;
    expect(counted(frameValuesMax)).toBe((frameValuesMax - 2) / 2);
    expect(counted(frameValuesMax + 2)).toBeUndefined();
  });

  it('does not count what is written in texts', () => {
    const d = ['{[,"\\'.repeat(frameValuesMax), '\\', ',{['.repeat(frameValuesMax)];
    expect(parseFrame(JSON.stringify({ op: 0, d }))?.d).toEqual(d);
  });
});
