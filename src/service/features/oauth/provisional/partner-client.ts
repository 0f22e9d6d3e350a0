import type { ApplicationId } from '../../../../model/snowflake.ts';
import type { AttemptLimiter } from '../../../auth/attempt-limiter.ts';
import type { Core } from '../../../core.ts';
import type { ApplicationRecord } from '../../../store/records.ts';
import { RequestError } from '../../../support/request-error.ts';
import { matchesSecret } from '../../../support/secret.ts';
import { readId } from '../../lobbies/records.ts';

/** The proof of an application that sends its secret in the body. */
export interface Proof {
  readonly secret: string | null | undefined;
  /** Where the request came from: wrong secrets are counted by application and address, as at the token endpoint. */
  readonly address: string;
}

export interface PartnerClients {
  /** @throws RequestError `unknown_application`, `wrong_client_secret`, `rate_limited` */
  authenticate(clientId: ApplicationId, proof: Proof): Promise<ApplicationRecord>;
  /**
   * Authenticates a client that may be public: it may omit its secret, but a secret that it sends must be right.
   *
   * @throws RequestError `wrong_client_secret`, `rate_limited`
   */
  prove(application: ApplicationRecord, proof: Proof): Promise<void>;
}

/** @param attempts those of the token endpoint, so that both together allow no more than one of them */
export function createPartnerClients({ store }: Pick<Core, 'store'>, attempts: AttemptLimiter): PartnerClients {
  async function prove(application: ApplicationRecord, { secret, address }: Proof): Promise<void> {
    await attempts.attempt(`${application.id}/${address}`, async wrong => {
      if (isSound(application, secret)) return;
      wrong();
      throw new RequestError('wrong_client_secret');
    });
  }

  return {
    prove,
    async authenticate(clientId, proof) {
      const application = await store.get('applications', readId<'application'>(clientId));
      if (!application) throw new RequestError('unknown_application');
      await prove(application, proof);
      return application;
    },
  };
}

function isSound({ client_secret_hash, public_client }: ApplicationRecord, secret: Proof['secret']): boolean {
  return secret == null ? public_client : matchesSecret(secret, client_secret_hash);
}
