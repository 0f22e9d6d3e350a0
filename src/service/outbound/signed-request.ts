import type { FetchInit } from '../../wire/clock/ports.ts';
import { readSigningKey, signatureHeaders, signMessage } from '../../wire/signature.ts';
import type { Core } from '../core.ts';
import type { ApplicationRecord } from '../store/records.ts';

/**
 * A signed request to an application's server: JSON, with a signature by the application's key over the current second and the body.
 *
 * @see docs/spec/lobbies.md#webhook-events; docs/spec/interactions.md#delivery-over-http
 */
export function signedRequest(
  core: Pick<Core, 'clock' | 'vault'>,
  application: ApplicationRecord,
  body: string,
): Pick<FetchInit, 'method' | 'headers' | 'body'> {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signature(core, application, body) },
    body,
  };
}

/** The headers with an application's signature. */
export function signature(
  { clock, vault }: Pick<Core, 'clock' | 'vault'>,
  { signing_key }: ApplicationRecord,
  body: string,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(clock.now() / 1000));
  const key = readSigningKey(vault?.open(signing_key) ?? signing_key);
  return {
    [signatureHeaders.signature]: signMessage(key, timestamp, body),
    [signatureHeaders.timestamp]: timestamp,
  };
}
