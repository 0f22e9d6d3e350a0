import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../..');

/** A guide of docs/, done as it says: its files in a folder, its commands in that folder. */
export class Guide {
  readonly text: string;
  readonly folder = mkdtempSync(join(tmpdir(), 'rallypoint-guide-'));
  /** Files that were taken out of the text. */
  readonly files = new Set<string>();
  readonly #changes: Readonly<Record<string, string>>;
  readonly #running: Program[] = [];

  /**
   * @param paths a guide, and the reference that goes on with its files
   * @param changes what stands in the text → what it is here: ports, above all
   */
  constructor(paths: string | readonly string[], changes: Readonly<Record<string, string>> = {}) {
    this.text = [paths]
      .flat()
      .map(path => readFileSync(join(root, path), 'utf8'))
      .join('\n');
    this.#changes = changes;
    mkdirSync(join(this.folder, 'node_modules/@rallypoint'), { recursive: true });
    symlinkSync(root, join(this.folder, 'node_modules/@rallypoint/sdk'), 'junction');
    this.install('rxjs');
  }

  /** Puts a package of the repository's own beside the guide's files. */
  install(name: string): void {
    symlinkSync(join(root, 'node_modules', name), join(this.folder, 'node_modules', name), 'junction');
  }

  /** Writes down what stands in the block after the file's name. */
  write(name: string): string {
    const form = new RegExp(`\`${name.replaceAll('.', '\\.')}\`[^\`]*?\`\`\`\\w+\\n([\\s\\S]*?)\`\`\``);
    const block = form.exec(this.text)?.[1];
    if (block === undefined) throw new Error(`The guide does not show ${name}.`);
    this.files.add(name);
    return this.writeText(name, this.here(block));
  }

  /** Writes a file of the guide's folder. @returns its path */
  writeText(name: string, text: string): string {
    const path = join(this.folder, name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  /** The one block of a language that holds a text. */
  block(language: string, part: string): string {
    const blocks = [...this.text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
      ([, code = '']) => code,
    );
    const fitting = blocks.filter(code => code.includes(part));
    if (fitting.length !== 1) throw new Error(`The guide has ${fitting.length} blocks with "${part}".`);
    return this.here(fitting[0] ?? '');
  }

  /** A text of the guide as it is to be here. */
  here(text: string): string {
    return Object.entries(this.#changes).reduce((changed, [from, to]) => changed.replaceAll(from, to), text);
  }

  /** The arguments of a command that the guide shows. */
  said(command: string): string[] {
    if (!this.text.includes(`\`\`\`sh\n${command}\n\`\`\``)) throw new Error(`The guide does not say "${command}".`);
    return this.here(command).split(' ').slice(1);
  }

  run(args: readonly string[], env: NodeJS.ProcessEnv): Program {
    const program = new Program(args, this.folder, env);
    this.#running.push(program);
    return program;
  }

  /**
   * Puts somebody in the place of the system's browser, who presses the buttons of the pages that it would show.
   *
   * @returns the environment for a program of this player
   */
  browserOf(username: string): NodeJS.ProcessEnv {
    const folder = join(this.folder, `browser-of-${username}`);
    mkdirSync(folder);
    const person = join(folder, 'person.mjs');
    writeFileSync(
      person,
      `import { signInAs } from '${join(root, 'samples/quickstart/player-browser.ts')}';
      await signInAs('${username}', process.argv.at(-1));`,
    );
    for (const opener of ['xdg-open', 'open']) {
      writeFileSync(join(folder, opener), `#!/bin/sh\nexec '${process.execPath}' '${person}' "$@"\n`);
      chmodSync(join(folder, opener), 0o755);
    }
    return { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` };
  }

  /** Checks files by the types of what they call. @returns what is wrong with them; empty when nothing is */
  async check(names: Iterable<string>): Promise<string> {
    this.install('@types');
    const how = ['--noEmit', '--allowJs', '--checkJs', '--strict', 'false', '--skipLibCheck', '--target', 'es2024'];
    const modules = ['--module', 'nodenext', '--types', 'node'];
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const program = this.run([compiler, ...how, ...modules, ...names], process.env);
    await program.ends();
    return program.output;
  }

  async close(): Promise<void> {
    for (const { child } of this.#running) child.kill('SIGKILL');
    await Promise.all(this.#running.map(program => program.ends()));
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** A command of a guide, while it runs. */
export class Program {
  output = '';
  readonly child: ChildProcess;
  readonly #closed: Promise<unknown>;
  #wake = () => {};

  constructor(args: readonly string[], folder: string, env: NodeJS.ProcessEnv) {
    this.child = spawn(process.execPath, [...args], { cwd: folder, env });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on('data', data => {
        this.output += data;
        this.#wake();
      });
    }
    this.#closed = once(this.child, 'close').then(() => this.#wake());
  }

  /** Resolves with all that was said until then. */
  async shows(text: string): Promise<string> {
    while (!this.output.includes(text)) {
      if (this.child.exitCode !== null) throw new Error(`It ended and never showed "${text}":\n${this.output}`);
      await new Promise<void>(wake => {
        this.#wake = wake;
      });
    }
    return this.output;
  }

  say(line: string): void {
    this.child.stdin?.write(`${line}\n`);
  }

  async ends(): Promise<number | null> {
    await this.#closed;
    return this.child.exitCode;
  }
}
