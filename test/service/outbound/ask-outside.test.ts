import { expect, it } from 'vitest';
import { askOutside } from '../../../src/service/outbound/ask-outside.ts';
import { PendingWork } from '../../../src/service/support/pending-work.ts';
import { Metrics } from '../../../src/service/telemetry/metrics.ts';
import { silentLogger, systemClock } from '../../../src/wire/clock/ports.ts';
import { heapBytes } from '../../support/heap.ts';

const bytesMax = 1024 * 1024;

/** Asks a server whose answer is these pieces. */
async function bodyOf(pieces: Iterable<Uint8Array>): Promise<Buffer | undefined> {
  const next = pieces[Symbol.iterator]();
  const stream = new ReadableStream({
    pull(controller) {
      const { done, value } = next.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
  const core = {
    ...{ clock: systemClock, log: silentLogger, metrics: new Metrics() },
    fetch: async () => new Response(stream),
  };
  const bounds = { kind: 'interaction', ms: 60_000, bytesMax } as const;
  const init = { method: 'POST', headers: {} };
  const reply = await askOutside(core, new PendingWork(), 'http://127.0.0.1/', init, bounds);
  return reply?.body;
}

it('takes memory in proportion to the bytes of an answer, however small its pieces are', async () => {
  const before = heapBytes();
  let held = 0;
  function* pieces() {
    for (let at = 0; at < bytesMax; at++) yield Buffer.from('x');
    held = heapBytes() - before;
  }
  expect(await bodyOf(pieces())).toHaveLength(bytesMax);
  expect(held / bytesMax).toBeLessThan(40);
});

it('reads no answer beyond its bound', async () => {
  expect(await bodyOf([Buffer.alloc(bytesMax), Buffer.from('x')])).toBeUndefined();
});
