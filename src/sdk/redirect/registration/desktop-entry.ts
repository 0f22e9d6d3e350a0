/** A desktop file's entry for a program that opens addresses of a scheme. */
export interface DesktopEntry {
  readonly name: string;
  readonly scheme: string;
  /** The program and its arguments. The system appends the address. */
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

/** The MIME type by which desktops register the handler of a scheme. */
export function mimeTypeOf(scheme: string): string {
  return `x-scheme-handler/${scheme}`;
}

/** The `Exec` line of a desktop file, unparsed; undefined when it has none. */
export function execLineOf(text: string): string | undefined {
  // Not by /^…$/m: in a regular expression U+2028 ends a line too, and a path may contain one.
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

/** The program and the arguments of an `Exec` line, without the field codes. */
export function commandOf(execLine: string): string[] {
  const words = unescapeString(execLine).matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/gs);
  return [...words]
    .map(([, quoted, bare = '']) => (quoted === undefined ? bare : quoted.replace(/\\(.)/gs, '$1')))
    .filter(word => !/^%[a-zA-Z]$/.test(word))
    .map(word => word.replaceAll('%%', '%'));
}

// Plain words are not quoted: older versions of xdg-open take quotes for a part of the name.
const bareWord = /^[\w@:+,./=-]+$/;

function quoteArgument(argument: string): string {
  if (bareWord.test(argument)) return argument;
  const quoted = argument.replace(/["`$\\]/g, '\\$&').replaceAll('%', '%%');
  return `"${escapeString(quoted)}"`;
}

// String values have these escapes; in Exec lines they apply in addition to the quoting.
function escapeString(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\r', '\\r');
}

const escapes: Readonly<Record<string, string>> = { s: ' ', n: '\n', t: '\t', r: '\r', '\\': '\\' };

function unescapeString(text: string): string {
  return text.replace(/\\(.)/gs, (whole, letter: string) => escapes[letter] ?? whole);
}
