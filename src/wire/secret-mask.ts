/** The shortest secret that is also looked for in other text: shorter ones occur in ordinary words. */
export const secretLengthMin = 6;
/** The shortest secret that is also looked for in the names of fields. */
const nameSecretLengthMin = 16;

/** Fields, form fields, query parameters and path parameters that contain secrets, without underscores and in lower case. */
const secretName =
  /(?:token|secret|password|verifier|signature|cookie|authorization|ticket|sessionid|code|assertion|apikey|credential)s?$/;
/** The codes of validation errors, like `BASE_TYPE_REQUIRED`, are no secrets. */
const errorCode = /^[A-Z]+(_[A-Z]+)+$/;
const scheme = /^(Bearer|Bot|Basic) (.*)$/s;

/** What a value without secrets contains in place of one: `masked-1`, the same for the same secret. */
export const placeholder = /masked-\d+/;

/**
 * Replaces secrets by placeholders. First {@link learn} from everything, then {@link mask} everything: a secret that was
 * learned in one place is replaced in all.
 */
export class SecretMask {
  readonly #placeholders = new Map<string, string>();
  readonly #anywhere = new SecretIndex();
  readonly #inNames = new SecretIndex();

  /** Takes note of the secrets in a value of JSON. @param name of the field that the value is in */
  learn(value: unknown, name = ''): void {
    if (typeof value === 'string') {
      if (isSecret(name, value)) this.#learnText(value);
    } else if (Array.isArray(value)) {
      for (const item of value) this.learn(item, name);
    } else if (typeof value === 'object' && value !== null) {
      for (const [field, item] of Object.entries(value)) this.learn(item, field);
    }
  }

  /** The same value, with placeholders. @param name as in {@link learn} */
  mask(value: unknown, name = ''): unknown {
    if (typeof value === 'string') return isSecret(name, value) ? this.#maskSecret(value) : this.#maskText(value);
    if (Array.isArray(value)) return value.map(item => this.mask(item, name));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([field, item]) => [this.#maskName(field), this.mask(item, field)]),
    );
  }

  #learnText(text: string): void {
    const [, kind, credential = text] = scheme.exec(text) ?? [];
    this.#add(credential);
    if (kind !== 'Basic') return;
    const [, password = ''] = /:(.*)$/s.exec(Buffer.from(credential, 'base64').toString()) ?? [];
    this.#add(password);
  }

  #add(secret: string): void {
    if (secret === '' || this.#placeholders.has(secret)) return;
    const masked = `masked-${this.#placeholders.size + 1}`;
    this.#placeholders.set(secret, masked);
    if (secret.length < secretLengthMin) return;
    for (const form of formsOf(secret)) {
      this.#anywhere.add(form, masked);
      if (secret.length >= nameSecretLengthMin) this.#inNames.add(form, masked);
    }
  }

  #maskSecret(text: string): string {
    const [, kind, credential = text] = scheme.exec(text) ?? [];
    const masked = this.#placeholders.get(credential) ?? '';
    return kind === undefined ? masked : `${kind} ${masked}`;
  }

  #maskText(text: string): string {
    return this.#anywhere.replaceIn(text);
  }

  #maskName(name: string): string {
    return name.length < nameSecretLengthMin ? name : this.#inNames.replaceIn(name);
  }
}

interface IndexedSecret {
  readonly beginning: string;
  readonly length: number;
  readonly masked: string;
}

/** Secrets that begin alike. */
interface Group {
  /** The longest first: one may contain another. */
  readonly secrets: IndexedSecret[];
  lengthMax: number;
}

/** How many secrets that begin alike are compared one by one. */
const groupMax = 8;
/** How many characters of a secret are compared. */
const comparedMax = 32;

/**
 * Finds secrets in text, in time that is linear in the text however many there are: callers choose what they send as a secret.
 *
 * For that, it masks too much rather than too little: what begins like a long secret, and if more than {@link groupMax} secrets begin
 * alike, what begins like these, over the length of the longest.
 */
class SecretIndex {
  readonly #groups = new Map<string, Group>();
  readonly #placeholders = new Map<string, string>();

  add(secret: string, masked: string): void {
    if (this.#placeholders.has(secret)) return;
    this.#placeholders.set(secret, masked);
    const beginning = secret.slice(0, secretLengthMin);
    const group = this.#groups.get(beginning) ?? { secrets: [], lengthMax: 0 };
    this.#groups.set(beginning, group);
    group.lengthMax = Math.max(group.lengthMax, secret.length);
    if (group.secrets.length > groupMax) return;
    group.secrets.push({ beginning: secret.slice(0, comparedMax), length: secret.length, masked });
    group.secrets.sort((a, b) => b.length - a.length);
  }

  replaceIn(text: string): string {
    if (this.#groups.size === 0) return text;
    let replaced = '';
    let done = 0;
    for (let at = 0; at <= text.length - secretLengthMin; at++) {
      const group = this.#groups.get(text.slice(at, at + secretLengthMin));
      const found = group && this.#secretAt(text, at, group);
      if (!found) continue;
      replaced += text.slice(done, at) + found.masked;
      done = at + found.length;
      at = done - 1;
    }
    return replaced + text.slice(done);
  }

  #secretAt(text: string, at: number, { secrets, lengthMax }: Group): Omit<IndexedSecret, 'beginning'> | undefined {
    const isLarge = secrets.length > groupMax;
    const found = isLarge ? undefined : secrets.find(({ beginning }) => text.startsWith(beginning, at));
    if (!found && !isLarge) return undefined;
    const [word = ''] = /^[\w.~+/=%-]*/.exec(text.slice(at, at + lengthMax)) ?? [];
    const masked = this.#placeholders.get(word);
    if (masked !== undefined) return { masked, length: word.length };
    return found ?? { masked: manySecrets, length: lengthMax };
  }
}

/** Stands for text that may contain one of several secrets. */
const manySecrets = 'masked-0';

function isSecret(name: string, value: string): boolean {
  if (name === 'code' && errorCode.test(value)) return false;
  return secretName.test(name.replaceAll(/[^a-z]/gi, '').toLowerCase());
}

/** How a secret may stand in other text: as it is, in an address, in a form, in JSON. */
function formsOf(secret: string): string[] {
  if (/^[\w.-]*$/.test(secret)) return [secret];
  const form = new URLSearchParams({ '': secret.toWellFormed() }).toString().slice(1);
  return [secret, encodeURIComponent(secret.toWellFormed()), form, JSON.stringify(secret).slice(1, -1)];
}
