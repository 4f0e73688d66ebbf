/** What the commands beside the server share: flags, help, and failures told in a sentence. */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { defaultDataDir } from '../config/config.ts'

export interface Invocation {
  /** Absolute path: `--data-dir`, else `PDS_DATA_DIR`, else the platform's data folder. */
  readonly dataDir: string
  readonly list: boolean
  /** Where to write a portable backup. */
  readonly exportTo: string | undefined
  /** Holds the passphrase of a portable backup. */
  readonly passphraseFile: string | undefined
  /** A portable backup that anybody can read is wanted. */
  readonly unprotected: boolean
  readonly positionals: readonly string[]
}

/**
 * Runs a command with the arguments of this process. What `run` throws becomes a line on stderr and exit code
 * 1.
 */
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
