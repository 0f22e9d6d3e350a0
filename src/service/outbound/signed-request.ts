import type { Clock, FetchInit } from '../../wire/clock/ports.ts';
import { readSigningKey, signatureHeaders, signMessage } from '../../wire/signature.ts';
import type { ApplicationRecord } from '../store/records.ts';

/**
 * A request to an application's server that proves itself: JSON, signed with the application's key over the second in
 * which it is made and the body.
 *
 * @see docs/spec/lobbies.md#webhook-events; docs/spec/interactions.md#delivery-over-http
 */
export function signedRequest(
  clock: Clock,
  { signing_key }: ApplicationRecord,
  body: string,
): Pick<FetchInit, 'method' | 'headers' | 'body'> {
  const timestamp = String(Math.floor(clock.now() / 1000));
  const headers = {
    'content-type': 'application/json',
    [signatureHeaders.signature]: signMessage(readSigningKey(signing_key), timestamp, body),
    [signatureHeaders.timestamp]: timestamp,
  };
  return { method: 'POST', headers, body };
}
