import type { CloseCodeName } from '../../../model/gateway.ts';

/** The text in a close frame besides its code. @see docs/spec/gateway.md#close-codes */
export const closeReasons: Readonly<Record<CloseCodeName, string>> = {
  UNKNOWN_ERROR: 'Unknown error.',
  UNKNOWN_OPCODE: 'Unknown opcode.',
  DECODE_ERROR: 'Error while decoding payload.',
  NOT_AUTHENTICATED: 'Not authenticated.',
  AUTHENTICATION_FAILED: 'Authentication failed.',
  ALREADY_AUTHENTICATED: 'Already authenticated.',
  INVALID_SEQUENCE: 'Invalid seq.',
  RATE_LIMITED: 'Rate limited.',
  SESSION_TIMED_OUT: 'Session timed out.',
  INVALID_SHARD: 'Invalid shard.',
  SHARDING_REQUIRED: 'Sharding required.',
  INVALID_API_VERSION: 'Invalid API version.',
  INVALID_INTENTS: 'Invalid intent(s).',
  DISALLOWED_INTENTS: 'Disallowed intent(s).',
};
