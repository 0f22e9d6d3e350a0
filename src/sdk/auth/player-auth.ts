import { ArgumentError } from '../../model/errors/errors.ts';
import { type ApplicationId, parseSnowflake } from '../../model/snowflake.ts';
import { unsetHint } from '../../wire/environment-variables.ts';
import type { Http } from '../../wire/http/http.ts';
import { AccountCalls } from './account-calls.ts';
import type { AuthorizationArgs } from './authorization-args.ts';
import { type AuthorizationGrant, type AuthorizeOptions, Authorizer, type AuthorizerPorts } from './authorizer.ts';
import { DeviceFlow } from './device-flow.ts';
import { HeldToken } from './held-token.ts';
import { type OAuthPorts, prepareOAuthCalls } from './oauth-calls.ts';
import { TokenClient } from './token-client.ts';
import { TokenRenewal } from './token-renewal.ts';

export interface PlayerAuthPorts extends Omit<OAuthPorts, 'entropy'>, AuthorizerPorts {
  readonly http: Http;
}

/** Everything a {@link Client} needs to sign players in: the application, the flows, and the current token. */
export class PlayerAuth {
  readonly authorizer: Authorizer;
  readonly tokens: TokenClient;
  readonly device: DeviceFlow;
  readonly account: AccountCalls;
  readonly held: HeldToken;
  readonly renewal: TokenRenewal;
  applicationId: ApplicationId | undefined;

  constructor(ports: PlayerAuthPorts) {
    this.authorizer = new Authorizer(ports);
    this.tokens = new TokenClient(ports);
    this.device = new DeviceFlow(ports);
    this.account = new AccountCalls(ports.http, ports.clock);
    this.held = new HeldToken(ports.clock);
    this.renewal = new TokenRenewal(ports.clock);
  }

  /** @see {@link Client.authorize} */
  authorize(args: AuthorizationArgs, options: AuthorizeOptions): Promise<AuthorizationGrant> {
    // The player is in the browser for seconds, which is time to load what getToken() needs.
    prepareOAuthCalls();
    return this.authorizer.authorize(args, this.applicationId, options);
  }

  /** @throws ArgumentError `invalid_snowflake` */
  setApplicationId(id: string | bigint): void {
    this.applicationId = parseSnowflake<'application'>(id, 'applicationId');
  }

  /** @throws ArgumentError `missing_application_id` */
  clientId(): ApplicationId {
    if (this.applicationId !== undefined) return this.applicationId;
    throw new ArgumentError(
      'missing_application_id',
      `applicationId is missing: pass it to new Client(). ${unsetHint('applicationId')}`,
    );
  }

  /** @throws ArgumentError `missing_access_token` */
  token(): string {
    const { accessToken } = this.held;
    if (accessToken !== undefined) return accessToken;
    throw new ArgumentError('missing_access_token', 'No access token is set: pass one to updateToken() first.');
  }

  /** Aborts what is in progress. */
  close(): void {
    this.authorizer.close();
    this.device.abort();
    this.tokens.close();
    this.held.close();
  }
}
