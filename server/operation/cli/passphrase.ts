/** Passphrases of one-file backups on the command line: read from a file, or typed without echo. */
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

/** The standard streams of this process, where a person types. */
interface Terminal {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stderr: NodeJS.WritableStream
}

/** Reads the passphrase of a new backup from `file`, or asks for it twice; undefined when none is entered. */
export async function choosePassphrase(
  file: string | undefined,
  terminal: Terminal = process,
): Promise<string | undefined> {
  if (file !== undefined) return firstLine(file)
  if (!terminal.stdin.isTTY) {
    throw new Error(
      'A passphrase can only be typed in a terminal. Use --passphrase-file FILE, or --unprotected for a file without encryption.',
    )
  }
  const passphrase = await ask(terminal, 'Passphrase (empty for no encryption): ')
  if (passphrase === '') return undefined
  if ((await ask(terminal, 'Repeat the passphrase: ')) !== passphrase)
    throw new Error('The two passphrases differ. Nothing was written. Run the command again.')
  return passphrase
}

/** Reads the passphrase of an existing backup from `file`, or asks for it; undefined without a terminal. */
export async function readPassphrase(
  file: string | undefined,
  terminal: Terminal = process,
): Promise<string | undefined> {
  if (file !== undefined) return firstLine(file)
  return terminal.stdin.isTTY ? ask(terminal, 'Passphrase: ') : undefined
}

async function firstLine(file: string): Promise<string> {
  const [line = ''] = (await readFile(file, 'utf8')).split(/\r?\n/)
  if (line === '') throw new Error(`The first line of ${file} is empty. It must be the passphrase.`)
  return line
}

/** Asks on stderr and reads a line without echo. */
async function ask({ stdin, stderr }: Terminal, question: string): Promise<string> {
  const noOutput = new Writable({ write: (_chunk, _encoding, done) => done() })
  // Turns the echo off, so it comes before the question.
  const lines = createInterface({ input: stdin, output: noOutput, terminal: true })
  stderr.write(question)
  try {
    return await lines.question('')
  } finally {
    lines.close()
    stderr.write('\n')
  }
}
