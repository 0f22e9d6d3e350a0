/**
 * Plays the person at the browser: opens the authorization page, chooses who they are, agrees, and follows the
 * redirect to the game. Everything goes through the pages that a real browser would show.
 */
export async function signInAs(username: string, authorizeUrl: string): Promise<void> {
  const browser = new Browser();
  const choices = await browser.open(authorizeUrl);
  const consent = await browser.submit(choices, button => button.label.includes(`@${username}`));
  await browser.submit(consent, button => button.value === 'approve');
}

interface Page {
  readonly url: string;
  readonly html: string;
}

interface Button {
  readonly name: string;
  readonly value: string;
  readonly label: string;
}

/** As much of a browser as two forms need: cookies, redirects, buttons. */
class Browser {
  readonly #cookies = new Map<string, string>();

  async open(url: string, form?: URLSearchParams): Promise<Page> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { cookie, origin: new URL(url).origin };
    const post = form ? { method: 'POST', body: form } : {};
    const answer = await fetch(url, { headers, redirect: 'manual', ...post });
    for (const line of answer.headers.getSetCookie()) this.#keep(line);
    const location = answer.headers.get('location');
    if (location !== null) return this.open(new URL(location, url).href);
    const html = await answer.text();
    if (!answer.ok) throw new Error(`The page ${new URL(url).pathname} answered ${answer.status}.`);
    return { url, html };
  }

  /** Presses the first button of the page that fits, and follows where its form goes. */
  async submit({ url, html }: Page, fits: (button: Button) => boolean): Promise<Page> {
    for (const [, attributes = '', inside = ''] of html.matchAll(/<form([^>]*)>(.*?)<\/form>/gs)) {
      const button = buttons(inside).find(fits);
      if (!button) continue;
      const fields = [...inside.matchAll(/<input type="hidden"([^>]*)>/g)].map(([, hidden = '']) => hidden);
      const form = new URLSearchParams(fields.map(hidden => [attribute(hidden, 'name'), attribute(hidden, 'value')]));
      form.set(button.name, button.value);
      return this.open(new URL(attribute(attributes, 'action'), url).href, form);
    }
    throw new Error(`The page ${new URL(url).pathname} has no such button.`);
  }

  #keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    this.#cookies.set(name, value);
  }
}

function buttons(html: string): Button[] {
  return [...html.matchAll(/<button([^>]*)>(.*?)<\/button>/gs)].map(([, attributes = '', label = '']) => ({
    name: attribute(attributes, 'name'),
    value: attribute(attributes, 'value'),
    label,
  }));
}

function attribute(attributes: string, name: string): string {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? '';
  return value.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&amp;', '&');
}
