import { authorizedPagePath } from '../../../../model/oauth.ts';
import type { Core } from '../../../core.ts';
import { OAuthRequestError } from '../token/oauth-request-error.ts';
import {
  type AuthorizationRequest,
  pageFaults,
  type ReturnAddress,
  readReturnAddress,
  validateRequest,
} from './authorization-request.ts';
import { redirectWith } from './redirect-uri.ts';

/** The result of validation: a request to show to the user, or a redirect that reports the error to the application. */
export type Validation =
  | { readonly request: AuthorizationRequest }
  | { readonly request?: never; readonly redirectTo: string };

/**
 * Loads the application and validates the request.
 *
 * @throws AuthorizationPageFault when the answer must not be redirected
 */
export async function validateAuthorizationRequest(core: Core, parameters: URLSearchParams): Promise<Validation> {
  const application = await core.store.get('applications', parameters.get('client_id') ?? '');
  const ownPage = core.addresses.web + authorizedPagePath;
  const address = readReturnAddress(parameters, application, ownPage);
  try {
    return { request: validateRequest(parameters, address, ownPage) };
  } catch (error) {
    if (!(error instanceof OAuthRequestError)) throw error;
    if (address.redirectUri === ownPage) throw pageFaults.request(error);
    return { redirectTo: rejectionRedirect(core, address, error) };
  }
}

/** The redirect that reports a rejected request. @see RFC 6749, section 4.1.2.1; RFC 9207 */
export function rejectionRedirect(
  core: Core,
  { redirectUri, state, inFragment }: ReturnAddress,
  fault: OAuthRequestError,
): string {
  const { error, description } = fault;
  return redirectWith(
    redirectUri,
    { error, error_description: description, state, iss: core.addresses.web },
    inFragment,
  );
}
