import { ArgumentError } from '../../model/errors/errors.ts';
import type { Locale } from '../../model/locale.ts';
import { createNegotiator } from '../../model/rules/locales/requester-locale.ts';
import { parseOptions, requireType } from '../../wire/arguments.ts';

/** The page that the player's browser shows after a redirect to `http://127.0.0.1`. */
export interface RedirectPage {
  /** Shown on the page, and in the browser's tab. */
  readonly gameName?: string | undefined;
  /** In place of the page that says that the player is signed in. */
  readonly granted?: RedirectPageContent | undefined;
  /** In place of the page that says that the player is not signed in: they declined, or the service reported an error. */
  readonly rejected?: RedirectPageContent | undefined;
}

/**
 * What a page says: a title and a text, both plain, or a whole document. Each can have up to {@link redirectPageBytesMax} bytes
 * in UTF-8. Default: texts in the language that the browser prefers, of German, English, French, Japanese, Portuguese and
 * Spanish.
 */
export type RedirectPageContent =
  | { readonly title: string; readonly text: string; readonly html?: undefined }
  | {
      /**
       * The document, sent as it is. The browser applies its styles and `data:` images; it runs no scripts and loads nothing
       * else, because the page's address contains the code.
       */
      readonly html: string;
    };

/** How long each text of a {@link RedirectPage} may be. Unspecified. */
export const redirectPageBytesMax = 64 * 1024;

/** @throws ArgumentError `invalid_argument` */
export function checkRedirectPage(page: RedirectPage | undefined): void {
  const { gameName, ...contents } = parseOptions(page);
  if (gameName !== undefined) checkText('gameName', gameName);
  for (const outcome of ['granted', 'rejected'] as const) {
    const content = contents[outcome];
    if (content === undefined) continue;
    requireType(`redirectPage.${outcome}`, content, 'object');
    if (content.html !== undefined) checkText(`${outcome}.html`, content.html);
    else {
      checkText(`${outcome}.title`, content.title);
      checkText(`${outcome}.text`, content.text);
    }
  }
}

function checkText(name: string, text: unknown): void {
  if (typeof text === 'string' && text !== '' && Buffer.byteLength(text) <= redirectPageBytesMax) return;
  throw new ArgumentError(
    'invalid_argument',
    `redirectPage.${name} must be text of 1 to ${redirectPageBytesMax} bytes in UTF-8.`,
  );
}

/** A page as it is sent. */
export interface RedirectAnswer {
  readonly status: number;
  readonly body: string;
}

/** The page of an outcome. It contains no part of the request. */
export function renderRedirectPage(
  outcome: keyof typeof statuses,
  { gameName, ...own }: RedirectPage = {},
  acceptLanguage = '',
): RedirectAnswer {
  const status = statuses[outcome];
  const content = outcome === 'granted' || outcome === 'rejected' ? own[outcome] : undefined;
  if (content?.html !== undefined) return { status, body: content.html };
  const locale = outcome in english ? 'en-US' : (negotiate(acceptLanguage) ?? 'en-US');
  const [ourTitle, ourText] = { ...english, ...words[locale] }[outcome];
  const title = escapeHtml(content?.title ?? ourTitle);
  const text = escapeHtml(content?.text ?? ourText);
  const lang = content ? '' : ` lang="${locale === 'en-US' ? 'en' : locale}"`;
  const game = gameName === undefined ? '' : escapeHtml(gameName);
  const sign = { granted: '✓', rejected: '✕' }[outcome as string] ?? '!';
  const body = `<!doctype html>
<html${lang}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}${game && ` · ${game}`}</title>
<style>${style}</style>
</head>
<body>
<main>
<span class="mark ${outcome}" aria-hidden="true">${sign}</span>
${game && `<p dir="auto"><strong>${game}</strong></p>\n`}<h1 dir="auto">${title}</h1>
<p dir="auto" role="status">${text}</p>
</main>
</body>
</html>
`;
  return { status, body };
}

const statuses = {
  granted: 200,
  rejected: 200,
  foreign: 400,
  otherIssuer: 400,
  misdirected: 421,
  notFound: 404,
  notAllowed: 405,
} as const;

/** Title and text. */
type Texts = readonly [title: string, text: string];

/** What only developers and other programs see. */
const english = {
  otherIssuer: [
    'You are not signed in',
    'The answer came from a different service than the one the game asked. If you develop the game, set its baseUrl to the ' +
      'address that the service shows at its start.',
  ],
  misdirected: ['Wrong address', 'Only the game uses this address.'],
  notFound: ['Nothing here', 'Only the game uses this address.'],
  notAllowed: ['Not allowed', 'Only the game uses this address.'],
} as const satisfies Record<string, Texts>;

/** What players see. The translations are machine-assisted. */
const words = {
  'en-US': {
    granted: ['You are signed in', 'You can close this page and go back to the game.'],
    rejected: ['You are not signed in', 'The request was declined. You can close this page and go back to the game.'],
    foreign: ['This link is not valid', 'It does not belong to a sign-in in progress. Start again in the game.'],
  },
  de: {
    granted: ['Du bist angemeldet', 'Du kannst diese Seite schließen und zum Spiel zurückkehren.'],
    rejected: [
      'Du bist nicht angemeldet',
      'Die Anfrage wurde abgelehnt. Du kannst diese Seite schließen und zum Spiel zurückkehren.',
    ],
    foreign: ['Dieser Link ist ungültig', 'Er gehört zu keiner laufenden Anmeldung. Beginne im Spiel noch einmal.'],
  },
  fr: {
    granted: ['Connexion réussie', 'Vous pouvez fermer cette page et revenir au jeu.'],
    rejected: [
      'Vous n’êtes pas connecté',
      'La demande a été refusée. Vous pouvez fermer cette page et revenir au jeu.',
    ],
    foreign: ['Ce lien n’est pas valide', 'Il ne correspond à aucune connexion en cours. Recommencez depuis le jeu.'],
  },
  'es-ES': {
    granted: ['Has iniciado sesión', 'Puedes cerrar esta página y volver al juego.'],
    rejected: ['No has iniciado sesión', 'La solicitud se ha rechazado. Puedes cerrar esta página y volver al juego.'],
    foreign: [
      'Este enlace no es válido',
      'No corresponde a ningún inicio de sesión en curso. Empieza de nuevo en el juego.',
    ],
  },
  'pt-BR': {
    granted: ['Login concluído', 'Você pode fechar esta página e voltar ao jogo.'],
    rejected: ['Login não concluído', 'A solicitação foi recusada. Você pode fechar esta página e voltar ao jogo.'],
    foreign: ['Este link não é válido', 'Ele não pertence a um login em andamento. Comece de novo no jogo.'],
  },
  ja: {
    granted: ['サインインしました', 'このページを閉じて、ゲームに戻ってください。'],
    rejected: ['サインインしていません', 'リクエストは拒否されました。このページを閉じて、ゲームに戻ってください。'],
    foreign: ['このリンクは無効です', '進行中のサインインのものではありません。ゲームからやり直してください。'],
  },
} as const satisfies Partial<Record<Locale, Record<'granted' | 'rejected' | 'foreign', Texts>>>;

const negotiate = createNegotiator(Object.keys(words) as (keyof typeof words)[]);

const style = `
:root { color-scheme: light dark; --ground: #eef0f8; --card: #fff; --text: #1c1d2b; --soft: #565a72; --good: #4338ca; --bad: #b42318; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #12131c; --card: #1c1e2b; --text: #eceef8; --soft: #a7acc6; --good: #a9a5ff; --bad: #ff9a8d; }
}
body {
  margin: 0; min-height: 100vh; display: grid; place-content: center; grid-template-columns: minmax(0, 29rem);
  background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; text-align: center; overflow-wrap: anywhere;
}
main { margin: 1rem; padding: 2rem; border-radius: 1.25rem; background: var(--card); }
.mark { color: var(--bad); font-size: 2.5rem; line-height: 1; }
.granted { color: var(--good); }
h1 { margin: .5rem 0; font-size: 1.375rem; line-height: 1.3; }
p { margin: .5rem 0 0; color: var(--soft); }
`;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => entities[character] as string);
}
