/** The flags, help and error output that `npm run backup` and `npm run restore` share. */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { defaultDataDir } from '../config/config.ts'

export interface Invocation {
  /** Absolute path: `--data-dir`, else `PDS_DATA_DIR`, else the platform's data folder. */
  readonly dataDir: string
  readonly list: boolean
  /** The file that a one-file backup is written to. */
  readonly exportTo: string | undefined
  /** A file whose first line is the passphrase of a one-file backup. */
  readonly passphraseFile: string | undefined
  /** Writes a one-file backup without encryption. */
  readonly unprotected: boolean
  readonly positionals: readonly string[]
}

/** Runs a command with the arguments of this process. An error becomes a line on stderr and exit code 1. */
export async function runCommand(
  help: string,
  run: (invocation: Invocation) => Promise<string>,
): Promise<void> {
  try {
    const { values, positionals } = parseArgs({
      options: {
        'data-dir': { type: 'string' },
        list: { type: 'boolean', default: false },
        export: { type: 'string' },
        'passphrase-file': { type: 'string' },
        unprotected: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
      allowPositionals: true,
    })
    const dataDir = resolve(values['data-dir'] || process.env.PDS_DATA_DIR || defaultDataDir())
    const { list, export: exportTo, 'passphrase-file': passphraseFile, unprotected } = values
    const invocation = { dataDir, list, exportTo, passphraseFile, unprotected, positionals }
    const answer = values.help ? help : await run(invocation)
    process.stdout.write(`${answer.trimEnd()}\n`)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    process.exitCode = 1
  }
}
