/** What a desktop file says of the program that opens addresses of a scheme. */
export interface DesktopEntry {
  readonly name: string;
  readonly scheme: string;
  /** Program and arguments; the system appends the address. */
  readonly command: readonly string[];
}

/**
 * The text of a desktop file.
 *
 * @see https://specifications.freedesktop.org/desktop-entry-spec/latest/exec-variables.html
 */
export function desktopEntryText({ name, scheme, command }: DesktopEntry): string {
  return [
    '[Desktop Entry]',
    'Type=Application',
    `Name=${escapeString(name)}`,
    `Exec=${[...command.map(quoteArgument), '%u'].join(' ')}`,
    'NoDisplay=true',
    'Terminal=false',
    `MimeType=${mimeTypeOf(scheme)};`,
    '',
  ].join('\n');
}

/** The type under which desktops file who opens a scheme. */
export function mimeTypeOf(scheme: string): string {
  return `x-scheme-handler/${scheme}`;
}

/** The `Exec` line of a desktop file as it stands there; undefined when it has none. */
export function execLineOf(text: string): string | undefined {
  // By line feeds: to a regular expression U+2028 ends a line, too, and a path may have one.
  const lines = text.split(/\r?\n/);
  const start = lines.findIndex(line => /^\[Desktop Entry\][ \t]*$/.test(line));
  if (start < 0) return undefined;
  for (const line of lines.slice(start + 1)) {
    if (line.startsWith('[')) return undefined;
    const exec = /^Exec[ \t]*=[ \t]*(.*)$/s.exec(line)?.[1];
    if (exec !== undefined) return exec;
  }
  return undefined;
}

/** Program and arguments of an `Exec` line, without the codes that stand for what is opened. */
export function commandOf(execLine: string): string[] {
  const words = unescapeString(execLine).matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/gs);
  return [...words]
    .map(([, quoted, bare = '']) => (quoted === undefined ? bare : quoted.replace(/\\(.)/gs, '$1')))
    .filter(word => !/^%[a-zA-Z]$/.test(word))
    .map(word => word.replaceAll('%%', '%'));
}

// Bare words are left bare: older versions of xdg-open take quotes for a part of the name.
const bareWord = /^[\w@:+,./=-]+$/;

function quoteArgument(argument: string): string {
  if (bareWord.test(argument)) return argument;
  const quoted = argument.replace(/["`$\\]/g, '\\$&').replaceAll('%', '%%');
  return `"${escapeString(quoted)}"`;
}

// Values of the type string know these escapes; in Exec lines they come on top of the quoting.
function escapeString(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\r', '\\r');
}

const escapes: Readonly<Record<string, string>> = { s: ' ', n: '\n', t: '\t', r: '\r', '\\': '\\' };

function unescapeString(text: string): string {
  return text.replace(/\\(.)/gs, (whole, letter: string) => escapes[letter] ?? whole);
}
