import type { Clock, FetchInit } from '../../wire/clock/ports.ts';
import { readSigningKey, signatureHeaders, signMessage } from '../../wire/signature.ts';
import type { ApplicationRecord } from '../store/records.ts';

/**
 * A signed request to an application's server: JSON, with a signature by the application's key over the current second and the body.
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
