import { describe, expect, it } from 'vitest';
import {
  collectBody,
  endpointLimits,
  ReceivedRequests,
  type SignedRequest,
} from '../../../src/backend/interactions/signed-request.ts';
import { heapBytes } from '../../support/heap.ts';

const driftMs = 300_000;
const nowMs = Date.UTC(2026, 10, 1);
const body = Buffer.from('{}');

function requestAt(seconds: number): SignedRequest {
  return { method: 'POST', body, header: name => (name === 'x-signature-timestamp' ? String(seconds) : undefined) };
}

describe('requests that came before', () => {
  const now = nowMs / 1000;

  it('are known as long as their time lets them pass', () => {
    const received = new ReceivedRequests({ driftMs });
    expect(received.add(requestAt(now), body, nowMs)).toBe(true);
    expect(received.add(requestAt(now), Buffer.from('{ }'), nowMs)).toBe(true);
    expect(received.add(requestAt(now + 300), body, nowMs)).toBe(true);
    expect(received.add(requestAt(now), body, nowMs + driftMs)).toBe(false);
    expect(received.add(requestAt(now + 300), body, nowMs + 2 * driftMs)).toBe(false);
  });

  it('are bounded in number, and the oldest is forgotten first', () => {
    const received = new ReceivedRequests({ driftMs: Number.POSITIVE_INFINITY });
    for (let nth = 0; nth <= 65_536; nth++) expect(received.add(requestAt(nth), body, nowMs)).toBe(true);
    expect(received.add(requestAt(1), body, nowMs)).toBe(false);
    expect(received.add(requestAt(65_536), body, nowMs)).toBe(false);
    expect(received.add(requestAt(0), body, nowMs)).toBe(true);
  });
});

describe('a body', () => {
  it('takes memory in proportion to its bytes while it arrives, however small its pieces are', async () => {
    const before = heapBytes();
    const bytes = endpointLimits.interactionBytesMax;
    async function* pieces() {
      for (let at = 0; at < bytes; at++) yield Buffer.from('x');
      expect((heapBytes() - before) / bytes).toBeLessThan(20);
    }
    expect(await collectBody(pieces())).toHaveLength(bytes);
  });

  it('is not collected beyond its bound', async () => {
    async function* pieces() {
      yield Buffer.alloc(endpointLimits.interactionBytesMax);
      yield Buffer.from('x');
    }
    expect(await collectBody(pieces())).toBeUndefined();
  });
});
