import type { CallName, Takes } from '../shared/bridge.ts';

type Check<Name extends CallName> = (payload: unknown) => payload is Takes<Name>;

// What a window may send at most; what a text may say is for the SDK's rulebook to judge.
const textLengthMax = 4_000;

const nothing = (payload: unknown): payload is undefined => payload === undefined || payload === null;

/**
 * The shape of every payload. A window shows what other players wrote, so whatever comes from one is taken for hostile:
 * a payload of another shape is refused before anything looks at it.
 */
export const payloadChecks: { readonly [Name in CallName]: Check<Name> } = {
  readState: nothing,
  signIn: fields({ keep: isBoolean }),
  reopenPage: nothing,
  cancelSignIn: nothing,
  signOut: nothing,
  reconnect: nothing,
  createLobby: fields({ title: isText }),
  joinLobby: fields({ code: isText, create: isBoolean }),
  copyCode: fields({ lobbyId: isId }),
  loadEntryPoint: nothing,
  saveEntryPoint: fields({
    name: isText,
    description: isText,
    handler: (value): value is 1 | 2 => value === 1 || value === 2,
  }),
};

/** An object with these fields and no others. */
function fields<Payload extends object>(
  checks: {
    readonly [Field in keyof Payload]: (value: unknown) => value is Payload[Field];
  },
): (payload: unknown) => payload is Payload {
  const names = Object.keys(checks) as (keyof Payload & string)[];
  return (payload): payload is Payload => {
    if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return false;
    const given = payload as Readonly<Record<string, unknown>>;
    return (
      Object.keys(given).length === names.length &&
      names.every(name => Object.hasOwn(given, name) && checks[name](given[name]))
    );
  };
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= textLengthMax;
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9]{1,20}$/.test(value);
}
