/** A page or redirect as a person's browser gets it. */
export interface Visited {
  readonly status: number;
  readonly headers: Headers;
  readonly location: string | null;
  readonly text: string;
}

/** A browser of few words: keeps cookies, follows nothing, reads forms. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #headers: Readonly<Record<string, string>>;

  /** @param headers sent with every request */
  constructor(headers: Readonly<Record<string, string>> = {}) {
    this.#headers = headers;
  }

  async get(url: string): Promise<Visited> {
    return this.#visit(url, {});
  }

  async post(url: string, fields: Readonly<Record<string, string>>): Promise<Visited> {
    return this.#visit(url, { method: 'POST', body: new URLSearchParams(fields) });
  }

  /** Submits the page's form whose action begins with `path`: its hidden fields, and those given. */
  async submit(page: Visited, web: string, path: string, fields: Readonly<Record<string, string>>): Promise<Visited> {
    const form = formOf(page.text, path);
    return this.post(new URL(form.action, web).href, { ...form.hidden, ...fields });
  }

  async #visit(url: string, init: RequestInit): Promise<Visited> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { ...this.#headers, ...(cookie !== '' && { cookie }) },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.cookies.set(name, value);
    }
    const { status, headers } = response;
    return { status, headers, location: headers.get('location'), text: await response.text() };
  }
}

export interface ReadForm {
  readonly action: string;
  readonly hidden: Readonly<Record<string, string>>;
}

export function formOf(text: string, path: string): ReadForm {
  for (const [, attributes = '', inside = ''] of text.matchAll(/<form([^>]*)>([\s\S]*?)<\/form>/g)) {
    const action = unescapeText(/action="([^"]*)"/.exec(attributes)?.[1] ?? '');
    if (!action.startsWith(path)) continue;
    const hidden = [...inside.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)];
    return {
      action,
      hidden: Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, unescapeText(value)])),
    };
  }
  throw new Error(`The page has no form that goes to ${path}.`);
}

function unescapeText(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => {
    return { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }[name] ?? '';
  });
}
