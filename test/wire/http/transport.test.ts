import { expect, it } from 'vitest';
import { answerBytesMax, ReceivedBody } from '../../../src/wire/http/transport.ts';
import { heapBytes } from '../../support/heap.ts';

it('keeps a body in memory proportional to its bytes, however small its pieces are', () => {
  const before = heapBytes();
  const body = new ReceivedBody();
  const bytes = 1_000_000;
  for (let at = 0; at < bytes; at++) body.add(Buffer.from(' '));
  expect((heapBytes() - before) / bytes).toBeLessThan(20);
  expect(body.text()).toHaveLength(bytes);
});

it('takes a body of the largest size, and no byte more', () => {
  const body = new ReceivedBody();
  expect(body.add(Buffer.alloc(answerBytesMax))).toBe(true);
  expect(body.add(Buffer.alloc(1))).toBe(false);
});
