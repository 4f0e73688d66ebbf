/** The server without the desktop: reads the settings, starts it and stops it at a signal. */
import '../../util/file-threads.ts'
import {
  type Config,
  ConfigError,
  type ConfigSource,
  helpText,
  readConfig,
  startOptions,
} from '../../platform/config/config.ts'
import { type KeptSettings, openKeptSettings, readKept } from '../../platform/config/kept-settings.ts'
import { startServer } from '../../server.ts'
import { createLogger, type Logger, standardError } from '../../util/log.ts'
import { createLogTail } from '../../util/log-tail.ts'
import type { KeptMail } from '../host.ts'
import { exitDespiteHangs } from '../replicas/places/folder-calls.ts'
import { createHost } from './host.ts'
import { keepMail } from './kept-mail.ts'
import { createRunner, type Runner } from './runner.ts'

const args = process.argv.slice(2)

const usage = `Runs the personal data server until it is stopped (Ctrl-C).

Usage: npm run serve -- [options]

Each option can also be set by the environment variable in brackets; its default follows.

`

if (args.includes('--help') || args.includes('-h')) process.stdout.write(usage + helpText())
else await serve()

async function serve(): Promise<void> {
  try {
    const source = { env: process.env, args }
    const { dataDir } = readConfig(source)
    const kept = await readKept(dataDir)
    const config = readConfig(source, kept)
    const logTail = createLogTail(standardError())
    const log = createLogger(config.logLevel, logTail)
    const settings = openKeptSettings({
      ...{ ...source, dataDir, kept },
      apply: {
        logLevel(level) {
          log.level = level
        },
      },
    })
    const end = createEnd(() => runner.stop())
    const mail = keepMail(dataDir, source)
    let proven: Partial<Config> | undefined
    const runner = createRunner(async (ports) => {
      // Other settings wait for the next start of this process: a page that is open would lose its server.
      proven = await provenConfig({ source, settings, mail, log, before: proven })
      const current = { ...config, ...ports, ...proven }
      const options = { log, logTail, host, settings, startedWith: startOptions(source) }
      return startServer(current, { ...options, onLockLost: end })
    }, endAfterRestart(end))
    const host = createHost({ config, settings, mail, runner, log })
    const server = await runner.start()
    // A browser that visits 127.0.0.1 is sent to localhost.
    const isLoopback = config.hosts.some((one) => /^(?:127\.|::1$|localhost$)/.test(one))
    const url = isLoopback ? `http://localhost:${server.port}` : server.url
    process.stdout.write(`listening on ${url}\ndata in ${config.dataDir}\n`)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => end())
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`)
    process.exitCode = 1
  }
}

interface ProvenDeps {
  readonly source: ConfigSource
  readonly settings: KeptSettings
  readonly mail: KeptMail
  readonly log: Logger
  /** Those of the server that has stopped. */
  readonly before: Partial<Config> | undefined
}

/** Returns the settings that apply when the server starts again in this process. @throws ConfigError at the first start */
async function provenConfig({ source, settings, mail, log, before }: ProvenDeps): Promise<Partial<Config>> {
  const { copies } = readConfig(source, { copies: settings.proven('copies').text })
  try {
    return { copies, ...(await mail.read()).config }
  } catch (error) {
    // A file that cannot be read any more must not end a server that ran.
    if (!before || !(error instanceof ConfigError)) throw error
    log.error({ err: error }, 'mail server not read, so the one of before is used')
    return { ...before, copies }
  }
}

/**
 * Returns a function that closes the server and exits, even if a handle is still open: every acknowledged write is on disk. Called with an
 * error, it prints that and exits with code 1. Terminals and npm both send a signal: the second call is ignored.
 */
function createEnd(stop: Runner['stop']): (error?: unknown) => void {
  let isEnding = false
  return (error) => {
    if (isEnding) return
    isEnding = true
    if (error !== undefined) {
      process.stderr.write(`${explain(error)}\n`)
      process.exitCode = 1
    }
    void stop()
      .then((result) => {
        if (result === 'interrupted') process.stderr.write(interrupted)
      })
      .finally(() => exitDespiteHangs(() => process.exit()))
  }
}

const interrupted =
  'A restore was interrupted. The next start finishes it, or goes on with the data of before: see the screen Backups.\n'

/** Says of a server that does not start again why it was stopped: the person has asked for something else. */
function endAfterRestart(end: (error: unknown) => void): (error: unknown) => void {
  return (error) =>
    end(`The server was stopped for a change or a restore, and does not start again. ${explain(error)}`)
}

/** Returns a sentence for errors that the user can fix, the stack for others. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof ConfigError || error.name.startsWith('Store')) return error.message
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return `The port is in use by another program. Choose another with PDS_PORT, or with PDS_PROXY_PORT for proxies (${error.message}).`
  if (code === 'EACCES' || code === 'EPERM')
    return `Not permitted: ${error.message}. Check the rights on the data folder, or choose a port above 1023.`
  if (code === 'ENOSPC') return 'The disk is full. Make room on it, then start again.'
  return syscall === undefined
    ? (error.stack ?? error.message)
    : `The system returned an error: ${error.message}`
}
