/** The flags of `npm run backup` and `npm run restore`; the data directory and error output of all commands. */
import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { defaultDataDir } from '../../platform/config/config.ts'
import { databaseName } from '../../platform/store/layout.ts'

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
  readonly salvage: boolean
  /** Puts a folder of replaced files back. */
  readonly undo: boolean
  /** The folder of replaced files to delete. */
  readonly forget: string | undefined
  /** Accepts the loss that a restore or a salvage states, without a question. */
  readonly acceptLoss: boolean
  /** Accepts a database that another program changed, without a question. */
  readonly acceptChanged: boolean
  /** The URL of a place with a copy. */
  readonly from: string | undefined
  /** A file with the key of the copies. */
  readonly keyFile: string | undefined
  /** A time in ISO 8601. */
  readonly at: string | undefined
  /** The file that the key of the copies is written to. */
  readonly sheet: string | undefined
  readonly status: boolean
  /** The URL of a place that had the copy, is empty, and gets it anew. */
  readonly acceptEmpty: string | undefined
  readonly positionals: readonly string[]
}

/** Runs a command with the arguments of this process. An error becomes a line on stderr and exit code 1. */
export function runCommand(help: string, run: (invocation: Invocation) => Promise<string>): Promise<void> {
  return report(async () => {
    const { values, positionals } = parseArgs({
      options: {
        'data-dir': { type: 'string' },
        list: { type: 'boolean', default: false },
        export: { type: 'string' },
        'passphrase-file': { type: 'string' },
        unprotected: { type: 'boolean', default: false },
        salvage: { type: 'boolean', default: false },
        undo: { type: 'boolean', default: false },
        forget: { type: 'string' },
        'accept-loss': { type: 'boolean', default: false },
        'accept-changed': { type: 'boolean', default: false },
        from: { type: 'string' },
        key: { type: 'string' },
        at: { type: 'string' },
        sheet: { type: 'string' },
        status: { type: 'boolean', default: false },
        'accept-empty': { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
      allowPositionals: true,
    })
    const dataDir = dataDirOf(values['data-dir'])
    const { list, export: exportTo, 'passphrase-file': passphraseFile, unprotected } = values
    const flags = {
      ...{ from: values.from, keyFile: values.key, at: values.at },
      ...{ sheet: values.sheet, status: values.status, acceptEmpty: values['accept-empty'] },
      salvage: values.salvage,
      undo: values.undo,
      forget: values.forget,
      acceptLoss: values['accept-loss'],
      acceptChanged: values['accept-changed'],
    }
    const invocation = { ...flags, dataDir, list, exportTo, passphraseFile, unprotected, positionals }
    if (values.help) return help
    const owner = await stat(join(dataDir, databaseName)).catch(() => undefined)
    const answer = await run(invocation)
    if (!list && !values.status) warnOfRoot(dataDir, owner)
    return answer
  })
}

/** Says on stderr what to do about files of root in the data folder of another user. @param owner that of the database */
function warnOfRoot(dataDir: string, owner: { uid: number; gid: number } | undefined): void {
  if (process.getuid?.() !== 0 || !owner || owner.uid === 0) return
  process.stderr.write(
    `This ran as root, but the data belong to another user, whose server cannot use files of root. Run: chown -R ${owner.uid}:${owner.gid} ${dataDir}\n`,
  )
}

/** Returns the data directory: of the flag, the environment, or the platform. */
export function dataDirOf(flag: string | undefined): string {
  return resolve(flag || process.env.PDS_DATA_DIR || defaultDataDir())
}

/** Prints the answer of a command. An error becomes a line on stderr and exit code 1. */
export async function report(run: () => Promise<string>): Promise<void> {
  try {
    const answer = await run()
    process.stdout.write(`${answer.trimEnd()}\n`)
  } catch (error) {
    process.stderr.write(`${sentenceOf(error)}\n`)
    process.exitCode = 1
  }
}

function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const isFull = 'code' in error && error.code === 'ENOSPC'
  return isFull ? 'The disk is full. Free disk space, then try again.' : error.message
}
