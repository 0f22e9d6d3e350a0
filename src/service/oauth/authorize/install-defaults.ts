import type { ApplicationRecord } from '../../store/records.ts';

// Each of these says how the application is to be installed, so that its own settings no longer do.
const overridingParameters = ['scope', 'integration_type', 'redirect_uri', 'response_type'] as const;

/** An authorization request, completed by the application's settings where it names nothing else. @see docs/spec/oauth2.md#installation */
export function withInstallParams(
  parameters: URLSearchParams,
  { install_params }: Pick<ApplicationRecord, 'install_params'>,
): URLSearchParams {
  if (!install_params || overridingParameters.some(name => parameters.get(name))) return parameters;
  const completed = new URLSearchParams(parameters);
  completed.set('scope', install_params.scopes.join(' '));
  completed.set('permissions', install_params.permissions);
  return completed;
}
