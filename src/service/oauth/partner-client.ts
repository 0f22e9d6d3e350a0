import type { Snowflake } from '../../model/snowflake.ts';
import type { Core } from '../core.ts';
import { readId } from '../domain/lobby-input.ts';
import { Fault } from '../fault.ts';
import { matchesSecret } from '../secret.ts';
import type { ApplicationRecord } from '../store/records.ts';

/**
 * The application that a request names in its body.
 *
 * @throws Fault `unknown_application`, `wrong_client_secret`
 */
export async function authenticatePartner(
  core: Core,
  clientId: Snowflake<'application'>,
  secret: string | null | undefined,
): Promise<ApplicationRecord> {
  const application = await core.store.get('applications', readId<'application'>(clientId));
  if (!application) throw new Fault('unknown_application');
  requireSecret(application, secret);
  return application;
}

/** A public client may leave its secret out; one that is given must be right. @throws Fault `wrong_client_secret` */
export function requireSecret(
  { client_secret_hash, public_client }: ApplicationRecord,
  secret: string | null | undefined,
): void {
  const isSound = secret == null ? public_client : matchesSecret(secret, client_secret_hash);
  if (!isSound) throw new Fault('wrong_client_secret');
}
