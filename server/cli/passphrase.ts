/** Passphrases of portable backups on the command line: from a file, or asked for without showing what is typed. */
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

/** For a backup that is made; undefined when the person wants none. */
export async function choosePassphrase(file: string | undefined): Promise<string | undefined> {
  if (file !== undefined) return readPassphrase(file)
  if (!process.stdin.isTTY) {
    throw new Error(
      'Nobody is there to ask for a passphrase. Name a file that holds one with --passphrase-file, or say --unprotected.',
    )
  }
  const chosen = await ask('Passphrase (empty for none): ')
  if (chosen === '') return undefined
  if ((await ask('Once more: ')) !== chosen) throw new Error('The two are not the same. Nothing was written.')
  return chosen
}

/** For a protected backup that is read; undefined when nobody is there to ask. */
export async function givePassphrase(file: string | undefined): Promise<string | undefined> {
  if (file !== undefined) return readPassphrase(file)
  return process.stdin.isTTY ? ask('Passphrase: ') : undefined
}

/** The first line of a file. */
async function readPassphrase(file: string): Promise<string> {
  const [line = ''] = (await readFile(file, 'utf8')).split(/\r?\n/)
  if (line === '') throw new Error(`${file} is empty: it should hold the passphrase.`)
  return line
}

async function ask(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  // From here on the terminal does not show what is typed, so it comes before the question.
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  process.stderr.write(question)
  try {
    return await lines.question('')
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}
