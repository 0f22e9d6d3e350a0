import { type IntegrationType, integrationTypes } from '../../model/command.ts';
import { type CommonFieldErrorCode, commonFieldErrors, type Issue } from '../../model/errors/issue.ts';
import { type AuthorizationCodeChallenge, codeChallengeMethod, isCodeChallenge } from './pkce-form.ts';

/** The fields of {@link AuthorizationArgs}, as plain data. */
export interface AuthorizationArgsFields {
  /** The application id, an unsigned 64-bit number. Default: the client's `applicationId`. */
  readonly clientId?: bigint | string | undefined;
  /** Separated by spaces. Default: {@link getDefaultCommunicationScopes}. Additional scopes need the player's consent. */
  readonly scopes?: string | undefined;
  /** Default: a new random value for each authorization. */
  readonly state?: string | undefined;
  /** Returned in the ID token; mainly for backends that read it. */
  readonly nonce?: string | undefined;
  /** Required for {@link Client.getToken}; `authorize()` requires it for every custom-scheme redirect. */
  readonly codeChallenge?: AuthorizationCodeChallenge | undefined;
  /** How the application is installed. */
  readonly integrationType?: IntegrationType | undefined;
  /** The URI scheme of the redirect `<scheme>:/authorize/callback`. */
  readonly customSchemeParam?: string | undefined;
}

const clientIdMax = 2n ** 64n - 1n;
const decimal = /^(0|[1-9][0-9]{0,19})$/;
// Scope tokens separated by single spaces. @see RFC 6749, section 3.3
const scopeList = /^[\x21\x23-\x5B\x5D-\x7E]+( [\x21\x23-\x5B\x5D-\x7E]+)*$/;
// @see RFC 6749, appendix A.5
const visibleText = /^[\x20-\x7E]+$/;
// @see RFC 3986, section 3.1
const schemeForm = /^[A-Za-z][A-Za-z0-9+.-]*$/;
// Unspecified: which schemes are rejected. Browsers and systems open these themselves, so they never reach a game, and could
// execute or disclose the code.
const foreignSchemes = new Set([
  'about',
  'blob',
  'data',
  'file',
  'ftp',
  'http',
  'https',
  'javascript',
  'mailto',
  'vbscript',
  'ws',
  'wss',
]);

type Check = (value: NonNullable<unknown>) => Issue[];

/** Checks the fields of AuthorizationArgs, which are undefined after they were moved away. */
export function checkAuthorizationArgs(fields: AuthorizationArgsFields | undefined): Issue[] {
  if (!fields)
    return [
      {
        path: [],
        code: 'BASE_TYPE_REQUIRED',
        message: 'The fields were moved to another object. Call assign() first.',
      },
    ];
  return [
    ...given(fields.clientId, checkClientId),
    ...given(fields.scopes, value => checkText('scopes', value, scopeList)),
    ...given(fields.state, value => checkText('state', value, visibleText)),
    ...given(fields.nonce, value => checkText('nonce', value, visibleText)),
    ...given(fields.codeChallenge, checkCodeChallenge),
    ...given(fields.integrationType, checkIntegrationType),
    ...given(fields.customSchemeParam, checkScheme),
  ];
}

/**
 * Custom-scheme redirects need PKCE, because another program may register the scheme and receive the code. Fields without it are
 * valid: where the redirect leads is known only when they are used.
 *
 * @see docs/spec/oauth2.md#redirects
 */
export function codeChallengeRequired(): Issue {
  return issue('codeChallenge', 'BASE_TYPE_REQUIRED', commonFieldErrors.BASE_TYPE_REQUIRED());
}

function given(value: unknown, check: Check): Issue[] {
  return value === undefined ? [] : check(value as NonNullable<unknown>);
}

function checkClientId(value: unknown): Issue[] {
  if (typeof value === 'bigint' ? isClientId(value) : isDecimalClientId(value)) return [];
  return [issue('clientId', 'NUMBER_TYPE_COERCE', commonFieldErrors.NUMBER_TYPE_COERCE(String(value), 'snowflake'))];
}

function isDecimalClientId(value: unknown): boolean {
  return typeof value === 'string' && decimal.test(value) && isClientId(BigInt(value));
}

function isClientId(value: bigint): boolean {
  return value >= 0n && value <= clientIdMax;
}

function checkText(field: string, value: unknown, form: RegExp): Issue[] {
  if (typeof value !== 'string') return [issue(field, 'STRING_TYPE_CONVERT', commonFieldErrors.STRING_TYPE_CONVERT())];
  return form.test(value) ? [] : [issue(field, 'STRING_TYPE_REGEX', commonFieldErrors.STRING_TYPE_REGEX())];
}

function checkCodeChallenge(value: unknown): Issue[] {
  const { method, challenge } = Object(value) as Partial<Record<'method' | 'challenge', unknown>>;
  const issues: Issue[] = [];
  if (method !== codeChallengeMethod) {
    const message = commonFieldErrors.BASE_TYPE_CHOICES([codeChallengeMethod]);
    issues.push({ path: ['codeChallenge', 'method'], code: 'BASE_TYPE_CHOICES', message });
  }
  if (typeof challenge !== 'string' || !isCodeChallenge(challenge)) {
    const message = commonFieldErrors.STRING_TYPE_REGEX();
    issues.push({ path: ['codeChallenge', 'challenge'], code: 'STRING_TYPE_REGEX', message });
  }
  return issues;
}

function checkIntegrationType(value: unknown): Issue[] {
  const choices = Object.values(integrationTypes);
  if ((choices as readonly unknown[]).includes(value)) return [];
  return [issue('integrationType', 'BASE_TYPE_CHOICES', commonFieldErrors.BASE_TYPE_CHOICES(choices))];
}

/** Checks the scheme of a custom-scheme redirect. */
export function checkScheme(value: unknown): Issue[] {
  const issues = checkText('customSchemeParam', value, schemeForm);
  if (issues.length > 0 || !foreignSchemes.has(String(value).toLowerCase())) return issues;
  return [issue('customSchemeParam', 'STRING_TYPE_REGEX', commonFieldErrors.STRING_TYPE_REGEX())];
}

function issue(field: string, code: CommonFieldErrorCode, message: string): Issue {
  return { path: [field], code, message };
}
