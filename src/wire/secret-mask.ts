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
  #anywhere: RegExp | undefined;
  #inNames: RegExp | undefined;

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
    this.#placeholders.set(secret, `masked-${this.#placeholders.size + 1}`);
    this.#anywhere = undefined;
    this.#inNames = undefined;
  }

  #maskSecret(text: string): string {
    const [, kind, credential = text] = scheme.exec(text) ?? [];
    const masked = this.#placeholders.get(credential) ?? '';
    return kind === undefined ? masked : `${kind} ${masked}`;
  }

  #maskText(text: string): string {
    this.#anywhere ??= this.#pattern(secretLengthMin);
    return this.#replace(text, this.#anywhere);
  }

  #maskName(name: string): string {
    if (name.length < nameSecretLengthMin) return name;
    this.#inNames ??= this.#pattern(nameSecretLengthMin);
    return this.#replace(name, this.#inNames);
  }

  #replace(text: string, secrets: RegExp): string {
    return text.replace(secrets, found => this.#placeholders.get(found) ?? this.#placeholderOfForm(found));
  }

  #placeholderOfForm(found: string): string {
    const [, masked = ''] = [...this.#placeholders].find(([secret]) => formsOf(secret).includes(found)) ?? [];
    return masked;
  }

  /** Finds the secrets from a length, the longest first: one may contain another. */
  #pattern(lengthMin: number): RegExp {
    const long = [...this.#placeholders.keys()].filter(({ length }) => length >= lengthMin).flatMap(formsOf);
    const forms = [...new Set(long)].sort((a, b) => b.length - a.length).map(escapeForPattern);
    return new RegExp(forms.length === 0 ? '(?!)' : forms.join('|'), 'g');
  }
}

function isSecret(name: string, value: string): boolean {
  if (name === 'code' && errorCode.test(value)) return false;
  return secretName.test(name.replaceAll(/[^a-z]/gi, '').toLowerCase());
}

/** How a secret may stand in other text: as it is, in an address, in a form, in JSON. */
function formsOf(secret: string): string[] {
  const form = new URLSearchParams({ '': secret.toWellFormed() }).toString().slice(1);
  return [secret, encodeURIComponent(secret.toWellFormed()), form, JSON.stringify(secret).slice(1, -1)];
}

function escapeForPattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
