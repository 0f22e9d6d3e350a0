import { type InteractionId, isSnowflake, parseSnowflake } from '../../../model/snowflake.ts';
import type { Entropy } from '../../../wire/clock/ports.ts';

const randomBytes = 64;
const pattern = /^interaction:([0-9]{1,19}):[0-9a-z]{128}$/;

/**
 * Creates an interaction's token: base64 of `interaction:<id>:<128 alphanumerics>`. It is ASCII, so it needs no
 * escape in a path.
 *
 * @see docs/spec/interactions.md#interaction
 */
export function createInteractionToken(entropy: Entropy, id: InteractionId): string {
  const random = Buffer.from(entropy.bytes(randomBytes)).toString('hex');
  return Buffer.from(`interaction:${id}:${random}`).toString('base64url');
}

/** The interaction that the token claims to belong to; undefined when it has another form. */
export function tokenInteraction(token: string): InteractionId | undefined {
  const id = pattern.exec(Buffer.from(token, 'base64url').toString('latin1'))?.[1];
  return isSnowflake(id) ? parseSnowflake(id) : undefined;
}
