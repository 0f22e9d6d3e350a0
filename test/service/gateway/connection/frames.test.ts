import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { opcodes } from '../../../../src/model/gateway.ts';
import {
  controlFrame,
  dispatchFrame,
  frameBinary,
  joinFrames,
  textOf,
} from '../../../../src/service/gateway/connection/frames.ts';

/** The messages in these bytes, read as RFC 6455 has it: whole, unmasked. */
function received(bytes: Buffer): { data: Buffer; isBinary: boolean }[] {
  const messages: { data: Buffer; isBinary: boolean }[] = [];
  for (let at = 0; at < bytes.length; ) {
    const kind = bytes.readUInt8(at) - 0x80;
    if (kind !== 1 && kind !== 2) throw new Error(`a frame of kind ${kind}`);
    const short = bytes.readUInt8(at + 1);
    const sizes = { 126: () => bytes.readUInt16BE(at + 2), 127: () => Number(bytes.readBigUInt64BE(at + 2)) } as const;
    const size = short === 126 || short === 127 ? sizes[short]() : short;
    at += short === 126 ? 4 : short === 127 ? 10 : 2;
    messages.push({ data: bytes.subarray(at, at + size), isBinary: kind === 2 });
    at += size;
  }
  return messages;
}

const parsed = (bytes: Buffer) => received(bytes).map(({ data }) => JSON.parse(String(data)));

describe('frames made by hand', () => {
  it.each([0, 1, 63, 64, 65, 66, 125, 126, 127, 65_400, 65_535, 65_536, 70_000])('say their length: %i more', more => {
    const frame = dispatchFrame('LOBBY_DELETE', JSON.stringify('x'.repeat(more)));
    expect(parsed(joinFrames([frame], 7))).toEqual([{ op: 0, t: 'LOBBY_DELETE', s: 7, d: 'x'.repeat(more) }]);
    const [binary] = received(frameBinary(Buffer.alloc(more, 1)));
    expect(binary).toEqual({ data: Buffer.alloc(more, 1), isBinary: true });
  });

  it('differ between sessions only in their number, of up to 9,999,999,999', () => {
    const frame = dispatchFrame('LOBBY_DELETE', '{"id":"1"}');
    for (const s of [0, 1, 9, 10, 4_000_000_000, 9_999_999_999]) {
      expect(parsed(joinFrames([frame], s))).toEqual([{ op: 0, t: 'LOBBY_DELETE', s, d: { id: '1' } }]);
      expect(JSON.parse(String(textOf(frame, s)))).toMatchObject({ s });
    }
    expect(JSON.parse(String(frame.bytes.subarray(frame.textAt)).replace(/ +,/, '0,'))).toMatchObject({ s: 0 });
  });

  it('are counted one after another, those without a number left out, whatever their text', () => {
    const text = fc.string({ unit: 'binary', maxLength: 200 });
    fc.assert(
      fc.property(fc.array(fc.option(text), { maxLength: 20 }), fc.nat(1e9), (texts, first) => {
        const frames = texts.map(d =>
          d === null ? controlFrame(opcodes.HEARTBEAT_ACK, null) : dispatchFrame('LOBBY_UPDATE', JSON.stringify(d)),
        );
        let s = first;
        expect(parsed(joinFrames(frames, first))).toEqual(
          texts.map(d =>
            d === null
              ? { op: opcodes.HEARTBEAT_ACK, d: null, s: null, t: null }
              : { op: 0, t: 'LOBBY_UPDATE', s: s++, d: JSON.parse(JSON.stringify(d)) },
          ),
        );
      }),
    );
  });

  it('stay as they were however often they are used', () => {
    const frame = dispatchFrame('LOBBY_DELETE', '{}');
    const before = Buffer.from(frame.bytes);
    joinFrames([frame, frame], 55);
    textOf(frame, 66);
    expect(frame.bytes).toEqual(before);
  });
});
