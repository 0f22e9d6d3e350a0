/**
 * Option → the environment variable that the command and the guides read it from. The client and the backend module read
 * no environment; their messages name the variable, because an option that is missing mostly comes from one that is not set.
 */
export const environmentVariables = {
  baseUrl: 'RALLYPOINT_BASE_URL',
  applicationId: 'RALLYPOINT_APPLICATION_ID',
  botToken: 'RALLYPOINT_BOT_TOKEN',
  clientSecret: 'RALLYPOINT_CLIENT_SECRET',
} as const;

/** What to look at when an option is undefined or empty. */
export function unsetHint(...options: readonly (keyof typeof environmentVariables)[]): string {
  const names = options.map(option => environmentVariables[option]).join(' or ');
  return `If it comes from an environment variable such as ${names}, that variable is not set.`;
}
