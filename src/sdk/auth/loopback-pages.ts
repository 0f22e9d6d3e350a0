/** What a player's browser shows after a redirect to the loopback server. */
export interface Page {
  readonly status: number;
  readonly body: string;
}

/** Fixed texts: nothing of the request is ever repeated in them. */
export const pages = {
  granted: page(200, 'You are signed in', 'You can close this page and go back to the game.'),
  refused: page(
    200,
    'You are not signed in',
    'The request was declined. You can close this page and go back to the game.',
  ),
  foreign: page(
    400,
    'This link is not valid',
    'It does not belong to a sign-in that is under way. Start again in the game.',
  ),
  misdirected: page(421, 'Wrong address', 'This address is for the game alone.'),
  notFound: page(404, 'Nothing here', 'This address is for the game alone.'),
  notAllowed: page(405, 'Not allowed', 'This address is for the game alone.'),
} as const satisfies Record<string, Page>;

function page(status: number, title: string, text: string): Page {
  const style = 'body{font:1.1rem/1.5 system-ui,sans-serif;max-width:30rem;margin:20vh auto;padding:0 1rem}';
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>`;
  const body = `<!doctype html><html lang="en">${head}<style>${style}</style><h1>${title}</h1><p>${text}</p></html>`;
  return { status, body };
}
