/** The flags, the data directory and the error output of commands. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { defaultDataDir } from '../../platform/config/config.ts'
import { directory } from '../../platform/config/values.ts'
import { isMissing } from '../../store/files/files.ts'
import { databaseName, testNetworkName } from '../../store/files/layout.ts'
import { StoreDamaged, StoreForTests } from '../../store/files/store-errors.ts'

const common = { 'data-dir': { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const

export interface Invocation<Options extends ParseArgsOptionsConfig> {
  /** Absolute path: `--data-dir`, else `PDS_DATA_DIR`, else the platform's data folder. */
  readonly dataDir: string
  readonly flags: ReturnType<typeof parseArgs<{ options: Options }>>['values']
  readonly positionals: readonly string[]
}

/** Runs a command with the arguments of this process. An error becomes a line on stderr and exit code 1. */
export function runCommand<const Options extends ParseArgsOptionsConfig>(
  help: string,
  options: Options,
  run: (invocation: Invocation<Options>) => Promise<string>,
): Promise<void> {
  return report(async () => {
    const { values, positionals } = parseArgs({ options: { ...options, ...common }, allowPositionals: true })
    const flags = values as Invocation<Options>['flags'] & Invocation<typeof common>['flags']
    if (flags.help) return help
    const dataDir = dataDirOf(flags['data-dir'])
    // A backup would bring its public keys into a folder without the mark.
    const mark = await stat(join(dataDir, testNetworkName)).catch(() => undefined)
    if (mark) throw new StoreForTests(dataDir)
    const owner = await stat(join(dataDir, databaseName)).catch(() => undefined)
    const answer = await run({ dataDir, flags, positionals })
    if (!('list' in flags || 'status' in flags)) warnOfRoot(dataDir, owner)
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

/** Returns the data directory, as the server reads it: of the flag, the environment, or the platform. */
export function dataDirOf(flag: string | undefined): string {
  const given = flag || process.env.PDS_DATA_DIR || defaultDataDir()
  const dataDir = directory.parse(given)
  if (dataDir === undefined) throw new Error(`${given} is not a folder. Check --data-dir.`)
  return dataDir
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

/** Replaces the remedy in errors of damage, for files that a salvage cannot repair. */
export function withoutRemedy<T>(work: Promise<T>, remedy = ''): Promise<T> {
  return work.catch((error: unknown) => {
    if (error instanceof StoreDamaged)
      throw new Error(`${error.file} ${error.reason}. Nothing was changed.${remedy}`)
    throw error
  })
}

function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // Its own sentence explains arguments that begin with a dash.
  if ('code' in error && error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION')
    return `${error.message.replace(/\. To specify .*$/s, '')} of this command. --help shows its options.`
  if (isMissing(error) && 'path' in error) return `There is no ${error.path}. Check the path.`
  switch ('code' in error && error.code) {
    case 'ENOSPC':
      return 'The disk is full. Free disk space, then try again.'
    case 'EISDIR':
      return 'A folder was named where a file is needed. Check the paths.'
    default:
      return error.message
  }
}
