import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeFrame, parseFrame } from '../../../src/wire/gateway/frames.ts';

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
});
