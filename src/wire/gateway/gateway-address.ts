import { ArgumentError, TransportError } from '../../model/errors/errors.ts';
import { isPrivate } from '../addresses.ts';
import { asRecord } from '../http/codec.ts';

/**
 * Reads the gateway's address from the answer of `GET /gateway` or `GET /gateway/bot`.
 *
 * @param allowUnencrypted the token may travel over `ws:` beyond this machine
 * @throws TransportError `unreadable_answer`: it names none; ArgumentError `insecure_address`: a token would travel
 *   there unencrypted
 * @see docs/spec/gateway.md#connecting
 */
export function readGatewayAddress(body: unknown, { allowUnencrypted = false } = {}): string {
  const url = asRecord(body)?.url;
  if (typeof url !== 'string' || !URL.canParse(url) || !/^wss?:$/.test(new URL(url).protocol)) {
    throw new TransportError('unreadable_answer', "The service's response has no gateway address. Check baseUrl.");
  }
  if (!allowUnencrypted && !isPrivate(new URL(url))) {
    throw new ArgumentError(
      'insecure_address',
      "The service's gateway address must be wss beyond this machine, because the token travels there.",
    );
  }
  return url;
}
