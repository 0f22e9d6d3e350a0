import { authorizedPagePath } from '../../../model/oauth.ts';
import type { Core } from '../../core.ts';
import { OAuthFault } from '../token/oauth-fault.ts';
import {
  type AuthorizationRequest,
  judgeRequest,
  pageFaults,
  type ReturnAddress,
  readReturnAddress,
} from './authorization-request.ts';
import { redirectWith } from './redirect-uri.ts';

/** What becomes of an authorization request: it is put to the user, or goes back to the application at once. */
export type Judgement =
  | { readonly request: AuthorizationRequest }
  | { readonly request?: never; readonly redirectTo: string };

/**
 * Loads the application and judges the request.
 *
 * @throws AuthorizationPageFault when the answer must not be sent anywhere
 */
export async function judge(core: Core, parameters: URLSearchParams): Promise<Judgement> {
  const application = await core.store.get('applications', parameters.get('client_id') ?? '');
  const ownPage = core.addresses.web + authorizedPagePath;
  const address = readReturnAddress(parameters, application, ownPage);
  try {
    return { request: judgeRequest(parameters, address, ownPage) };
  } catch (error) {
    if (!(error instanceof OAuthFault)) throw error;
    if (address.redirectUri === ownPage) throw pageFaults.request(error);
    return { redirectTo: refusalRedirect(core, address, error) };
  }
}

/** Where a refused request goes. @see RFC 6749, section 4.1.2.1; RFC 9207 */
export function refusalRedirect(
  core: Core,
  { redirectUri, state, inFragment }: ReturnAddress,
  fault: OAuthFault,
): string {
  const { error, description } = fault;
  return redirectWith(
    redirectUri,
    { error, error_description: description, state, iss: core.addresses.web },
    inFragment,
  );
}
